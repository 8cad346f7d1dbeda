"""Errors as problem+json (RFC 9457): one table from error class to status and title.

`code` is stable and what programs go by; `detail` is a sentence for people. Errors carry what
they know as further members (`field`, `nearest`, `actual`, …).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from flask import Flask, Response
from gunicorn.http.errors import ParseException
from marshmallow import ValidationError
from redis.exceptions import RedisError
from werkzeug.exceptions import BadRequest, HTTPException

from engine import errors as engine_errors
from notation import errors as notation_errors
from service import errors
from service.accounts import errors as account_errors
from service.analysis.errors import AnalysisOver, TooManyAnalyses
from service.api import errors as api_errors
from service.api.responses import respond_json
from service.game import errors as game_errors
from service.game_feed import errors as feed_errors
from service.imports import errors as import_errors
from service.log import errors as log_errors
from service.mail import errors as mail_errors
from service.player import errors as player_errors
from service.player.names import errors as name_errors
from service.projection import errors as projection_errors
from service.secrets import errors as secret_errors
from service.storage import errors as storage_errors
from service.storage.capacity import describe_full_storage
from service.tournament import errors as tournament_errors
from service.tournament.pairing import errors as pairing_errors
from service.tournament.trf import errors as report_errors
from service.webhooks import errors as webhook_errors

logger = logging.getLogger(__name__)

STATUSES: Final[Mapping[type[Exception], tuple[int, str]]] = {
    engine_errors.UnknownVariant: (422, "Unknown variant"),
    notation_errors.BadFen: (422, "Bad position string"),
    notation_errors.BadCommitment: (422, "Bad commitment"),
    notation_errors.BadChoice: (422, "Bad choice"),
    notation_errors.BadAnnotation: (422, "Bad annotation"),
    notation_errors.BadTimeControl: (422, "Bad time control"),
    notation_errors.UnplayableTimeControl: (422, "Time control cannot be played"),
    notation_errors.NoCombat: (404, "No combat in this game"),
    notation_errors.UnreadableToken: (422, "Illegal action"),
    notation_errors.IllegalMove: (422, "Illegal action"),
    notation_errors.AmbiguousMove: (422, "Ambiguous action"),
    notation_errors.AfterTheEnd: (409, "The game is over"),
    feed_errors.UnknownFilter: (400, "Unknown filter"),
    feed_errors.BadPosition: (400, "Bad position"),
    feed_errors.UnknownPosition: (409, "Unknown position"),
    errors.NotFound: (404, "Not found"),
    errors.WrongExpectedVersion: (409, "Changed meanwhile"),
    errors.KeyReused: (422, "Idempotency key reused"),
    errors.BadValue: (422, "Bad value"),
    storage_errors.StorageFull: (507, "No room"),
    projection_errors.BadCursor: (422, "Bad cursor"),
    projection_errors.AmbiguousName: (422, "Ambiguous name"),
    projection_errors.DatabaseFull: (503, "No room for the lists"),
    projection_errors.DatabaseLocked: (503, "The lists are locked"),
    projection_errors.DatabaseAway: (503, "The lists cannot be reached"),
    projection_errors.DatabaseDamaged: (503, "The lists are damaged"),
    projection_errors.NewerDatabase: (503, "Written by a newer version"),
    name_errors.ReservedName: (422, "Reserved name"),
    name_errors.MixedScripts: (422, "Mixed scripts"),
    errors.MissingScope: (403, "Not allowed"),
    player_errors.ExceedsToken: (403, "Longer than this token"),
    player_errors.LastAdmin: (409, "The last admin"),
    game_errors.ContradictoryTerms: (422, "Contradictory terms"),
    game_errors.ComputerIsCasual: (422, "The computer plays casual games only"),
    game_errors.NotASeat: (403, "Not a player of this game"),
    game_errors.NotTheOpponent: (403, "Not the opponent"),
    game_errors.NotYourTurn: (409, "Not your turn"),
    game_errors.NotRunning: (409, "The game is not running"),
    game_errors.NotOffered: (409, "No challenge is open"),
    game_errors.NotChoosing: (409, "Nothing to choose"),
    game_errors.AlreadyChosen: (409, "Chosen already"),
    secret_errors.NonceUsed: (422, "Nonce used before"),
    game_errors.NotFinished: (409, "The game is not over"),
    game_errors.CannotReopen: (409, "The game cannot be reopened"),
    game_errors.CannotAbort: (409, "The game cannot be aborted"),
    game_errors.CannotRematch: (409, "No rematch"),
    game_errors.StillDecided: (409, "The rules have ended the game"),
    game_errors.NothingOffered: (409, "Nothing is offered"),
    game_errors.AlreadyOffered: (409, "Offered already"),
    game_errors.NothingToRetract: (409, "Nothing to retract"),
    game_errors.TimeIsUp: (409, "No time left"),
    game_errors.NoClocks: (409, "A game without clocks"),
    game_errors.ClockStated: (422, "The service keeps the clocks"),
    game_errors.ReservedCommand: (422, "Reserved command"),
    game_errors.UnreadableVariation: (422, "Bad variation"),
    game_errors.IllegalVariation: (422, "Illegal variation"),
    game_errors.AnnotationTooLarge: (422, "Annotation too large"),
    game_errors.NotTheOwner: (403, "Not the owner of this game"),
    game_errors.StillPlayed: (409, "The game is still played"),
    game_errors.NotAdmitted: (409, "Not admitted"),
    game_errors.TooManyAnnotators: (409, "Too many annotators"),
    import_errors.CannotCancel: (409, "Nothing to cancel"),
    import_errors.TooManyImports: (429, "Too many imports"),
    import_errors.UploadQuotaUsed: (429, "Upload quota used"),
    AnalysisOver: (409, "Nothing to stop"),
    TooManyAnalyses: (429, "Too many analyses"),
    webhook_errors.TooManyWebhooks: (409, "Too many webhooks"),
    mail_errors.BadAddress: (422, "Bad e-mail address"),
    mail_errors.MailUnavailable: (409, "No e-mail here"),
    mail_errors.TooManyConfirmations: (429, "Too many confirmations"),
    mail_errors.BadLink: (422, "Bad link"),
    mail_errors.ExpiredLink: (422, "Expired link"),
    account_errors.RegistrationClosed: (403, "Registration is closed"),
    account_errors.SignInRefused: (401, "Not signed in"),
    account_errors.TooManyTries: (429, "Too many tries"),
    account_errors.TooBusy: (429, "Too busy"),
    account_errors.WeakPassword: (422, "Weak password"),
    account_errors.NameInUse: (409, "Name in use"),
    account_errors.LesserSession: (403, "Not with this token"),
    account_errors.StaleSession: (403, "Sign in again"),
    account_errors.LastWayIn: (409, "The last way in"),
    account_errors.BadSignInLink: (422, "Bad link"),
    account_errors.AnothersLink: (403, "Somebody else's link"),
    account_errors.AddressInUse: (409, "Address in use"),
    account_errors.PasskeyRefused: (401, "Unknown passkey"),
    account_errors.IdentityRefused: (401, "Not signed in"),
    account_errors.IdentityInUse: (409, "Connected already"),
    account_errors.IdentityUnavailable: (503, "Not reachable"),
    tournament_errors.NotTheArbiter: (403, "Not an arbiter of this tournament"),
    tournament_errors.NameTaken: (409, "Name taken"),
    tournament_errors.TournamentOver: (409, "The tournament is over"),
    tournament_errors.EntriesClosed: (409, "Nobody can enter any more"),
    tournament_errors.SelfEntryRefused: (409, "Self-entry is closed"),
    tournament_errors.AlreadyEntered: (409, "Entered already"),
    tournament_errors.BothEntered: (409, "Both are in one tournament"),
    tournament_errors.RoundPending: (409, "The round is not ready"),
    tournament_errors.RoundBegun: (409, "The round has begun"),
    tournament_errors.RoundsPaired: (409, "Rounds are paired"),
    tournament_errors.NothingToRule: (409, "No ruling on this board"),
    tournament_errors.CannotJoin: (409, "The game cannot count"),
    pairing_errors.NotEntered: (422, "Does not play in the round"),
    pairing_errors.SeatedTwice: (422, "Seated twice"),
    pairing_errors.TooFewEntrants: (409, "Too few players"),
    pairing_errors.UnfinishedRound: (409, "Games are still on"),
    pairing_errors.NoPairing: (409, "No pairing is possible"),
    pairing_errors.NothingToPair: (409, "Nothing to pair"),
    pairing_errors.PairingFailed: (503, "The pairing failed"),
    pairing_errors.SwissUnavailable: (503, "Swiss pairing is not installed"),
    report_errors.BadTrf: (422, "Bad report"),
    report_errors.Inconsistent: (422, "The report contradicts itself"),
    report_errors.NotReportable: (409, "Not reportable"),
    log_errors.Overtaken: (503, "Others were faster"),
    log_errors.UnknownEvent: (503, "Written by a newer version"),
    secret_errors.CannotUnseal: (503, "A secret cannot be opened"),
    player_errors.BadToken: (401, "Bad token"),
    api_errors.MissingToken: (401, "A token is needed"),
    api_errors.BadCsrfToken: (403, "Not from this page"),
    api_errors.MalformedJson: (400, "Malformed JSON"),
    api_errors.MalformedHeader: (400, "Malformed header"),
    api_errors.BadParameter: (400, "Bad query parameter"),
    api_errors.WrongMediaType: (415, "Wrong media type"),
    api_errors.NotAcceptable: (406, "Not acceptable"),
    api_errors.ParquetUnavailable: (406, "No Parquet here"),
    api_errors.StaleMatch: (412, "The game has moved on"),
    api_errors.BadLine: (400, "Bad line"),
    api_errors.LineTooLong: (400, "Line too long"),
    api_errors.TooManyLines: (422, "Too many lines"),
    api_errors.TooManyRequests: (429, "Too many requests"),
    api_errors.TooManyConnections: (429, "Too many connections"),
    api_errors.TooManyPictures: (503, "Too many pictures"),
    api_errors.TooManyStreams: (503, "Too many streams"),
}
"""What each error of the service is over HTTP."""

HTTP_CODES: Final[Mapping[int, str]] = {
    400: "malformed-request",
    404: "no-such-path",
    405: "wrong-method",
    408: "too-slow",
    413: "too-large",
    414: "address-too-long",
    431: "headers-too-large",
    500: "internal-error",
}
"""The codes of what Flask refuses, or gunicorn before it; `http-error` for what else there is."""

HTTP_DETAILS: Final[Mapping[int, str]] = {
    400: "this is not a valid HTTP request, or it was cut off",
    404: "there is no such path; an id has 16 characters, a to z and 2 to 7",
    405: "the path does not support this method; Allow lists those it does",
    408: "the request came too slowly; send it again, or send less at once on a slow line",
    413: "the body is larger than this service takes",
    414: "the address is too long; send less in the query",
    431: "a header is too long, or there are too many headers",
    500: "a bug in this service, which has logged it; the request may have taken effect or not",
}
"""What is said of them, in place of the framework's own words."""

RETRY_AFTER = 1
"""Seconds after which what is away may be there again."""

SHOWN = (
    "field", "kind", "id", "scope", "side", "status", "offer", "expected", "actual", "nearest",
    "combat", "token", "name", "known", "limit", "retry_after", "parameter", "what", "tag", "asked",
    "played", "offered", "stored_name", "expires_at", "reserved",
    "word", "scripts", "variation", "column", "ply",
)  # fmt: skip
"""Attributes of errors that a problem shows; everything else stays inside."""


def make_problem(
    status: int,
    title: str,
    code: str,
    detail: str,
    members: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """One problem document."""
    body = {"type": f"urn:movelog:problem:{code}", "title": title, "status": status}
    body |= {"code": code, "detail": detail} | dict(members or {})
    return respond_json(body, status, headers, mimetype="application/problem+json")


def find_code(error: type[Exception]) -> str:
    """The stable code of an error in the table."""
    if error is engine_errors.UnknownVariant:
        return "unknown-variant"
    return str(getattr(error, "code", "error"))


def describe_error(error: Exception) -> Response:
    """The problem that an error in the table is."""
    status, title = STATUSES[type(error)]
    members = {
        ("state" if name == "status" else name): getattr(error, name)
        for name in SHOWN
        if getattr(error, name, None) is not None
    }
    headers = {}
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="movelog"'
    if status in (429, 503, 507):
        headers["Retry-After"] = str(members.setdefault("retry_after", RETRY_AFTER))
    members |= getattr(error, "members", {})
    return make_problem(status, title, find_code(type(error)), describe(error), members, headers)


def describe(error: Exception) -> str:
    """The sentence for people; of the database, whose errors name files and hosts, the public one.

    What it leaves out is logged.
    """
    if isinstance(error, projection_errors.DatabaseError):
        logger.warning("%s", error)
        return error.public
    return str(error)


def describe_validation_error(error: ValidationError) -> Response:
    """The problem of a body that does not fit its schema, with the messages by field."""
    return make_problem(
        422,
        "The request does not fit its schema",
        "invalid-request",
        "see errors, by field",
        {"errors": error.messages},
    )


def describe_http_error(error: HTTPException) -> Response:
    """The problem of what Flask itself refuses (no such path, wrong method, too large)."""
    status = error.code or 500
    code = HTTP_CODES.get(status, "http-error")
    kept = {k: v for k, v in error.get_headers() if k not in ("Content-Type", "Content-Length")}
    detail = HTTP_DETAILS.get(status, error.description or error.name)
    return make_problem(status, error.name, code, detail, headers=kept)


def describe_parse_error(error: ParseException) -> Response:
    """The problem of a body whose chunks gunicorn cannot read."""
    return describe_http_error(BadRequest())


def describe_outage(error: Exception) -> Response:
    """The problem of a store that has no room, or of one that cannot be reached.

    Whether an unacknowledged request was carried out is unknown of the latter.
    """
    if (full := describe_full_storage(error)) is not None:
        return describe_error(full)
    logger.warning("the log fails: %s", error)
    return make_problem(
        503,
        "The log cannot be reached",
        "log-unavailable",
        "try again with the same Idempotency-Key, so that nothing happens twice",
        {"retry_after": RETRY_AFTER},
        {"Retry-After": str(RETRY_AFTER)},
    )


def register_problems(app: Flask) -> None:
    """Let the app answer every error with a problem."""
    for cls in STATUSES:
        app.register_error_handler(cls, describe_error)
    app.register_error_handler(ValidationError, describe_validation_error)
    app.register_error_handler(HTTPException, describe_http_error)
    app.register_error_handler(ParseException, describe_parse_error)
    app.register_error_handler(RedisError, describe_outage)
