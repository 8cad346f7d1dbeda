"""`/api/v1/export`: any number of games in one stream, as records or as JSON.

Games come a batch at a time and go out as the client reads: memory does not grow with the export,
and a slow client slows nothing but its own. What breaks off is taken up again with `after`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import islice

from flask import Blueprint, Response, stream_with_context

from service.api import bodies
from service.api.answers import NDJSON, PGN, ndjson_line, wanted
from service.api.context import bearer, service
from service.api.queries import PARAMETERS, query_of
from service.api.schemas import ExportSchema
from service.api.search import LAG
from service.api.views import game_view
from service.errors import BadValue, NotFound
from service.export import signed_record
from service.game.commands import Actor
from service.game.presentation import Presentation, presented
from service.game.record import record
from service.game.redaction import viewer
from service.game.state import GameState, fold
from service.projection.query import Query

exports = Blueprint("exports", __name__, url_prefix="/api/v1")

EXPORT = ExportSchema()
TOGGLES = tuple(field.name for field in fields(Presentation))
SWITCH = {"true": True, "false": False}
BATCH = 50
"""How many games are held at once."""


@exports.get("/export")
def export() -> Response:
    """Every game that fits a search, newest first."""
    found = bodies.parameters(*PARAMETERS, *TOGGLES, "after")
    query = query_of(found)
    shown = presentation(found)
    return streamed(ids_found(query, cursor_behind(found.get("after"))), shown)


@exports.post("/export")
def export_these() -> Response:
    """The games of a list of ids, in its order."""
    wish = bodies.body(EXPORT)
    ids = list(dict.fromkeys(wish["ids"]))
    for id, game in zip(ids, service().search.summaries(ids), strict=True):
        # One that is too new for the lists may be in the log.
        if game is None and not service().games.read(id, limit=1):
            raise NotFound("game", id)
    after = wish["after"]
    if after is not None:
        if after not in ids:
            raise BadValue("after", "one of the ids")
        ids = ids[ids.index(after) + 1 :]
    return streamed(ids, Presentation(**{name: wish[name] for name in TOGGLES}))


def presentation(found: dict[str, str]) -> Presentation:
    """What the parameters say is to be shown; raises BadParameter."""
    chosen = {name: bodies.choice(found, name, SWITCH) for name in TOGGLES}
    return Presentation(**{name: SWITCH[text] for name, text in chosen.items() if text is not None})


def cursor_behind(after: str | None) -> str | None:
    """Where the list goes on behind a game; raises BadValue for one that it does not know."""
    if after is None:
        return None
    (game,) = service().search.summaries([after])
    if game is None:
        raise BadValue("after", "the id of a game that an export has given")
    return game.member


def ids_found(query: Query, cursor: str | None) -> Iterator[str]:
    """The ids of the games that fit."""
    return (game.id for game in service().search.all(query, cursor))


def streamed(ids: Iterable[str], shown: Presentation) -> Response:
    """The answer that sends these games."""
    kind = wanted(PGN, NDJSON)
    known = bearer()
    actor = known.actor if known else None
    games = (game for batch in batches(ids) for game in loaded(batch))
    write = records if kind == PGN else lines
    headers = {"Vary": "Accept", LAG: str(service().lag.events())}
    body = stream_with_context(write(games, shown, actor))
    return Response(body, headers=headers, mimetype=kind)


def batches(ids: Iterable[str]) -> Iterator[list[str]]:
    """The ids in lists of BATCH."""
    left = iter(ids)
    while batch := list(islice(left, BATCH)):
        yield batch


Named = tuple[GameState, dict[str, str]]


def loaded(ids: list[str]) -> Iterator[Named]:
    """The games of a batch with their players' names.

    They are folded beside the cache of games, which is for those that are played.
    """
    games = service().games
    states = [state for id in ids if (state := fold(id, games.read(id))) is not None]
    names = service().players.names(player for state in states for player in state.seats)
    return ((state, names) for state in states)


def records(games: Iterable[Named], shown: Presentation, actor: Actor | None) -> Iterator[str]:
    """Each game as a record, with an empty line between two."""
    separator = ""
    for state, names in games:
        game = record(presented(state, shown), names, viewer(state, actor))
        yield separator + signed_record(game, service().signer)
        separator = "\n"


def lines(games: Iterable[Named], shown: Presentation, actor: Actor | None) -> Iterator[str]:
    """Each game as a line of JSON, as `/games/{id}` has it."""
    for state, names in games:
        yield ndjson_line(game_view(presented(state, shown), names, viewer(state, actor)))
