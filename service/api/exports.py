"""`/api/v1/export`: any number of games in one stream, as records or as JSON.

Games come a batch at a time and go out as the client reads: memory does not grow with the export,
and a slow client slows nothing but its own. What breaks off is taken up again with `after`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain, islice

from flask import Blueprint, Response, stream_with_context

from service.api import bodies
from service.api.answers import NDJSON, PGN, ndjson_line, wanted
from service.api.context import bearer, service
from service.api.queries import PARAMETERS, query_of
from service.api.schemas import ExportSchema
from service.api.search import LAG
from service.api.views import game_view
from service.errors import BadValue, NotFound
from service.export import Unsigned, as_taken_in, written
from service.game.commands import Actor
from service.game.events import GameScored, RecordImported
from service.game.presentation import WHOLE, Presentation, presented
from service.game.record import record, tags_taken_in
from service.game.redaction import Viewer, viewer
from service.game.state import GameState, fold
from service.log.values import Recorded
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
    return service().search.ids(query, cursor)


def streamed(ids: Iterable[str], shown: Presentation) -> Response:
    """The answer that sends these games."""
    kind = wanted(PGN, NDJSON)
    known = bearer()
    actor = known.actor if known else None
    write = records if kind == PGN else lines
    headers = {"Vary": "Accept", LAG: str(service().lag.events())}
    body = stream_with_context(write(ids, shown, actor))
    return Response(body, headers=headers, mimetype=kind)


def batches(ids: Iterable[str]) -> Iterator[list[str]]:
    """The ids in lists of BATCH."""
    left = iter(ids)
    while batch := list(islice(left, BATCH)):
        yield batch


def read_all(ids: Iterable[str]) -> Iterator[list[tuple[str, list[Recorded]]]]:
    """The games' events, batch by batch; what is no game is passed over.

    They are read beside the cache of games, which is for those that are played.
    """
    read = service().games.read_each
    for batch in batches(ids):
        read_now = zip(batch, read(batch), strict=True)
        if found := [(id, recorded) for id, recorded in read_now if recorded]:
            yield found


def folded(id: str, recorded: list[Recorded]) -> GameState:
    """The state of a game of which there is an event."""
    state = fold(id, recorded)
    assert state is not None
    return state


def named(seats: Iterable[Sequence[str | None]]) -> dict[str, str]:
    """The names of all players of these games."""
    return service().players.names(chain.from_iterable(seats))


@dataclass(frozen=True, slots=True)
class TakenIn:
    """A record that nobody has changed since it was taken in: it is written as it came.

    Its game has ended and has no secrets, so that everybody may be shown all of it.
    """

    id: str
    entry: Recorded
    event: RecordImported

    @property
    def seats(self) -> Sequence[str | None]:
        """The players' ids."""
        return self.event.first, self.event.second

    def written(self, names: Mapping[str, str]) -> Unsigned:
        """It as a record."""
        tags = tags_taken_in(self.event, self.entry, self.id, names)
        return as_taken_in(self.event.variant, tags, self.event.text)


@dataclass(frozen=True, slots=True)
class Folded:
    """Any other game, as a viewer may know it."""

    state: GameState
    viewer: Viewer

    @property
    def seats(self) -> Sequence[str | None]:
        """The players' ids."""
        return self.state.seats

    def written(self, names: Mapping[str, str]) -> Unsigned:
        """It as a record."""
        return written(record(self.state, names, self.viewer))


def source(
    id: str, recorded: list[Recorded], shown: Presentation, actor: Actor | None
) -> TakenIn | Folded:
    """How to write a game most cheaply."""
    first, *later = recorded
    event = first.event
    if isinstance(event, RecordImported) and shown == WHOLE and not any(map(changes, later)):
        return TakenIn(id, first, event)
    state = folded(id, recorded)
    return Folded(presented(state, shown), viewer(state, actor))


def changes(entry: Recorded) -> bool:
    """Whether an event makes another record of the game."""
    return not isinstance(entry.event, GameScored)


def records(ids: Iterable[str], shown: Presentation, actor: Actor | None) -> Iterator[str]:
    """The games as records, with an empty line between two, a batch at a time."""
    separator = ""
    for batch in read_all(ids):
        sources = [source(id, recorded, shown, actor) for id, recorded in batch]
        names = named(one.seats for one in sources)
        unsigned = [one.written(names) for one in sources]
        signatures = service().signatures.of_records([one.hash for one in unsigned])
        texts = [one.signed(by) for one, by in zip(unsigned, signatures, strict=True)]
        yield separator + "\n".join(texts)
        separator = "\n"


def lines(ids: Iterable[str], shown: Presentation, actor: Actor | None) -> Iterator[str]:
    """The games as lines of JSON, as `/games/{id}` has them, a batch at a time."""
    for batch in read_all(ids):
        states = [folded(id, recorded) for id, recorded in batch]
        names = named(state.seats for state in states)
        shown_states = (presented(state, shown) for state in states)
        views = (game_view(state, names, viewer(state, actor)) for state in shown_states)
        yield "".join(map(ndjson_line, views))
