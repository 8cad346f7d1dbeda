"""Search over the games' trees: which action is best, and what it comes to.

It knows games only through `engine.tree`. `alphabeta` and `table` are its compiled core, `search`
is what others call. `docs/search.md` says which techniques each game uses, and why.
"""

from __future__ import annotations

from engine.search.build import build_id
from engine.search.chance import winning_chance
from engine.search.iteration import Iteration, ScoredLine
from engine.search.limits import Limits
from engine.search.parameters import Parameters
from engine.search.score import WIN, is_decided, plies_to_end
from engine.search.search import Search, evaluate, quiesce
from engine.search.techniques import PLAIN, Techniques
from engine.search.uncertain import iterate_worlds
from engine.search.uncertain_iteration import UncertainIteration, UncertainLine

__all__ = [
    "PLAIN",
    "WIN",
    "Iteration",
    "Limits",
    "Parameters",
    "ScoredLine",
    "Search",
    "Techniques",
    "UncertainIteration",
    "UncertainLine",
    "build_id",
    "evaluate",
    "is_decided",
    "iterate_worlds",
    "plies_to_end",
    "quiesce",
    "winning_chance",
]
