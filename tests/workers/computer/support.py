"""Games against the computer, on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from engine.registry import VARIANTS
from engine.side import Side
from notation.registry import find_dialect
from service.composition.service import Service
from service.computer.levels import LEVELS
from service.game.commands import AcceptChallenge, CreateGame, PlayAction
from service.game.events import ActionEvent
from service.game.repository import stream_of
from service.game.state import GameState
from service.game.values import Mode
from service.log.values import Recorded
from service.player.actor import Actor
from service.player.scopes import PLAY
from tests.waiting import eventually
from workers.computer.playing import ComputerGames

ANN = Actor("ann", frozenset({PLAY}))
WEAKEST = LEVELS[0].player


def challenge(
    service: Service, id: str, variant: str = "kerd", by: Actor = ANN, **terms: Any
) -> GameState:
    """Challenge the weakest computer player, which has the second side; nothing is secret.

    In Kerd nobody acts twice in a turn, so actions can be counted.
    """
    secrecy = "none" if VARIANTS[variant].secret_choice else None
    seats = {"first": by.player, "second": WEAKEST, "secret_choice": secrecy} | terms
    command = CreateGame(variant=variant, mode=Mode.CHALLENGE, **seats)
    return service.games.create(id, command, by).state


def begin(
    service: Service, id: str, variant: str = "kerd", by: Actor = ANN, **terms: Any
) -> GameState:
    """Begin a game: a challenge, accepted on the computer's behalf."""
    state = challenge(service, id, variant, by, **terms)
    computer = next(seat for seat in state.seats if seat not in (None, by.player))
    return service.games.execute(
        id, AcceptChallenge(), Actor(str(computer), frozenset({PLAY}))
    ).state


def play_first(service: Service, id: str, by: Actor = ANN) -> GameState:
    """Play the first legal action of Ann, or of another player."""
    state = service.games.load(id)
    token = find_dialect(state.variant).coordinate(state.position.copy().legal()[0])
    return service.games.execute(id, PlayAction(token=token), by).state


def log_of(service: Service, id: str) -> list[Recorded]:
    return service.log.read(stream_of(id))


def list_actions(service: Service, id: str, by: str = WEAKEST) -> list[Recorded]:
    """The actions that a player has played, by default the weakest computer player."""
    return [
        entry
        for entry in log_of(service, id)
        if isinstance(entry.event, ActionEvent) and entry.by == by
    ]


@contextmanager
def playing(service: Service, thinkers: int = 1) -> Iterator[ComputerGames]:
    """Let the computer play in its own thread for the duration of the context."""
    stop, games = Event(), ComputerGames(service, thinkers)
    failed: list[BaseException] = []

    def run() -> None:
        try:
            games.run(stop)
        except BaseException as error:
            failed.append(error)
            raise

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        yield games
    finally:
        stop.set()
        thread.join()
        games.close()
    assert not failed


def await_turn(service: Service, id: str, side: Side = Side.FIRST) -> GameState:
    """Wait until it is a side's turn or the game is over, and return the game."""

    def comes() -> bool:
        state = service.games.load(id)
        return state.to_act is side or state.ending is not None

    eventually(comes, f"it is the turn of {side}")
    return service.games.load(id)
