"""Commands to a game. Their text is what the client sent; `decide` checks it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.side import Side
from service.log.declarations import command


@command
class Command:
    """Base of the commands."""


@command
class CreateGame(Command):
    """Set up a game. `first` and `second` are player ids, None for a seat left open.

    `secret_choice` says how secret choices are handled, None for the game's usual way.
    `time_control` is that of the game's clocks, as in PGN's `TimeControl` tag; None for no clocks.
    The other terms are those of `service.game.terms`. `rated` is None for the default. `ply_limit`
    and `draw_by_points` become tags; None leaves them to the given `tags`.
    """

    variant: str
    mode: str
    first: str | None
    second: str | None
    tags: Mapping[str, str] = field(default_factory=dict)
    fen: str | None = None
    secret_choice: str | None = None
    time_control: str | None = None
    rated: bool | None = None
    ply_limit: int | None = None
    draw_by_points: bool | None = None
    visibility: str = "public"
    expires_after: int | None = None
    no_show: int | None = None


@command
class AcceptChallenge(Command):
    """Take the seat of the challenged player."""


@command
class DeclineChallenge(Command):
    """Refuse a challenge."""


@command
class WithdrawChallenge(Command):
    """Withdraw the actor's own challenge."""


@command
class ExpireChallenge(Command):
    """End a challenge that has expired; sent by the service itself."""


@command
class BeginGame(Command):
    """Begin a prepared game whose round is ready."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """The glyphs, comments and clocks of an action; clocks are in milliseconds."""

    nags: tuple[int, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    clock: int | None = None
    elapsed: int | None = None


NO_ANNOTATION = Annotation()


@command
class PlayAction(Command):
    """Play the action that `token` denotes, in coordinate form or SAN.

    In a game with clocks, `received` is when the request arrived (milliseconds since 1970 UTC; None
    for now), and `lag` is how many milliseconds it took to arrive, as measured by its client.
    """

    token: str
    annotation: Annotation = NO_ANNOTATION
    received: int | None = None
    lag: int = 0


@command
class AnnotateAction(Command):
    """Replace the annotation of the action at `ply`.

    `variations` are movetexts without parentheses around them; None leaves the present ones.
    """

    ply: int
    annotation: Annotation
    variations: tuple[str, ...] | None = None


@command
class AnnotatorCommand(Command):
    """A command about who may annotate the game besides its players.

    `player` is an id. A client may give the `name` instead, which the entry point looks up.
    """

    player: str | None = None
    name: str | None = None


@command
class AdmitAnnotator(AnnotatorCommand):
    """Let somebody annotate the game."""


@command
class WithdrawAnnotator(AnnotatorCommand):
    """No longer let somebody annotate the game."""


@command
class SideCommand(Command):
    """A command of one side; `side` is needed only from an actor who may act for both."""

    side: Side | None = None


@command
class Choose(SideCommand):
    """Make a side's secret choice; `nonce` keeps the commitment from being guessed."""

    choice: str
    nonce: str


@command
class OfferDraw(SideCommand):
    """Offer a draw."""


@command
class AcceptDraw(SideCommand):
    """Agree to the draw the other side offered."""


@command
class DeclineDraw(SideCommand):
    """Refuse the draw the other side offered."""


@command
class Resign(SideCommand):
    """Resign the game."""


@command
class AbortGame(Command):
    """Call the game off before its first action."""


@command
class OfferRetraction(SideCommand):
    """Ask the other side to take back the last `plies` actions."""

    plies: int


@command
class AcceptRetraction(SideCommand):
    """Agree to the retraction the other side asked for."""


@command
class DeclineRetraction(SideCommand):
    """Refuse the retraction the other side asked for."""


@command
class RulingCommand(Command):
    """A command by which an arbiter, or the scribe, rules on a game."""


@command
class Retract(RulingCommand):
    """Take back the last `plies` actions, by order of an arbiter or the scribe."""

    plies: int


@command
class Adjudicate(RulingCommand):
    """An arbiter ends the game with this result."""

    result: str
    termination: str


@command
class LoseOnTime(RulingCommand):
    """End the game by an arbiter's finding that `side` has run out of time."""

    side: Side


@command
class SetClocks(RulingCommand):
    """An arbiter sets both sides' clocks to these milliseconds."""

    first: int
    second: int
    reason: str


@command
class FlagFall(Command):
    """End the game if the flag of the running clock has fallen; sent by the service itself."""


@command
class ForfeitNoShow(Command):
    """End the game if a player has not come within the terms' time; sent by the service."""


@command
class CloseGame(RulingCommand):
    """End a game that will not be finished; it has no result."""


@command
class CorrectResult(RulingCommand):
    """An arbiter replaces an ended game's result."""

    result: str
    termination: str
    reason: str


@command
class ReopenGame(RulingCommand):
    """Withdraw the end of a game, by an arbiter's or scribe's order; play goes on (Ruling R35)."""

    reason: str


@command
class ScoreGame(Command):
    """Record the score that a worker computed for the ended game at `version`."""

    version: int
    result: str
    termination: str | None
    points: tuple[int, int] | None


@command
class ImportRecord(Command):
    """Import a whole game from a record (`service.game.importing.import_command` makes it)."""

    variant: str
    first: str | None
    second: str | None
    tags: Mapping[str, str]
    text: str
    actions: str
    result: str
    fen: str | None = None
