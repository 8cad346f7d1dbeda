"""Katruji: a small board, pieces without colour, and a clock (rules page `katruji.md`)."""

from __future__ import annotations

from typing import Final

from engine.katruji.evaluation import SCALE
from engine.katruji.kernel import Position
from engine.katruji.null_move import null_move
from engine.katruji.tree import KatrujiTree
from engine.outcome import Termination
from engine.search.parameters import Parameters
from engine.search.techniques import Techniques
from engine.variant import Variant

KATRUJI: Final = Variant(
    name="katruji",
    sides=("South", "North"),
    rules="1",
    start=Position,
    terminations=frozenset({Termination.YARA, Termination.YEMUBUS, Termination.ALKA}),
    counts_points=True,
    tree=KatrujiTree,
    techniques=Techniques(
        countermoves=False,
        delta=False,
        exchanges=False,
        history=False,
        history_pruning=False,
        improving=False,
        internal_reductions=False,
        late_move_pruning=False,
        null_move=False,
        razoring=False,
        root_reductions=False,
        table_evaluation=False,
    ),
    parameters=Parameters(
        futility_margin=50, reduction_base=55, reduction_divisor=245, reverse_margin=55
    ),
    usual_moves=20,
    scale=SCALE,
    null_move=null_move,
)
