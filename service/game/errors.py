"""What a game refuses, besides the errors of `service.errors` that any entity may raise.

ServiceError
├── BadValue
│   ├── ContradictoryTerms   terms that cannot hold together               contradictory-terms
│   └── ComputerIsCasual     a rated game against the computer              computer-is-casual
├── ClockStated              times stated where the service keeps them       clock-stated
├── ReservedCommand          a comment states what the service itself writes   reserved-command
├── UnreadableVariation      a variation that is not a movetext                bad-variation
├── IllegalVariation         a variation with an illegal action            illegal-variation
├── AnnotationTooLarge       more than an annotation or a game can hold     annotation-too-large
├── TooManyChallenges        as many of one player's stand as may stand     too-many-challenges
├── Forbidden
│   ├── NotASeat             the actor plays neither side                  not-a-seat
│   ├── NotTheOwner          only the game's owner may do this             not-the-owner
│   └── NotTheOpponent       only the other side may answer                not-the-opponent
├── QuotaUsed
│   └── AnnotationQuotaUsed  a player has annotated as much as a day allows   annotation-quota-used
└── WrongState
    ├── NotYourTurn          the other side is to act                      not-your-turn
    ├── NotRunning           the game is over or has not begun             not-running
    ├── StillPlayed          notes on a game that is still being played    still-played
    ├── NotAdmitted          somebody who was not admitted to annotate    not-admitted
    ├── TooManyAnnotators    the game has as many as it can have          too-many-annotators
    ├── NotOffered           the challenge is no longer open               not-offered
    ├── NotChoosing          no secret choice can be made now            not-choosing
    ├── AlreadyChosen        the side has made its secret choice           already-chosen
    ├── NotFinished          only an ended game is corrected or reopened   not-finished
    ├── CannotReopen         an ended game that stays ended; says why      cannot-reopen
    ├── CannotAbort          a game that nobody can call off; says why      cannot-abort
    ├── CannotRematch        a game that has no rematch; says why         cannot-rematch
    ├── StillDecided         reopened, and over by the rules as it stands  still-decided
    ├── NothingOffered       no such offer to answer                       nothing-offered
    ├── AlreadyOffered       the same offer already stands                 already-offered
    ├── NothingToRetract     fewer actions were played than to retract     nothing-to-retract
    ├── TimeIsUp             a flag has fallen; the game is about to end     time-is-up
    └── NoClocks             the game is played without clocks               no-clocks
"""

from __future__ import annotations

from engine.phrase import Say, phrase, translate
from service.errors import BadValue, Forbidden, QuotaUsed, ServiceError, WrongState


class ContradictoryTerms(BadValue):
    """A term that contradicts the others; `field` names it."""

    code = "contradictory-terms"


class ComputerIsCasual(BadValue):
    """A rated game in which the computer would play; `field` names what requests it."""

    code = "computer-is-casual"


class TooManyChallenges(ServiceError):
    """As many challenges of one player stand as may stand at once."""

    code = "too-many-challenges"
    message = "{limit} of your challenges wait for an answer; wait for one of them, or withdraw one"
    limit: int


class ClockStated(ServiceError):
    """A client states times in a game whose clocks the service keeps."""

    code = "clock-stated"
    message = "the service keeps this game's clocks: leave clock_ms and elapsed_ms out"


class ReservedCommand(ServiceError):
    """An annotation states by the command `name` what only the service or the players state."""

    code = "reserved-command"
    message = "an annotation cannot add or change [%{name}]: leave it out"
    name: str


class UnreadableVariation(ServiceError):
    """A variation that is not a movetext: its `number` from 1, the `column`, the `reason`."""

    code = "bad-variation"
    message = "variation {variation}: {reason}"
    variation: int
    reason: str
    column: int | None = None


class IllegalVariation(ServiceError):
    """A variation with an illegal action; `ply` is the action's number in the game.

    `nearest` are the legal actions most like the `token`, in SAN.
    """

    code = "illegal-variation"
    variation: int
    reason: str
    column: int | None
    ply: int
    token: str
    nearest: tuple[str, ...] = ()

    def describe(self, say: Say) -> str:
        text = say("variation {variation}, ply {ply}: {reason}")
        reason = say(self.reason) if type(self.reason) is str else translate(self.reason, say)
        said = text.format(variation=self.variation, ply=self.ply, reason=reason)
        hint = phrase("; nearest: {actions}", actions=", ".join(self.nearest))
        return f"{said}{translate(hint, say)}" if self.nearest else said


class AnnotationTooLarge(ServiceError):
    """More of something (`what`) than fits; `limit` is how much does."""

    code = "annotation-too-large"
    message = "{what}: at most {limit}"
    what: str
    limit: int


class AnnotationQuotaUsed(QuotaUsed):
    """A player's annotations would have more than `limit` bytes since midnight UTC."""

    code = "annotation-quota-used"
    message = (
        "a player's annotations may have {limit} bytes a day, and this one would exceed that;"
        " write it after midnight UTC"
    )


class NotASeat(Forbidden):
    """The actor plays neither side of this game."""

    code = "not-a-seat"
    message = "only a player of this game may do this"


class NotTheOwner(Forbidden):
    """Only the owner of the game decides who annotates it."""

    code = "not-the-owner"
    message = "only the game's owner may do this: its players, or whoever entered it"


class NotTheOpponent(Forbidden):
    """Only the other side may answer an offer."""

    code = "not-the-opponent"
    message = "only the other side may answer this"


class NotYourTurn(WrongState):
    """The other side is to act; `side` is its title."""

    code = "not-your-turn"
    message = "it is {side}'s turn"
    side: str


class NotRunning(WrongState):
    """The game has not begun or is over; `status` says which."""

    code = "not-running"
    message = "the game is {status}"
    status: str


class StillPlayed(WrongState):
    """While two players play, each may only comment on their own actions: nobody may help them."""

    code = "still-played"
    message = (
        "the game is still being played: variations, and notes on others' actions, are possible"
        " once it is over"
    )


class NotAdmitted(WrongState):
    """The player was not admitted to annotate the game, or no longer is."""

    code = "not-admitted"
    message = "this player was not admitted to annotate the game"


class TooManyAnnotators(WrongState):
    """The game has as many annotators as it can have; `limit` is that number."""

    code = "too-many-annotators"
    message = "at most {limit} annotators: withdraw one first"
    limit: int


class NotOffered(WrongState):
    """The challenge has already been answered or withdrawn."""

    code = "not-offered"
    message = "the game is {status}; there is no open challenge"
    status: str


class NotChoosing(WrongState):
    """This side has no secret choice to make now."""

    code = "not-choosing"
    message = "no secret choice can be made now"


class AlreadyChosen(WrongState):
    """The side has made its secret choice; it stands."""

    code = "already-chosen"
    message = "this side has made its choice, which cannot be changed"


class NotFinished(WrongState):
    """A game that is not over: it has no result to correct or withdraw, and no last position."""

    code = "not-finished"
    message = "the game is not over; it has no result yet"


class CannotReopen(WrongState):
    """An ended game that nobody can reopen; `reason` says why."""

    code = "cannot-reopen"
    message = "the game cannot be reopened: {reason}"
    reason: str


class CannotAbort(WrongState):
    """A game that its players cannot, or can no longer, call off; `reason` says why."""

    code = "cannot-abort"
    message = "the game cannot be aborted: {reason}"
    reason: str


class CannotRematch(WrongState):
    """A game that cannot have a rematch, at least not yet; `reason` says why."""

    code = "cannot-rematch"
    message = "there is no rematch of this game: {reason}"
    reason: str


class StillDecided(WrongState):
    """The rules have ended the reopened game as it stands: something has to be retracted first."""

    code = "still-decided"
    message = "the rules have ended the game as it stands: retract the wrong action first"


class NothingOffered(WrongState):
    """No such offer is open."""

    code = "nothing-offered"
    message = "no {offer} has been offered"
    offer: str


class AlreadyOffered(WrongState):
    """The same offer already stands."""

    code = "already-offered"
    message = "a {offer} has already been offered"
    offer: str


class NothingToRetract(WrongState):
    """Fewer actions were played than are to be retracted."""

    code = "nothing-to-retract"
    message = "{asked} actions cannot be retracted; {played} have been played"
    asked: int
    played: int


class TimeIsUp(WrongState):
    """The flag of the running clock has fallen: the game is about to end; `side` is its title."""

    code = "time-is-up"
    message = "{side} has no time left"
    side: str


class NoClocks(WrongState):
    """The game is played without clocks."""

    code = "no-clocks"
    message = "this game is played without clocks"
