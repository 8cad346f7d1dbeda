"""What can have happened to a tournament. Fields are JSON values; stored names never change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from service.log.values import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentCreated(Event):
    """A tournament was set up, under rules agreed for all of it.

    `name` is the Event tag of its games, `tags` are their further tags (PlyLimit and so on),
    `infiltrators` is how they deal with secret choices. `scoring` is a scoring scheme with its name
    and version, `order` the terms that rank the standings, `edition` the tie-break regulations,
    `rounds` how many are planned of a Swiss, `cycles` how often everybody meets everybody in a
    round robin, `knockout` how a tie is decided. `first_round_first` is the draw of lots: the
    top seed has the first side in round 1.
    """

    stored_name = "tournament-created/1"
    name: str
    variant: str
    kind: str
    scoring: Mapping[str, Any]
    order: tuple[str, ...]
    edition: str
    rounds: int | None = None
    cycles: int = 1
    knockout: Mapping[str, Any] = field(default_factory=dict)
    first_round_first: bool = True
    tags: Mapping[str, str] = field(default_factory=dict)
    infiltrators: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentSetUp(TournamentCreated):
    """A tournament was set up; all its games begin in the position `fen`, where there is one."""

    stored_name = "tournament-created/2"
    fen: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArbiterAppointed(Event):
    """`player` may rule on the tournament as its creator does."""

    stored_name = "arbiter-appointed/1"
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArbiterDismissed(Event):
    """`player` may no longer rule on the tournament."""

    stored_name = "arbiter-dismissed/1"
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerEntered(Event):
    """`player` plays from `round` on, for the first time or again after a withdrawal.

    `seed` is the place in the seeding that the arbiter gave; without, the rating decides.
    """

    stored_name = "player-entered/1"
    player: str
    round: int = 1
    rating: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerWithdrawn(Event):
    """`player` is not paired from `round` on."""

    stored_name = "player-withdrawn/1"
    player: str
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ByeGranted(Event):
    """`player` sits `round` out; `bye` is `full-bye`, `half-bye` or `zero-bye`."""

    stored_name = "bye-granted/1"
    player: str
    round: int
    bye: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ByeCancelled(Event):
    """`player` plays `round` after all."""

    stored_name = "bye-cancelled/1"
    player: str
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundAsked(Event):
    """An arbiter has asked for `round`, to be paired by what the tournament was at this moment.

    `boards` are the pairings of free pairing, each with `first` and `second`.
    """

    stored_name = "round-asked/1"
    round: int
    boards: tuple[Mapping[str, str], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRefused(Event):
    """`round` could not be paired, and there is none: `code` and `detail` are a problem's."""

    stored_name = "round-refused/1"
    round: int
    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundUnpaired(Event):
    """An arbiter has taken the last round back before anything was played in it.

    Its games count for nothing and are closed.
    """

    stored_name = "round-unpaired/1"
    round: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPaired(Event):
    """Who meets whom in `round`, and the ids of the games that are to be made.

    Each of `boards` has `board`, `first`, `second`, and `game` (or no game and a `result`, where
    a player has withdrawn or, with a `reason`, where a report said so). `byes` has `player` and
    `bye` for the pairing-allocated bye.
    """

    stored_name = "round-paired/1"
    round: int
    boards: tuple[Mapping[str, Any], ...]
    byes: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundReady(Event):
    """All games of `round` have been made: from here on everybody is told of it."""

    stored_name = "round-ready/1"
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GameJoined(Event):
    """A finished game from elsewhere is the one of this pairing; in free pairing, a new one."""

    stored_name = "game-joined/1"
    round: int
    board: int
    first: str
    second: str
    game: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTallied(Event):
    """A worker has counted a game at its `version`: how it ended, and both sides' game points.

    `result` is the pairing's: `1-0`, `1/2-1/2`, `0-1`, `+/-`, `-/+`, or `*` for a game that was
    closed without one. With `*` and no termination the game was reopened and goes on: what was
    counted of it before counts no more (Ruling R35).
    """

    stored_name = "result-tallied/1"
    round: int
    board: int
    game: str
    version: int
    result: str
    termination: str | None
    points: tuple[int, int] | None
    plies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRuled(Event):
    """An arbiter's ruling on a pairing: it stands over what its game says until it is lifted."""

    stored_name = "result-ruled/1"
    round: int
    board: int
    result: str
    reason: str
    points: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingLifted(Event):
    """What the pairing's game says counts again."""

    stored_name = "ruling-lifted/1"
    round: int
    board: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentFinished(Event):
    """No more rounds; results may still be corrected."""

    stored_name = "tournament-finished/1"


EVENTS: Final[Mapping[str, type[Event]]] = {
    event.stored_name: event
    for event in (
        TournamentCreated,
        TournamentSetUp,
        ArbiterAppointed,
        ArbiterDismissed,
        PlayerEntered,
        PlayerWithdrawn,
        ByeGranted,
        ByeCancelled,
        RoundAsked,
        RoundRefused,
        RoundPaired,
        RoundReady,
        RoundUnpaired,
        GameJoined,
        ResultTallied,
        ResultRuled,
        RulingLifted,
        TournamentFinished,
    )
}
