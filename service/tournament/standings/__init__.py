"""Standings: scores, tie-breaks with explanations, cross tables, the effect of a change. Pure.

Tie-breaks follow FIDE's Tie-Break Regulations (handbook C.07), whose articles are named where they
are implemented; `term.Edition` lists the known editions.
"""

from service.tournament.standings.cross_table import CrossTableCell, Row, cross_table
from service.tournament.standings.difference import Change, difference
from service.tournament.standings.part import Part
from service.tournament.standings.regulations import Regulations
from service.tournament.standings.standing import Explanation, Standing, explain, standings
from service.tournament.standings.term import Edition, RankTerm

__all__ = [
    "Change",
    "CrossTableCell",
    "Edition",
    "Explanation",
    "Part",
    "RankTerm",
    "Regulations",
    "Row",
    "Standing",
    "cross_table",
    "difference",
    "explain",
    "standings",
]
