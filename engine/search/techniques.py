"""The techniques of the search, each of which can be switched off."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True)
class Techniques:
    """Which techniques a search uses; what each gains in each game is in `docs/search.md`.

    With `PLAIN` the scores are those of minimax at the requested depth.
    """

    evaluation: bool = True
    """Evaluate positions by more than material."""
    network: bool = True
    """Evaluate positions by the game's learned network, where it has one."""
    quiescence: bool = True
    """Beyond the depth, play out moves that are not quiet before evaluating."""
    transposition_table: bool = True
    """Remember positions by their hash."""
    aspiration: bool = True
    """Begin each deepening with a narrow window around the previous score."""
    principal_variation: bool = True
    """Try all actions but the first with a null window."""
    killers: bool = True
    """Try quiet actions early that have refuted a sibling."""
    history: bool = True
    """Try quiet actions in the order of how often they have refuted a node."""
    countermoves: bool = True
    """Try the quiet action that last refuted the opponent's previous action early."""
    null_move: bool = True
    """Cut off where doing nothing is already too good."""
    late_move_reductions: bool = True
    """Search late quiet actions less deep at first."""
    futility: bool = True
    """Near the leaves pass over quiet actions that cannot make up for a bad evaluation."""
    reverse_futility: bool = True
    """Near the leaves cut off where the evaluation is far above beta."""
    late_move_pruning: bool = True
    """Near the leaves pass over quiet actions that come late in the order."""
    history_pruning: bool = True
    """Near the leaves pass over quiet actions that have refuted little; needs `history`."""
    razoring: bool = True
    """Near the leaves play out only moves that are not quiet if the evaluation is far too low."""
    internal_reductions: bool = True
    """Search less deep where the table knows no action (internal iterative reductions)."""
    improving: bool = True
    """Prune less where a side stands better than at its last action."""
    table_evaluation: bool = True
    """Use the table's score as the evaluation for pruning, where it is a closer bound."""
    root_reductions: bool = True
    """Search late actions of the root less deep at first, in the order of their trees' sizes."""
    exchanges: bool = True
    """Try captures that lose more than they take late, and not in quiescence."""
    delta: bool = True
    """In quiescence pass over captures that cannot make up for a bad evaluation."""

    @property
    def prunes(self) -> bool:
        """Whether scores may differ from those of minimax at the same depth."""
        return any(getattr(self, name) for name in PRUNING)

    def without_pruning(self) -> Techniques:
        """The same, but minimax down to a quiescence that looks at everything not quiet."""
        off = {*PRUNING, "delta", "exchanges"} - {"quiescence"}
        return replace(self, **dict.fromkeys(off, False))

    def without(self, name: str) -> Techniques:
        """The same except for one technique; ValueError for an unknown name."""
        if name not in NAMES:
            raise ValueError(name)
        return replace(self, **{name: False})


PRUNING = (
    "quiescence",
    "null_move",
    "late_move_reductions",
    "futility",
    "reverse_futility",
    "late_move_pruning",
    "history_pruning",
    "razoring",
    "internal_reductions",
    "root_reductions",
)
"""The techniques that make scores differ from those of minimax at the same depth."""
NAMES = tuple(field.name for field in fields(Techniques))
PLAIN = Techniques(**{name: name in ("evaluation", "network") for name in NAMES})
"""Alpha-beta with a full window, and nothing else."""
