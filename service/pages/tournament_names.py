"""How pages write the names that tournaments have in the API: tie-breaks, kinds, byes."""

from __future__ import annotations

from typing import Final

from service.pages.site import pages

TERMS: Final = {
    "match-points": "Match points",
    "game-points": "Game points",
    "direct-encounter": "Direct encounter",
    "buchholz": "Buchholz",
    "buchholz-cut-1": "Buchholz Cut-1",
    "buchholz-median": "Median Buchholz",
    "sonneborn-berger": "Sonneborn-Berger",
    "progressive": "Progressive score",
    "wins": "Wins",
    "games-won": "Games won",
    "wins-second-side": "Wins as second side",
    "games-second-side": "Games as second side",
    "game-point-difference": "Point difference",
    "average-opponent-rating": "Average opponents' rating",
}
"""The terms of the standings."""
KINDS: Final = {
    "round-robin": "Round robin",
    "swiss": "Swiss",
    "knockout": "Knockout",
    "free": "Free pairing",
}
"""The kinds of tournament."""
BYES: Final = {
    "pairing-bye": "bye",
    "full-bye": "full-point bye",
    "half-bye": "half-point bye",
    "zero-bye": "zero-point bye",
}
"""The byes of a round."""


@pages.app_template_filter("term_name")
def name_term(term: str) -> str:
    """The name of a term of the standings: `sonneborn-berger` is Sonneborn-Berger."""
    return TERMS[term]


@pages.app_template_filter("kind_name")
def name_kind(kind: str) -> str:
    """The name of a kind of tournament: `round-robin` is a Round robin."""
    return KINDS[kind]


@pages.app_template_filter("bye_name")
def name_bye(bye: str) -> str:
    """The name of a bye: `half-bye` is a half-point bye."""
    return BYES[bye]
