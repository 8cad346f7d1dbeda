"""What can happen to a game. Fields are JSON values; stored names never change.

A new form of an event gets a new name (`…/2`), and events of the old class stay readable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from service.log.declarations import event
from service.log.values import Event


@event("game-created/1")
class GameCreated(Event):
    """A game was set up; with mode `challenge` it waits for the opponent, with mode `tournament`
    for its round.

    `first` and `second` are player ids; one is None in an open challenge. `tags` are the record's
    tags that do not follow from the game itself; `fen` is the first position where it is not the
    variant's own. `infiltrators` is `sealed`, `unknown` or `none` in a game that has such choices.
    """

    variant: str
    rules: str
    mode: str
    first: str | None
    second: str | None
    tags: Mapping[str, str] = field(default_factory=dict)
    fen: str | None = None
    infiltrators: str | None = None


@event("game-created/2")
class GameSetUp(GameCreated):
    """A game was set up on terms that the first form of the event cannot state.

    `rated` is whether it counts for ratings, `visibility` who can see the challenge
    (`service.game.terms`). `expires_after` is for how many milliseconds the challenge stands, and
    `no_show` is after how many a player who has not come loses; None for ever.
    """

    rated: bool = False
    visibility: str = "public"
    expires_after: int | None = None
    no_show: int | None = None


@event("challenge-accepted/1")
class ChallengeAccepted(Event):
    """The opponent takes the free seat; `player` is the opponent's id."""

    player: str


@event("challenge-declined/1")
class ChallengeDeclined(Event):
    """The opponent will not play."""


@event("challenge-withdrawn/1")
class ChallengeWithdrawn(Event):
    """The challenger takes the challenge back."""


@event("challenge-expired/1")
class ChallengeExpired(Event):
    """Nobody answered the challenge while it stood."""


@event("game-begun/1")
class GameBegun(Event):
    """The tournament's round is ready, and its prepared game begins."""


@event("choice-sealed/1")
class ChoiceSealed(Event):
    """`side` has made its secret choice and published the commitment to it.

    `choice` and `nonce` are private: the log keeps them sealed, beside the stream.
    """

    private = ("choice", "nonce")
    side: int
    commitment: str
    choice: str | None = None
    nonce: str | None = None


@event("choice-disclosed/1")
class ChoiceDisclosed(Event):
    """The game is over and what `side` had chosen is public, so that anyone can check it."""

    side: int
    choice: str
    nonce: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionEvent(Event):
    """What both forms of a played action have: `action` in coordinate form, `san` as in records.

    `ply` counts actions from 1; `nags` and the comments are as in `notation.game.Move`.
    """

    ply: int
    action: str
    san: str
    nags: tuple[int, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@event("action-played/1")
class ActionPlayed(ActionEvent):
    """One legal action in a game without clocks.

    `clock` is what the player has left and `elapsed` what the action took, both in milliseconds,
    as the client states them.
    """

    clock: int | None = None
    elapsed: int | None = None


@event("action-played/2")
class TimedActionPlayed(ActionEvent):
    """One legal action in a game with clocks, all times in milliseconds.

    `received` is when its request arrived, since 1970 UTC. `used` is the time counted since the
    turn began, less the `compensation` for the client's lag; `left` is what the side has left after
    the action.
    """

    received: int
    compensation: int
    used: int
    left: int


@event("time-control-agreed/1")
class TimeControlAgreed(Event):
    """The game is played on clocks; `control` is as in PGN's `TimeControl` tag."""

    control: str


@event("clocks-set/1")
class ClocksSet(Event):
    """The sides now have these milliseconds left; `reason` is the arbiter's."""

    first: int
    second: int
    reason: str


@event("outage-credited/1")
class OutageCredited(Event):
    """The service was down from `begun` to `ended` (milliseconds since 1970 UTC).

    `credited` milliseconds of that are not counted to `side`, whose clock was running.
    """

    side: int
    begun: int
    ended: int
    credited: int


@event("action-annotated/1")
class ActionAnnotated(Event):
    """This annotation replaces the whole annotation of the action at `ply`."""

    ply: int
    nags: tuple[int, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@event("action-annotated/2")
class ActionAnnotatedWhole(ActionAnnotated):
    """This annotation, with its variations, replaces that of the action at `ply`.

    Each of `variations` is the canonical movetext of one line that could have been played in the
    action's place, without parentheses around it. The event's first form leaves the variations as
    they are.
    """

    variations: tuple[str, ...] = ()


@event("annotator-admitted/1")
class AnnotatorAdmitted(Event):
    """`player` may annotate the game."""

    player: str


@event("annotator-withdrawn/1")
class AnnotatorWithdrawn(Event):
    """`player`, who was admitted, may no longer annotate the game."""

    player: str


@event("draw-offered/1")
class DrawOffered(Event):
    """`side` offers a draw; its opponent's next action declines it."""

    side: int


@event("draw-declined/1")
class DrawDeclined(Event):
    """The draw offer is off."""


@event("retraction-offered/1")
class RetractionOffered(Event):
    """`side` requests that the game go back to the position after action `to_ply`."""

    side: int
    to_ply: int


@event("retraction-declined/1")
class RetractionDeclined(Event):
    """The request to retract is off."""


@event("actions-retracted/1")
class ActionsRetracted(Event):
    """The actions after `to_ply` no longer count; what was played stays in the log."""

    to_ply: int


@event("game-ended/1")
class GameEnded(Event):
    """The game is over: `result` is `1-0`, `0-1`, `1/2-1/2` or `*`, with its termination."""

    result: str
    termination: str


@event("result-corrected/1")
class ResultCorrected(Event):
    """An ended game's result is now this one; `reason` is the arbiter's."""

    result: str
    termination: str
    reason: str


@event("game-reopened/1")
class GameReopened(Event):
    """The game's end is withdrawn and the game goes on; `reason` is the arbiter's (Ruling R35)."""

    reason: str


@event("game-scored/1")
class GameScored(Event):
    """A worker has replayed the ended game: its result and both sides' points."""

    result: str
    termination: str | None
    points: tuple[int, int] | None


@event("record-imported/1")
class RecordImported(Event):
    """A whole game was imported as a record, in one event however long it is.

    `text` is the canonical movetext, `actions` the same in coordinate form separated by blanks.
    """

    variant: str
    rules: str
    first: str | None
    second: str | None
    tags: Mapping[str, str]
    text: str
    actions: str
    result: str
    fen: str | None = None


EVENTS: Final[Mapping[str, type[Event]]] = {
    event.stored_name: event
    for event in (
        GameCreated,
        GameSetUp,
        ChallengeAccepted,
        ChallengeDeclined,
        ChallengeWithdrawn,
        ChallengeExpired,
        GameBegun,
        ChoiceSealed,
        ChoiceDisclosed,
        ActionPlayed,
        TimedActionPlayed,
        TimeControlAgreed,
        ClocksSet,
        OutageCredited,
        ActionAnnotated,
        ActionAnnotatedWhole,
        AnnotatorAdmitted,
        AnnotatorWithdrawn,
        DrawOffered,
        DrawDeclined,
        RetractionOffered,
        RetractionDeclined,
        ActionsRetracted,
        GameEnded,
        ResultCorrected,
        GameReopened,
        GameScored,
        RecordImported,
    )
}


BESIDE_BOARD: Final = frozenset(
    kind.stored_name
    for kind in (
        *(ActionAnnotated, ActionAnnotatedWhole, AnnotatorAdmitted, AnnotatorWithdrawn),
        *(DrawOffered, DrawDeclined, RetractionOffered, RetractionDeclined),
        *(ClocksSet, OutageCredited),
    )
)
"""The stored names of events of a running game that change neither its position nor the turn."""
