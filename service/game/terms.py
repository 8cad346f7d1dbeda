"""The terms of a game besides its clocks, and which of them contradict each other.

A limit of plies and the tie-break by points are tags of the record (`notation.agreement`). A new
game may state them as separate terms, and gets the tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from engine.phrase import phrase
from engine.registry import find_variant
from notation.time_control import TIME_CONTROL, parse_time_control
from service.computer.levels import seats_computer
from service.errors import BadValue
from service.game.commands import CreateGame
from service.game.errors import ComputerIsCasual, ContradictoryTerms
from service.game.values import Mode

if TYPE_CHECKING:
    from service.game.events import GameCreated

PLY_LIMIT: Final = "PlyLimit"
DRAW_BY_POINTS: Final = "DrawByPoints"
MINUTE: Final = 60_000
DAY: Final = 24 * 60 * MINUTE
EXPIRY: Final = (MINUTE, 30 * DAY)
"""The least and the most milliseconds for which a challenge can stand."""
NO_SHOW: Final = (MINUTE, 7 * DAY)
"""The least and the most milliseconds after which a player who has not come can lose."""
RATED_MODES: Final = frozenset({Mode.CHALLENGE, Mode.ARBITER, Mode.TOURNAMENT})
"""The modes of games that may be rated; anybody could make up games of other modes."""


class Visibility(StrEnum):
    """Who can see a challenge while it is open; once accepted, the game is public."""

    PUBLIC = "public"
    PRIVATE = "private"
    """Its players, and anybody who has its address."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What was agreed for a game; times in milliseconds.

    `expires_after` is how long the challenge stands, and `no_show` is how long the game waits for a
    player who has not acted yet; None for ever.
    """

    rated: bool = False
    visibility: Visibility = Visibility.PUBLIC
    expires_after: int | None = None
    no_show: int | None = None


CASUAL: Final = Terms()


def read_terms(event: GameCreated) -> Terms:
    """The terms that a game's first event states; its first form has only the usual ones."""
    return Terms(
        rated=getattr(event, "rated", event.mode in RATED_MODES),
        visibility=Visibility(getattr(event, "visibility", Visibility.PUBLIC)),
        expires_after=getattr(event, "expires_after", None),
        no_show=getattr(event, "no_show", None),
    )


def find_terms(command: CreateGame) -> Terms:
    """The terms of a new game, which `check_terms` has accepted.

    By default it is rated if it may be, unless a player has set up its position. No game with the
    computer is rated, whatever its tournament says.
    """
    rated = command.rated
    if seats_computer((command.first, command.second)):
        rated = False
    elif rated is None:
        rated = command.mode in RATED_MODES and not is_set_up_by_player(command)
    return Terms(rated, Visibility(command.visibility), command.expires_after, command.no_show)


def is_set_up_by_player(command: CreateGame) -> bool:
    """Whether a challenger sets up the first position; an arbiter may do so in a rated game."""
    return command.mode == Mode.CHALLENGE and command.fen is not None


def make_term_tags(command: CreateGame) -> Mapping[str, str]:
    """The tags that state a new game's terms in its record; raises BadTimeControl."""
    tags = {}
    if command.time_control is not None:
        tags[TIME_CONTROL] = str(parse_time_control(command.time_control))
    if command.ply_limit is not None:
        tags[PLY_LIMIT] = str(command.ply_limit)
    if command.draw_by_points:
        tags[DRAW_BY_POINTS] = "yes"
    return tags


def check_terms(command: CreateGame) -> None:
    """Raise ContradictoryTerms, or BadValue for a time out of bounds, unless a game can be played.

    Also raises BadTimeControl and ComputerIsCasual.
    """
    by_round = command.mode == Mode.TOURNAMENT
    if command.rated and not by_round and seats_computer((command.first, command.second)):
        raise ComputerIsCasual("rated", "the computer plays casual games only")
    for field, reason in _list_contradictions(command):
        raise ContradictoryTerms(field, reason)
    if command.visibility not in set(Visibility):
        raise BadValue(
            "visibility", phrase("one of {visibility}", visibility=", ".join(Visibility))
        )
    for field, time, (least, most) in (
        ("expires_in_seconds", command.expires_after, EXPIRY),
        ("no_show_minutes", command.no_show, NO_SHOW),
    ):
        if time is not None and not least <= time <= most:
            raise BadValue(
                field,
                phrase("{minute} minute to {day} days", minute=least // MINUTE, day=most // DAY),
            )


def _list_contradictions(command: CreateGame) -> Iterator[tuple[str, str]]:
    """The contradictions: for each, a field and the reason why its value is not possible."""
    if command.rated and command.mode not in RATED_MODES:
        yield "rated", "a game whose score is kept is casual: only games played here are rated"
    if command.rated and is_set_up_by_player(command):
        yield "rated", "a game from a position that its challenger has set up is casual"
    if command.mode != Mode.CHALLENGE:
        if command.visibility != Visibility.PUBLIC:
            yield "visibility", "only a challenge can be private"
        if command.expires_after is not None:
            yield "expires_in_seconds", "only a challenge expires"
    if command.no_show is not None and command.mode != Mode.TOURNAMENT:
        yield "no_show_minutes", "only tournaments have such a rule"
    if command.time_control is not None and command.mode == Mode.SCRIBE:
        yield "time_control", "only for games whose players act themselves"
    if command.draw_by_points and not find_variant(command.variant).draw_by_points:
        yield "draw_by_points", f"{command.variant} has no such rule"
    stated = dict(make_term_tags(command))
    if command.draw_by_points is False:
        stated[DRAW_BY_POINTS] = "no"
    for tag, value in stated.items():
        if command.tags.get(tag, value) != value:
            yield "tags", f"{tag} is {command.tags[tag]}, but the game's terms say {value}"
