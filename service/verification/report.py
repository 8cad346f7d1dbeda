"""The result of checking an export, or one record of a file."""

from __future__ import annotations

from dataclasses import dataclass

from service.verification.errors import Unverifiable, Wrong

UNSIGNED = "signature: not checked, because no keys were given; anybody could have forged it"


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """`proven` are sentences, in the order checked, up to the first thing wrong: `error`."""

    subject: str
    proven: tuple[str, ...]
    error: Wrong | Unverifiable | None = None

    @property
    def status(self) -> int:
        """The exit status: 0 if all is proven, 1 if something is wrong, 2 otherwise."""
        if self.error is None:
            return 0
        return 1 if isinstance(self.error, Wrong) else 2

    def __str__(self) -> str:
        lines = [self.subject, *(f"  {sentence}" for sentence in self.proven)]
        if self.error is None:
            lines.append("  verified")
        elif isinstance(self.error, Wrong):
            lines.append(f"  WRONG: {self.error}")
        else:
            lines.append(f"  {self.error}")
        return "\n".join(lines)


def status_of(verdicts: list[VerificationResult]) -> int:
    """The exit status for a file: 1 if anything is wrong, else 2 if anything cannot be proven."""
    found = {verdict.status for verdict in verdicts}
    return next((status for status in (1, 2) if status in found), 0)
