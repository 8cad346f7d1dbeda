"""How pages write the API's data of tournaments: tie-breaks, kinds, byes, points, ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from service.languages.texts import gettext, mark
from service.pages.site import pages
from service.pages.words import say_word

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
FORFEITS: Final = {
    "forfeit-win": ("+", mark("won by forfeit")),
    "forfeit-loss": ("−", mark("lost by forfeit")),
}
"""Games that were not played, by the cross table's mark: their sign and its meaning."""
QUARTERS: Final = {"25": "¼", "5": "½", "75": "¾"}
"""Fractions of a point, by the API's decimals for them."""


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


@pages.app_template_filter("forfeit")
def find_forfeit(mark: str) -> tuple[str, str] | None:
    """The sign of a game that was not played, and its meaning; None for all others."""
    if mark not in FORFEITS:
        return None
    sign, said = FORFEITS[mark]
    return sign, gettext(said)


@pages.app_template_filter("initial")
def find_initial(side: str) -> str:
    """The letter for a side in a cross table: `r` for Red."""
    return next(filter(str.isalpha, say_word(side))).lower()


@pages.app_template_filter("halves")
def write_points(points: str) -> str:
    """Points as people write them, with halves and quarters.

    >>> [write_points(points) for points in ("2.5", "0.5", "-0.5", "3", "1.25", "1830.4")]
    ['2½', '½', '-½', '3', '1¼', '1830.4']
    """
    whole, _, part = points.partition(".")
    if part not in QUARTERS:
        return points
    return (whole[:-1] if whole in ("0", "-0") else whole) + QUARTERS[part]


@pages.app_template_filter("ratings")
def list_ratings(players: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The ratings, by id, of those players of a tournament who have one."""
    return {one["id"]: one["rating"] for one in players if one["rating"] is not None}
