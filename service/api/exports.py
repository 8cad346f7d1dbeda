"""`/api/v1/export`: any number of games in one stream, as records, as JSON or as a table.

Games are read a batch at a time and sent as the client reads. So memory does not grow with the
export, and a slow client slows down only its own export. An interrupted export is resumed with
`after`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import chain
from typing import Any, Final

from flask import Blueprint, Response, stream_with_context

from service.api import request_data
from service.api.context import find_bearer, get_service
from service.api.errors import BadParameter
from service.api.parquet import Row, check_parquet, make_row, write_parquet
from service.api.responses import NDJSON, PARQUET, PGN, choose_media_type, write_ndjson_line
from service.api.schemas.exports import ExportSchema
from service.api.schemas.game_queries import ExportQuerySchema, FilterSchema
from service.api.search import LAG
from service.api.search_filters import query_of
from service.api.views import list_people, render_game
from service.errors import BadValue, NotFound
from service.game.evolve import fold
from service.game.redaction import Viewer, viewer
from service.game.shown_annotations import Presentation
from service.game.state import GameState
from service.player.actor import Actor
from service.player.names.shown import ShownName
from service.projection.games.query import Query
from service.records.signed_records import split
from service.tournament.state import public

exports = Blueprint("exports", __name__, url_prefix="/api/v1")

EXPORT = ExportSchema()
FOUND = ExportQuerySchema()
FILTERS = tuple(FilterSchema().fields)
TOGGLES = tuple(field.name for field in fields(Presentation))
BATCH = 50
"""How many games are held at once."""


@exports.get("/export")
def export() -> Response:
    """Every game that fits a search, newest first; or a tournament's, by round and board."""
    found = request_data.read_query(FOUND)
    if "tournament" in found:
        return stream_games(list_tournament_ids(found), parse_presentation(found))
    query = query_of(found)
    shown = parse_presentation(found)
    return stream_games(iterate_found_ids(query, check_known(found.get("after"))), shown)


@exports.post("/export")
def export_these() -> Response:
    """The games of a list of ids, in its order."""
    wish = request_data.read_body(EXPORT)
    ids = list(dict.fromkeys(wish["ids"]))
    for id, game in zip(ids, get_service().search.summaries(ids), strict=True):
        # A game that is too new for the lists may be in the log.
        if game is None and not get_service().games.read(id, limit=1):
            raise NotFound("game", id)
    ids = slice_behind(wish["after"], ids)
    return stream_games(ids, parse_presentation(wish))


def parse_presentation(wish: dict[str, Any]) -> Presentation:
    """Return what a request wants shown beside the actions."""
    return Presentation(**{name: wish[name] for name in TOGGLES})


def list_tournament_ids(found: dict[str, Any]) -> list[str]:
    """The ids of a tournament's games that count, after the one that `after` names."""
    for name in FILTERS:
        if name in found:
            raise BadParameter(name, "a tournament is exported whole")
    state = public(get_service().tournaments.load(found["tournament"]))
    ids = [p.game for round in state.rounds for p in round.pairings if p.game is not None]
    return slice_behind(found.get("after"), ids)


def slice_behind(after: str | None, ids: list[str]) -> list[str]:
    """Return the ids after `after`; raises BadValue if the list does not contain it."""
    if after is None:
        return ids
    if after not in ids:
        raise BadValue("after", "one of the ids")
    return ids[ids.index(after) + 1 :]


def check_known(after: str | None) -> str | None:
    """The id of a game in the lists, or None; raises BadValue for any other."""
    if after is not None and get_service().search.summaries([after]) == [None]:
        raise BadValue("after", "the id of a game that an export has given")
    return after


def iterate_found_ids(query: Query, after: str | None) -> Iterator[str]:
    """The ids of the matching games, after the one that `after` names."""
    return get_service().search.ids(query, after)


def stream_games(ids: Iterable[str], shown: Presentation) -> Response:
    """The answer that sends these games."""
    kind = choose_media_type(*WRITERS)
    if kind == PARQUET:
        check_parquet()
    known = find_bearer()
    actor = known.actor if known else None
    headers = {"Vary": "Accept", LAG: str(get_service().lag.events())}
    body = stream_with_context(WRITERS[kind](ids, shown, actor))
    return Response(body, headers=headers, mimetype=kind)


def iterate_seats(games: Iterable[GameState]) -> Iterator[str | None]:
    """The players of all these games."""
    return chain.from_iterable(game.seats for game in games)


def write_records(ids: Iterable[str], shown: Presentation, actor: Actor | None) -> Iterator[bytes]:
    """The games as records, separated by empty lines, a batch at a time."""
    separator = b""
    for texts in get_service().signed_records.write(ids, shown, actor):
        if texts:
            yield separator + b"\n".join(texts)
            separator = b"\n"


def write_lines(ids: Iterable[str], shown: Presentation, actor: Actor | None) -> Iterator[str]:
    """The games as lines of JSON, as `/games/{id}` has them, a batch at a time."""
    for states in iterate_states(ids):
        people = chain.from_iterable(map(list_people, states))
        names = get_service().namesakes.shown(people)
        views = (view(state, names, shown, viewer(state, actor)) for state in states)
        yield "".join(map(write_ndjson_line, views))


def write_table(ids: Iterable[str], shown: Presentation, actor: Actor | None) -> Iterator[bytes]:
    """The games as a Parquet file, a row group at a time."""
    return write_parquet(iterate_rows(ids, shown, actor))


def iterate_rows(ids: Iterable[str], shown: Presentation, actor: Actor | None) -> Iterator[Row]:
    """The games as rows of a table, a batch at a time."""
    for states in iterate_states(ids):
        names = get_service().players.names(iterate_seats(states))
        listed = get_service().search.summaries([state.id for state in states])
        for state, known in zip(states, listed, strict=True):
            seen = viewer(state, actor)
            told = get_service().records.presented(state, shown, seen)
            # The lists may know an earlier version of the game, or another end of it.
            named = known is not None and known.version == state.version
            yield make_row(told, names, seen, known.opening if known and named else None)


def iterate_states(ids: Iterable[str]) -> Iterator[list[GameState]]:
    """The existing games in their current state, a batch at a time."""
    for batch in split(ids, BATCH):
        read = zip(batch, get_service().games.read_each(batch), strict=True)
        yield [state for id, recorded in read if (state := fold(id, recorded))]


def view(
    state: GameState, names: Mapping[str, ShownName], shown: Presentation, seen: Viewer
) -> dict[str, Any]:
    """One game as JSON."""
    return render_game(get_service().records.presented(state, shown, seen), names, seen)


WRITERS: Final[dict[str, Callable[..., Iterator[str] | Iterator[bytes]]]] = {
    PGN: write_records,
    NDJSON: write_lines,
    PARQUET: write_table,
}
"""The function that writes the games, by media type."""
