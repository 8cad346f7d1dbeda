"""The techniques of the search, each of which can be switched off."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True)
class Techniques:
    """Which techniques a search uses; what each gains in each game is in `docs/search.md`.

    With `PLAIN` the scores are those of minimax at the depth asked for.
    """

    evaluation: bool = True
    """Evaluate positions by more than material."""
    network: bool = True
    """Evaluate them by the network that the game has learned, where it has one."""
    quiescence: bool = True
    """Beyond the depth, play out what is not quiet before evaluating."""
    transposition_table: bool = True
    """Remember positions by their hash."""
    aspiration: bool = True
    """Begin each deepening with a narrow window around the score before."""
    principal_variation: bool = True
    """Try all actions but the first with a window of no width."""
    killers: bool = True
    """Try quiet actions early that have refuted a sibling."""
    history: bool = True
    """Try quiet actions in the order of how often they have refuted something."""
    null_move: bool = True
    """Cut off where doing nothing is already too good."""
    late_move_reductions: bool = True
    """Search late quiet actions less deep at first."""
    futility: bool = True
    """Near the leaves pass over quiet actions that cannot make up for a bad evaluation."""
    reverse_futility: bool = True
    """Near the leaves cut off where the evaluation is far above what is asked for."""
    delta: bool = True
    """In quiescence pass over captures that cannot either."""

    @property
    def prunes(self) -> bool:
        """Whether scores may differ from those of minimax at the same depth."""
        return (
            self.quiescence
            or self.null_move
            or self.late_move_reductions
            or self.futility
            or self.reverse_futility
        )

    def without(self, name: str) -> Techniques:
        """The same but for one of them; ValueError for an unknown name."""
        if name not in NAMES:
            raise ValueError(name)
        return replace(self, **{name: False})


NAMES = tuple(field.name for field in fields(Techniques))
PLAIN = Techniques(**{name: name in ("evaluation", "network") for name in NAMES})
"""Alpha-beta with a full window, and nothing else."""
