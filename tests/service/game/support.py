"""Games in every mode and state, without a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from service.game.commands import AcceptChallenge, Command, CreateGame, PlayAction
from service.game.decide import create, decide
from service.game.evolve import fold
from service.game.state import GameState
from service.game.values import Mode
from service.log.values import Event, Recorded
from service.player.actor import Actor
from service.player.scopes import ADMIN, ARBITER, PLAY

ID = "g" * 16


def player(name: str, *scopes: str) -> Actor:
    return Actor(name, frozenset(scopes or (PLAY,)))


SOUTH = player("south")
NORTH = player("north")
SCRIBE = player("scribe")
STRANGER = player("stranger")
REFEREE = player("referee", ARBITER)
ADMINISTRATOR = player("admin", ADMIN)
MODES = (Mode.CHALLENGE, Mode.SCRIBE, Mode.ARBITER)
CREATORS = {Mode.CHALLENGE: SOUTH, Mode.SCRIBE: SCRIBE, Mode.ARBITER: REFEREE}

YARA = "4/4/4/P3/O3/4/4/4 s 17-0 - 0 1"
"""South captures on a5 and has 18 points."""
YEMUBUS = "4/4/4/3P/P3/4/4/4 s {} - 0 1"
"""South's only piece has to leave the hajat; the points are to be filled in."""
QUIET = "1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1 s 0-0 - 7 5"
"""South may declare Kyan-A-Alka."""
DECLARED = "1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1 n 2-5 - s3 5"
"""North may claim Alka, which South declared."""


class NoTournaments:
    """The organiser of games that belong to no tournament."""

    def ready_at(self, game: GameState) -> int | None:
        raise AssertionError(f"{game.id} was prepared for no round")

    def check_ruling(self, game: GameState, command: Command, actor: Actor) -> None:
        """Allow it: these games have no organiser."""


NO_TOURNAMENTS = NoTournaments()


class Play:
    """A game: all of its events since its creation, and its state."""

    def __init__(self, command: CreateGame, by: Actor) -> None:
        self.log: list[Recorded] = []
        self._state: GameState | None = None
        self._record(create(command, by), by)

    @property
    def state(self) -> GameState:
        assert self._state is not None
        return self._state

    def do(self, command: Command, by: Actor) -> Sequence[Event]:
        """Carry a command out; return its events."""
        made = decide(command, self.state, by)
        self._record(made, by)
        return made

    def play(self, *tokens: str) -> Play:
        """Play actions for whichever side is to act."""
        for token in tokens:
            self.do(PlayAction(token=token), self.mover)
        return self

    @property
    def mover(self) -> Actor:
        """Who plays for the side to act."""
        if self.state.mode is Mode.SCRIBE:
            return SCRIBE
        return (SOUTH, NORTH)[self.state.position.side]

    def _record(self, made: Sequence[Event], by: Actor) -> None:
        first = len(self.log) + 1
        recorded = [Recorded(v, event, 1000 + v, by.player) for v, event in enumerate(made, first)]
        self.log += recorded
        self._state = fold(ID, recorded, self._state)


def new_game(
    mode: Mode,
    *,
    tags: Mapping[str, str] | None = None,
    fen: str | None = None,
    variant: str = "katruji",
) -> CreateGame:
    """The command that creates a game of South against North."""
    return CreateGame(
        variant=variant, mode=mode, first="south", second="north", tags=tags or {}, fen=fen
    )


def offered() -> Play:
    """A challenge from South to North, unanswered."""
    return Play(new_game(Mode.CHALLENGE), SOUTH)


def running(
    mode: Mode = Mode.CHALLENGE,
    *,
    tags: Mapping[str, str] | None = None,
    fen: str | None = None,
    variant: str = "katruji",
) -> Play:
    """A game that waits for its first action."""
    game = Play(new_game(mode, tags=tags, fen=fen, variant=variant), CREATORS[mode])
    if mode is Mode.CHALLENGE:
        game.do(AcceptChallenge(), NORTH)
    return game
