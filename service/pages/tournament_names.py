"""How pages write the names that tournaments have in the API: tie-breaks, kinds, byes."""

from __future__ import annotations

from typing import Final

from service.languages.texts import gettext, mark
from service.pages.site import pages

TERMS: Final = {
    "match-points": mark("Match points"),
    "game-points": mark("Game points"),
    "direct-encounter": mark("Direct encounter"),
    "buchholz": mark("Buchholz"),
    "buchholz-cut-1": mark("Buchholz Cut-1"),
    "buchholz-median": mark("Median Buchholz"),
    "sonneborn-berger": mark("Sonneborn-Berger"),
    "progressive": mark("Progressive score"),
    "wins": mark("Wins"),
    "games-won": mark("Games won"),
    "wins-second-side": mark("Wins as second side"),
    "games-second-side": mark("Games as second side"),
    "game-point-difference": mark("Point difference"),
    "average-opponent-rating": mark("Average opponents' rating"),
}
"""The terms of the standings."""
KINDS: Final = {
    "round-robin": mark("Round robin"),
    "swiss": mark("Swiss"),
    "knockout": mark("Knockout"),
    "free": mark("Free pairing"),
}
"""The kinds of tournament."""
BYES: Final = {
    "pairing-bye": mark("bye"),
    "full-bye": mark("full-point bye"),
    "half-bye": mark("half-point bye"),
    "zero-bye": mark("zero-point bye"),
}
"""The byes of a round."""


@pages.app_template_filter("term_name")
def name_term(term: str) -> str:
    """The name of a term of the standings: `sonneborn-berger` is Sonneborn-Berger."""
    return gettext(TERMS[term])


@pages.app_template_filter("kind_name")
def name_kind(kind: str) -> str:
    """The name of a kind of tournament: `round-robin` is a Round robin."""
    return gettext(KINDS[kind])


@pages.app_template_filter("bye_name")
def name_bye(bye: str) -> str:
    """The name of a bye: `half-bye` is a half-point bye."""
    return gettext(BYES[bye])
