"""Checks a game's events against the rules of today: each at the right time, each action legal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.errors import EngineError
from notation.errors import NotationError, RecordError
from notation.reader import read_game
from service.game import events
from service.game.evolve import evolve
from service.game.state import GameState
from service.log.values import Event, Recorded
from service.verification.disclosing import insert_disclosures
from service.verification.errors import Location, Wrong
from service.verification.event_checks import check, check_end

ENDINGS: Final = (events.RecordImported, events.GameEnded, events.ResultCorrected)


def replay(id: str, entries: Sequence[Recorded]) -> GameState:
    """The state that these events of a game lead to.

    Raises Wrong for the first event that the rules do not allow, with version and ply. Secret
    choices that are disclosed at the end are known from the start.
    """
    state: GameState | None = None
    for entry in insert_disclosures(entries):
        try:
            check(entry.event, state)
            state = evolve(state, id, entry)
            check_imported(entry.event, state)
        except (Wrong, NotationError, EngineError, ValueError) as why:
            raise make_wrong(why, entry, state) from why
    if state is None:
        raise Wrong("a game without any event")
    endings = [entry.version for entry in entries if isinstance(entry.event, ENDINGS)]
    last = endings[-1] if endings and state.ending is not None else state.version
    check_end(state, Location(event=last, ply=len(state.played) or None))
    return state


def make_wrong(why: Exception, entry: Recorded, state: GameState | None) -> Wrong:
    """Make the error that names what is wrong with an event, and where."""
    ply = why.ply if isinstance(why, RecordError) else None
    if isinstance(entry.event, events.ActionEvent):
        ply = len(state.played) + 1 if state else None
    reason = why.reason if isinstance(why, RecordError | Wrong) else str(why)
    return Wrong(reason, Location(event=entry.version, ply=ply))


def check_imported(event: Event, state: GameState) -> None:
    """Raise Wrong unless the texts of an imported record agree on one game and its end."""
    if isinstance(event, events.RecordImported):
        stated = read_game(event.text).result
        if stated != event.result:
            raise Wrong(f"the result is {event.result}, the record says {stated}")
        coordinates = event.actions.split(" ") if event.actions else []
        for ply, (played, token) in enumerate(zip(state.played, coordinates, strict=False), 1):
            if played.coordinate != token:
                raise Wrong(f"ply {ply}: {token} is not {played.san}")
        if len(coordinates) != len(state.played):
            raise Wrong(f"{len(coordinates)} actions where the record has {len(state.played)}")
