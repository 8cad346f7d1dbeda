"""What can have happened to a tournament. Fields are JSON values; stored names never change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from service.log.declarations import event
from service.log.values import Event


@event("tournament-created/1")
class TournamentCreated(Event):
    """A tournament was set up, under rules agreed for all of it.

    `name` is the Event tag of its games, `tags` are their further tags (PlyLimit and so on),
    `infiltrators` is how they deal with secret choices. `scoring` is a scoring scheme with its name
    and version, `order` the terms that rank the standings, `edition` the tie-break regulations,
    `rounds` the number planned for a Swiss, `cycles` how often everybody meets everybody in a round
    robin, `knockout` how a tie is decided. `first_round_first` is the draw of lots: the top seed
    has the first side in round 1.
    """

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


@event("tournament-created/2")
class TournamentSetUp(TournamentCreated):
    """A tournament was set up; all its games begin in the position `fen`, if there is one."""

    fen: str | None = None


@event("tournament-created/3")
class TournamentOnTerms(TournamentSetUp):
    """A tournament was set up whose games are played on these terms.

    `time_control` is that of their clocks, `rated` whether they count for ratings, and `no_show`
    the milliseconds after which an absent player loses (`service.game.terms`).
    """

    time_control: str | None = None
    rated: bool = True
    no_show: int | None = None


@event("tournament-created/4")
class TournamentAtVenue(TournamentOnTerms):
    """A tournament was set up with its place and dates.

    If it is held `over_the_board`, the service has only those of its games that join it, and its
    results are typed in. `starts_on` and `ends_on` are days, as `2030-01-31`.
    """

    over_the_board: bool = False
    starts_on: str | None = None
    ends_on: str | None = None


@event("arbiter-appointed/1")
class ArbiterAppointed(Event):
    """`player` may rule on the tournament as its creator does."""

    player: str


@event("arbiter-dismissed/1")
class ArbiterDismissed(Event):
    """`player` may no longer rule on the tournament."""

    player: str


@event("player-entered/1")
class PlayerEntered(Event):
    """`player` plays from `round` on, for the first time or again after a withdrawal.

    `seed` is the place in the seeding that the arbiter gave; without, the rating decides.
    """

    player: str
    round: int = 1
    rating: int | None = None
    seed: int | None = None


@event("player-withdrawn/1")
class PlayerWithdrawn(Event):
    """`player` is not paired from `round` on."""

    player: str
    round: int


@event("self-entry-opened/1")
class SelfEntryOpened(Event):
    """Players may enter and withdraw by themselves."""


@event("self-entry-closed/1")
class SelfEntryClosed(Event):
    """Only arbiters enter and withdraw players."""


@event("bye-granted/1")
class ByeGranted(Event):
    """`player` sits `round` out; `bye` is `full-bye`, `half-bye` or `zero-bye`."""

    player: str
    round: int
    bye: str


@event("bye-cancelled/1")
class ByeCancelled(Event):
    """`player` plays `round` after all."""

    player: str
    round: int


@event("round-asked/1")
class RoundAsked(Event):
    """An arbiter has requested `round`, to be paired from the tournament as it was at this moment.

    `boards` are the pairings of free pairing, each with `first` and `second`.
    """

    round: int
    boards: tuple[Mapping[str, str], ...] | None = None


@event("round-refused/1")
class RoundRefused(Event):
    """`round` could not be paired and does not exist: `code` and `detail` are a problem's."""

    round: int
    code: str
    detail: str


@event("round-unpaired/1")
class RoundUnpaired(Event):
    """An arbiter has taken the last round back before anything was played in it.

    Its games count for nothing and are closed.
    """

    round: int
    reason: str


@event("round-paired/1")
class RoundPaired(Event):
    """Who meets whom in `round`, and the ids of the games to be created.

    Each of `boards` has `board`, `first`, `second`, and `game` (or no game and a `result`, where
    a player has withdrawn or, with a `reason`, where a report said so). `byes` has `player` and
    `bye` for the pairing-allocated bye.
    """

    round: int
    boards: tuple[Mapping[str, Any], ...]
    byes: tuple[Mapping[str, str], ...] = ()


@event("round-ready/1")
class RoundReady(Event):
    """All games of `round` have been created: from here on everybody is notified of it."""

    round: int


@event("game-joined/1")
class GameJoined(Event):
    """A finished game from elsewhere is the game of this pairing; in free pairing, of a new one."""

    round: int
    board: int
    first: str
    second: str
    game: str


@event("result-tallied/1")
class ResultTallied(Event):
    """A worker has counted a game at its `version`: how it ended, and both sides' game points.

    `result` is the pairing's: `1-0`, `1/2-1/2`, `0-1`, `+/-`, `-/+`, or `*` for a game that was
    closed without one. With `*` and no termination the game was reopened and goes on: what was
    counted before no longer counts (Ruling R35).
    """

    round: int
    board: int
    game: str
    version: int
    result: str
    termination: str | None
    points: tuple[int, int] | None
    plies: int


@event("result-ruled/1")
class ResultRuled(Event):
    """An arbiter's ruling on a pairing: it overrides the game's result until it is lifted.

    `reason` may be empty if the pairing had no result before.
    """

    round: int
    board: int
    result: str
    reason: str
    points: tuple[int, int] | None = None


@event("ruling-lifted/1")
class RulingLifted(Event):
    """The result of the pairing's game counts again."""

    round: int
    board: int
    reason: str


@event("tournament-finished/1")
class TournamentFinished(Event):
    """No more rounds; results may still be corrected."""


@event("tournament-amended/1")
class TournamentAmended(Event):
    """An arbiter has corrected the tournament's own data.

    `changes` has the new values among `name`, `rounds`, `time_control`, `starts_on` and `ends_on`.
    """

    changes: Mapping[str, Any]
    reason: str = ""


@event("entry-corrected/1")
class EntryCorrected(Event):
    """An arbiter has corrected the entry of `player`.

    `changes` has the new values of `rating` and `seed`, and as `player` the player who takes their
    place. Pairing numbers follow the rating if it `renumbers`.
    """

    player: str
    changes: Mapping[str, Any]
    renumbers: bool = True


@event("entry-removed/1")
class EntryRemoved(Event):
    """`player`, who was never paired, is no longer in the tournament."""

    player: str


@event("tournament-cancelled/1")
class TournamentCancelled(Event):
    """The tournament is cancelled before any round of it; its name is free again."""


EVENTS: Final[Mapping[str, type[Event]]] = {
    event.stored_name: event
    for event in (
        TournamentCreated,
        TournamentSetUp,
        TournamentOnTerms,
        TournamentAtVenue,
        ArbiterAppointed,
        ArbiterDismissed,
        PlayerEntered,
        PlayerWithdrawn,
        SelfEntryOpened,
        SelfEntryClosed,
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
        TournamentAmended,
        EntryCorrected,
        EntryRemoved,
        TournamentCancelled,
    )
}
