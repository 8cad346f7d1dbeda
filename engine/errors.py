"""What can go wrong in the engine.

EngineError
├── BadNetwork         a file of learned weights is damaged, or for other features
├── IllegalAction      the position does not allow this action
├── InvalidLimits      limits that no search can keep
├── InvalidPosition    these values make no position of the game
├── StaleKernels       the compiled modules were made from other sources
└── UnknownVariant     no game of this name
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.described_error import DescribedError
from engine.phrase import Say


class EngineError(DescribedError):
    """Base of all errors of the engine."""


class BadNetwork(EngineError):
    """The file of a network does not hold one for this engine; `reason` says why."""

    message = "{path}: {reason}"
    path: Path
    reason: str


class IllegalAction(EngineError):
    """An action that is not among the legal ones; `action` is its packed integer.

    `ply` is its number in a replayed game from 1, None where a single action was played.
    """

    action: int
    ply: int | None = None

    def describe(self, say: Say) -> str:
        where = "here" if self.ply is None else f"at ply {self.ply}"
        return f"action {self.action} is not legal {where}"


class InvalidLimits(EngineError):
    """Bounds that no search can keep: `field` names the one at fault, `reason` says why."""

    message = "{field}: {reason}"
    field: str
    reason: str


class InvalidPosition(EngineError):
    """Values that make no position: `field` names the FEN field at fault, `reason` says why."""

    message = "{field}: {reason}"
    field: str
    reason: str


class StaleKernels(EngineError):
    """The compiled modules were made from sources other than those that stand beside them."""

    message = (
        "the compiled kernels are not those of the sources beside them: run `make kernels`"
        " (or `python setup.py build_ext --inplace`), or set MOVELOG_PURE=1 to run the sources"
    )


class UnknownVariant(EngineError):
    """No variant is registered under `name`; `known` lists those that are."""

    name: str
    known: Sequence[str]

    def describe(self, say: Say) -> str:
        known = ", ".join(self.known)
        return say("unknown variant {name!r}, expected one of {known}").format(
            name=self.name, known=known
        )
