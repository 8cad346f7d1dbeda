"""Kerd and Kerd Draft: large armies, regions, and an infiltrator in each (rules page `kerd.md`)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from engine.kerd.exchange import KerdExchanges
from engine.kerd.null_move import null_move
from engine.kerd.rules import DRAFT, RULEBOOK
from engine.kerd.setup import start
from engine.kerd.terms import DRAFT_SCALE, SCALE
from engine.kerd.tree import KerdTree
from engine.kerd.worlds import plain_world, worlds
from engine.outcome import Termination
from engine.search.parameters import Parameters
from engine.search.techniques import Techniques
from engine.variant import Variant

KERD: Final = Variant(
    name="kerd",
    sides=("White", "Black"),
    rules="1",
    start=partial(start, RULEBOOK),
    terminations=frozenset({Termination.MATE, Termination.STALEMATE}),
    counts_points=False,
    tree=KerdTree,
    techniques=Techniques(
        aspiration=False,
        history_pruning=False,
        improving=False,
        late_move_pruning=False,
        razoring=False,
        root_reductions=False,
    ),
    parameters=Parameters(
        futility_margin=157,
        late_move_base=24,
        late_move_factor=350,
        null_move_margin=388,
        reduction_base=58,
        reduction_divisor=120,
        reduction_history=1_800,
        reverse_margin=50,
    ),
    exchanges=KerdExchanges,
    usual_moves=80,
    scale=SCALE,
    secret_choice=True,
    worlds=worlds,
    plain_world=plain_world,
    null_move=null_move,
)
KERD_DRAFT: Final = replace(
    KERD,
    name="kerd-draft",
    start=partial(start, DRAFT),
    terminations=frozenset({Termination.KING_CAPTURED, Termination.STALEMATE}),
    techniques=replace(KERD.techniques, late_move_pruning=True),
    scale=DRAFT_SCALE,
)
