"""Kerak: capture the opposing Castle on a hexagonal board (rules page `kerak.md`).

`board` and `pieces` are the game's data, `validity` says which values make a position, `field`
knows which piece may go where, `kernel` knows whose turn it is, and `combat` explains a capture.
For the search, `tree` has the nodes, `evaluation` their values, `exchange` what captures lose.
"""

from __future__ import annotations

from typing import Final

from engine.kerak.evaluation import SCALE
from engine.kerak.exchange import KerakExchanges
from engine.kerak.kernel import start
from engine.kerak.null_move import null_move
from engine.kerak.tree import KerakTree
from engine.kerak.validity import SIDES
from engine.outcome import Termination
from engine.search.parameters import NEVER, Parameters
from engine.search.techniques import Techniques
from engine.variant import Variant

KERAK: Final = Variant(
    name="kerak",
    sides=SIDES,
    rules="1",
    start=start().copy,
    terminations=frozenset(
        {Termination.CASTLE_CAPTURED, Termination.NO_CAPTOR_LEFT, Termination.NO_MOVE}
    ),
    counts_points=True,
    tree=KerakTree,
    techniques=Techniques(
        aspiration=False,
        countermoves=False,
        history_pruning=False,
        improving=False,
        internal_reductions=False,
        late_move_pruning=False,
        late_move_reductions=False,
        razoring=False,
        root_reductions=False,
        table_evaluation=False,
    ),
    parameters=Parameters(null_move_margin=NEVER),
    exchanges=KerakExchanges,
    usual_moves=80,
    scale=SCALE,
    draw_by_points=True,
    null_move=null_move,
)
