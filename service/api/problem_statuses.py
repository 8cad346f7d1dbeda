"""The status and title of each error over HTTP, in one table by error class.

`problems` answers with it; a test proves it complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine import errors as engine_errors
from notation import errors as notation_errors
from service import errors
from service.accounts import errors as account_errors
from service.analysis.errors import (
    AnalysisOver,
    AnalysisQuotaUsed,
    OwnGameRunning,
    TooManyAnalyses,
)
from service.api import errors as api_errors
from service.game import errors as game_errors
from service.game_feed import errors as feed_errors
from service.imports import errors as import_errors
from service.languages.texts import mark
from service.log import errors as log_errors
from service.mail import errors as mail_errors
from service.player import errors as player_errors
from service.player.names import errors as name_errors
from service.projection import errors as projection_errors
from service.puzzles.errors import AttemptOpen, NoPuzzle, WithdrawnPuzzle
from service.secrets import errors as secret_errors
from service.storage import errors as storage_errors
from service.tournament import errors as tournament_errors
from service.tournament.pairing import errors as pairing_errors
from service.tournament.trf import errors as report_errors
from service.webhooks import errors as webhook_errors

STATUSES: Final[Mapping[type[Exception], tuple[int, str]]] = {
    engine_errors.UnknownVariant: (422, mark("Unknown variant")),
    notation_errors.BadFen: (422, mark("Bad position string")),
    notation_errors.BadCommitment: (422, mark("Bad commitment")),
    notation_errors.BadChoice: (422, mark("Bad choice")),
    notation_errors.BadAnnotation: (422, mark("Bad annotation")),
    notation_errors.BadTimeControl: (422, mark("Bad time control")),
    notation_errors.UnplayableTimeControl: (422, mark("Time control cannot be played")),
    notation_errors.NoCombat: (404, mark("No combat in this game")),
    notation_errors.UnreadableToken: (422, mark("Illegal action")),
    notation_errors.IllegalMove: (422, mark("Illegal action")),
    notation_errors.AmbiguousMove: (422, mark("Ambiguous action")),
    notation_errors.AfterTheEnd: (409, mark("The game is over")),
    feed_errors.UnknownFilter: (400, mark("Unknown filter")),
    feed_errors.BadPosition: (400, mark("Bad position")),
    feed_errors.UnknownPosition: (409, mark("Unknown position")),
    errors.NotFound: (404, mark("Not found")),
    errors.WrongExpectedVersion: (409, mark("Changed meanwhile")),
    errors.KeyReused: (422, mark("Idempotency key reused")),
    errors.BadValue: (422, mark("Bad value")),
    storage_errors.StorageFull: (507, mark("No room")),
    storage_errors.ObjectsAway: (503, mark("The files cannot be reached")),
    projection_errors.BadCursor: (422, mark("Bad cursor")),
    projection_errors.AmbiguousName: (422, mark("Ambiguous name")),
    projection_errors.DatabaseFull: (503, mark("No room for the lists")),
    projection_errors.DatabaseLocked: (503, mark("The lists are locked")),
    projection_errors.DatabaseAway: (503, mark("The lists cannot be reached")),
    projection_errors.DatabaseDamaged: (503, mark("The lists are damaged")),
    projection_errors.NewerDatabase: (503, mark("Written by a newer version")),
    name_errors.ReservedName: (422, mark("Reserved name")),
    name_errors.MixedScripts: (422, mark("Mixed scripts")),
    errors.MissingScope: (403, mark("Not allowed")),
    player_errors.ExceedsToken: (403, mark("Longer than this token")),
    player_errors.LastAdmin: (409, mark("The last admin")),
    player_errors.TooManyTokens: (409, mark("Too many tokens")),
    game_errors.ContradictoryTerms: (422, mark("Contradictory terms")),
    game_errors.ComputerIsCasual: (422, mark("The computer plays casual games only")),
    game_errors.NotASeat: (403, mark("Not a player of this game")),
    game_errors.NotTheOpponent: (403, mark("Not the opponent")),
    game_errors.NotYourTurn: (409, mark("Not your turn")),
    game_errors.NotRunning: (409, mark("The game is not running")),
    game_errors.NotOffered: (409, mark("No challenge is open")),
    game_errors.NotChoosing: (409, mark("Nothing to choose")),
    game_errors.AlreadyChosen: (409, mark("Chosen already")),
    secret_errors.NonceUsed: (422, mark("Nonce used before")),
    game_errors.NotFinished: (409, mark("The game is not over")),
    game_errors.CannotReopen: (409, mark("The game cannot be reopened")),
    game_errors.CannotAbort: (409, mark("The game cannot be aborted")),
    game_errors.CannotRematch: (409, mark("No rematch")),
    game_errors.StillDecided: (409, mark("The rules have ended the game")),
    game_errors.NothingOffered: (409, mark("Nothing is offered")),
    game_errors.AlreadyOffered: (409, mark("Offered already")),
    game_errors.NothingToRetract: (409, mark("Nothing to retract")),
    game_errors.TimeIsUp: (409, mark("No time left")),
    game_errors.NoClocks: (409, mark("A game without clocks")),
    game_errors.ClockStated: (422, mark("The service keeps the clocks")),
    game_errors.ReservedCommand: (422, mark("Reserved command")),
    game_errors.UnreadableVariation: (422, mark("Bad variation")),
    game_errors.IllegalVariation: (422, mark("Illegal variation")),
    game_errors.AnnotationTooLarge: (422, mark("Annotation too large")),
    game_errors.NotTheOwner: (403, mark("Not the owner of this game")),
    game_errors.StillPlayed: (409, mark("The game is still played")),
    game_errors.NotAdmitted: (409, mark("Not admitted")),
    game_errors.TooManyAnnotators: (409, mark("Too many annotators")),
    import_errors.CannotCancel: (409, mark("Nothing to cancel")),
    import_errors.TooManyImports: (429, mark("Too many imports")),
    import_errors.UploadQuotaUsed: (429, mark("Upload quota used")),
    AttemptOpen: (409, mark("The attempt is not over")),
    NoPuzzle: (404, mark("No such puzzle")),
    WithdrawnPuzzle: (404, mark("Puzzle withdrawn")),
    AnalysisOver: (409, mark("Nothing to stop")),
    OwnGameRunning: (409, mark("You still play this game")),
    game_errors.TooManyChallenges: (429, mark("Too many challenges")),
    game_errors.AnnotationQuotaUsed: (429, mark("Annotation quota used")),
    TooManyAnalyses: (429, mark("Too many analyses")),
    AnalysisQuotaUsed: (429, mark("Analysis quota used")),
    webhook_errors.TooManyWebhooks: (409, mark("Too many webhooks")),
    mail_errors.BadAddress: (422, mark("Bad e-mail address")),
    mail_errors.MailUnavailable: (409, mark("No e-mail here")),
    mail_errors.TooManyConfirmations: (429, mark("Too many confirmations")),
    mail_errors.BadLink: (422, mark("Bad link")),
    mail_errors.ExpiredLink: (422, mark("Expired link")),
    account_errors.RegistrationClosed: (403, mark("Registration is closed")),
    account_errors.SignInRefused: (401, mark("Not signed in")),
    account_errors.TooManyTries: (429, mark("Too many tries")),
    account_errors.TooBusy: (429, mark("Too busy")),
    account_errors.WeakPassword: (422, mark("Weak password")),
    account_errors.NameInUse: (409, mark("Name in use")),
    account_errors.LesserSession: (403, mark("Not with this token")),
    account_errors.StaleSession: (403, mark("Sign in again")),
    account_errors.LastWayIn: (409, mark("The last way in")),
    account_errors.BadSignInLink: (422, mark("Bad link")),
    account_errors.AnothersLink: (403, mark("Somebody else's link")),
    account_errors.AddressInUse: (409, mark("Address in use")),
    account_errors.PasskeyRefused: (401, mark("Unknown passkey")),
    account_errors.IdentityRefused: (401, mark("Not signed in")),
    account_errors.IdentityInUse: (409, mark("Connected already")),
    account_errors.IdentityUnavailable: (503, mark("Not reachable")),
    tournament_errors.NotTheArbiter: (403, mark("Not an arbiter of this tournament")),
    tournament_errors.NameTaken: (409, mark("Name taken")),
    tournament_errors.TournamentOver: (409, mark("The tournament is over")),
    tournament_errors.EntriesClosed: (409, mark("Nobody can enter any more")),
    tournament_errors.SelfEntryRefused: (409, mark("Self-entry is closed")),
    tournament_errors.AlreadyEntered: (409, mark("Entered already")),
    tournament_errors.BothEntered: (409, mark("Both are in one tournament")),
    tournament_errors.RoundPending: (409, mark("The round is not ready")),
    tournament_errors.RoundBegun: (409, mark("The round has begun")),
    tournament_errors.RoundsPaired: (409, mark("Rounds are paired")),
    tournament_errors.NothingToRule: (409, mark("No ruling on this board")),
    tournament_errors.CannotJoin: (409, mark("The game cannot count")),
    pairing_errors.NotEntered: (422, mark("Does not play in the round")),
    pairing_errors.SeatedTwice: (422, mark("Seated twice")),
    pairing_errors.TooFewEntrants: (409, mark("Too few players")),
    pairing_errors.UnfinishedRound: (409, mark("Games are still on")),
    pairing_errors.NoPairing: (409, mark("No pairing is possible")),
    pairing_errors.NothingToPair: (409, mark("Nothing to pair")),
    pairing_errors.PairingFailed: (503, mark("The pairing failed")),
    pairing_errors.SwissUnavailable: (503, mark("Swiss pairing is not installed")),
    report_errors.BadTrf: (422, mark("Bad report")),
    report_errors.Inconsistent: (422, mark("The report contradicts itself")),
    report_errors.NotReportable: (409, mark("Not reportable")),
    log_errors.Overtaken: (503, mark("Overtaken by others")),
    log_errors.UnknownEvent: (503, mark("Written by a newer version")),
    secret_errors.CannotUnseal: (503, mark("A secret cannot be opened")),
    player_errors.BadToken: (401, mark("Bad token")),
    api_errors.MissingToken: (401, mark("A token is needed")),
    api_errors.BadCsrfToken: (403, mark("Not from this page")),
    api_errors.MalformedJson: (400, mark("Malformed JSON")),
    api_errors.MalformedHeader: (400, mark("Malformed header")),
    api_errors.BadParameter: (400, mark("Bad query parameter")),
    api_errors.WrongMediaType: (415, mark("Wrong media type")),
    api_errors.NotAcceptable: (406, mark("Not acceptable")),
    api_errors.ParquetUnavailable: (406, mark("No Parquet here")),
    api_errors.StaleMatch: (412, mark("The game has moved on")),
    api_errors.OtherTag: (412, mark("Changed meanwhile")),
    api_errors.BadLine: (400, mark("Bad line")),
    api_errors.LineTooLong: (400, mark("Line too long")),
    api_errors.TooManyLines: (422, mark("Too many lines")),
    api_errors.TooManyRequests: (429, mark("Too many requests")),
    api_errors.TooManyConnections: (429, mark("Too many connections")),
    api_errors.TooManyPictures: (503, mark("Too many pictures")),
    api_errors.TooManyStreams: (503, mark("Too many streams")),
    api_errors.StreamsElsewhere: (421, mark("No event streams here")),
    api_errors.Draining: (503, mark("Shutting down")),
}
"""The HTTP status and title of each error of the service."""

HTTP_CODES: Final[Mapping[int, str]] = {
    400: "malformed-request",
    404: "no-such-path",
    405: "wrong-method",
    408: "too-slow",
    413: "too-large",
    414: "address-too-long",
    416: "range-not-satisfiable",
    431: "headers-too-large",
    500: "internal-error",
}
"""The codes of errors from Flask, or from gunicorn before it; `http-error` for any other."""

HTTP_DETAILS: Final[Mapping[int, str]] = {
    400: mark("this is not a valid HTTP request, or it was cut off"),
    404: mark("there is no such path; an id has 16 characters, a to z and 2 to 7"),
    405: mark("the path does not support this method; Allow lists those it does"),
    408: mark("the request came too slowly; send it again, or send less at once on a slow line"),
    413: mark("the body is larger than this service takes"),
    414: mark("the address is too long; send less in the query"),
    416: mark("the range begins after the end; Content-Range has the number of bytes"),
    431: mark("a header is too long, or there are too many headers"),
    500: mark("an error in this service, which has logged it; the request may have taken effect"),
}
"""The details of those errors, in place of the framework's own words."""
