"""Every error that can reach a client is a problem with a documented code."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from http import HTTPStatus
from types import ModuleType

import pytest

import engine
import notation
import service
from engine import errors as engine_errors
from notation import errors as notation_errors
from service.api.problem_statuses import HTTP_CODES, STATUSES
from service.api.problems import find_code
from service.archive.errors import DamagedSegment, DirectoryAway, ObjectsOfAnother
from service.errors import ServiceError
from service.imports.errors import DamagedUpload, TooManyRecords, UnpacksTooLarge
from service.log import errors as log_errors
from service.mail.errors import CannotSend, MayBeSent
from service.openings.errors import BadOpenings, NotOpenings
from service.projection.errors import DatabaseSlow, LogBehind, RebuildStopped, RebuildSuperseded
from service.secrets.errors import KeysGiven, KeyStillNeeded, NoKeys, OtherKeys
from service.storage.errors import ObjectMissing
from service.webhooks import errors as webhook_errors
from service.webhooks.errors import CannotDeliver
from tests.contracts.document import FILE, contract, operations, resolve, schema

BASES: tuple[type[Exception], ...] = (
    engine_errors.EngineError,
    notation_errors.NotationError,
    ServiceError,
)
ELSEWHERE = {
    engine_errors.IllegalAction: "tokens are resolved before anything is played",
    engine_errors.StaleKernels: "refused at start",
    engine_errors.BadNetwork: "refused at start",
    engine_errors.InvalidLimits: "the schema of requests bounds them",
    engine_errors.InvalidPosition: "notation makes BadFen of it",
    notation_errors.BadSquare: "a bad parameter, which is said instead",
    notation_errors.RecordError: "a verdict in the answer to an import",
    DamagedUpload: "how an import ended",
    TooManyRecords: "how an import ended",
    UnpacksTooLarge: "how an import ended",
    CannotDeliver: "how a delivery ended",
    CannotSend: "how a message ended",
    MayBeSent: "how a message ended",
    log_errors.AlreadyDone: "answered as the first time",
    log_errors.Barred: "the claim or the choice is made again",
    webhook_errors.CannotDeliver: "stands in the log of deliveries",
    log_errors.MaybeArchived: "the archive is asked",
    DamagedSegment: "log-unavailable to readers; else it ends a command",
    DirectoryAway: "log-unavailable to readers; else it ends a command",
    log_errors.LogElsewhere: "refused at start",
    log_errors.PartitionMismatch: "refused at start",
    log_errors.UnfitCluster: "refused at start",
    BadOpenings: "ends the command that loads them",
    NotOpenings: "ends the command that loads them",
    DatabaseSlow: "names are marked without it",
    LogBehind: "has a projector build the lists anew",
    RebuildStopped: "ends a command or a projector's try",
    RebuildSuperseded: "ends a command or a projector's try",
    KeyStillNeeded: "refused at start",
    KeysGiven: "a command is refused",
    NoKeys: "refused at start",
    ObjectsOfAnother: "told to the operator",
    ObjectMissing: "who reads the object says what was lost with it",
    OtherKeys: "refused at start",
}
"""Errors that reach no client as a problem, and why."""
NOT_SERVED = ("service.cli", "service.operations", "service.jobs")
"""Packages whose errors no request raises."""
OTHER_CODES = {
    *HTTP_CODES.values(),
    "http-error",
    "invalid-request",
    "log-unavailable",
    "too-few-replicas",
}


def modules(package: ModuleType) -> Iterator[ModuleType]:
    yield package
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not found.name.endswith(("gunicorn_settings", "wsgi", "__main__")):
            yield importlib.import_module(found.name)


def errors(base: type[Exception]) -> Iterator[type[Exception]]:
    for error in base.__subclasses__():
        yield error
        yield from errors(error)


for package in (engine, notation, service):
    assert list(modules(package))
CONCRETE = [
    error
    for base in BASES
    for error in errors(base)
    if not error.__subclasses__() and not error.__module__.startswith(NOT_SERVED)
]
CODES = {find_code(error) for error in STATUSES} | OTHER_CODES


@pytest.mark.parametrize("error", CONCRETE, ids=lambda error: error.__qualname__)
def test_every_error_is_a_problem_or_reaches_nobody(error: type[Exception]) -> None:
    assert (error in STATUSES) != (error in ELSEWHERE)


@pytest.mark.parametrize("error", STATUSES, ids=lambda error: error.__qualname__)
def test_a_problem_has_a_status_of_its_own_kind(error: type[Exception]) -> None:
    status, title = STATUSES[error]
    assert HTTPStatus(status) in HTTPStatus
    assert title[0].isupper()
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", find_code(error))


def test_the_contract_lists_every_code() -> None:
    assert sorted(CODES) == schema("ProblemCode")["enum"]


@pytest.mark.parametrize("error", STATUSES, ids=lambda error: error.__qualname__)
def test_a_code_stands_with_the_answers_of_its_status(error: type[Exception]) -> None:
    (status, _), code = STATUSES[error], find_code(error)
    response = "OtherEtag" if code == "other-etag" else RESPONSES[status]
    assert code in contract()["components"]["responses"][response]["x-codes"]


def test_every_error_is_answered_by_the_one_problem() -> None:
    answers = [
        resolve(answer)["content"]
        for operation in operations().values()
        for status, answer in operation["responses"].items()
        if status >= "400"
    ]
    problem = {"$ref": "#/components/schemas/Problem"}
    assert len(answers) > 400
    assert all(list(content) == ["application/problem+json"] for content in answers)
    assert all(content["application/problem+json"]["schema"] == problem for content in answers)


@pytest.mark.parametrize("place", operations(), ids=" ".join)
def test_an_operation_lists_codes_of_its_answers(place: tuple[str, str]) -> None:
    operation = operations()[place]
    errors = {status for status in operation["responses"] if status >= "400"}
    listed = operation.get("x-codes", {})
    assert listed.keys() == errors & NARROWED
    for status, codes in listed.items():
        assert codes == sorted(codes)
        assert set(codes) <= set(resolve(operation["responses"][status])["x-codes"])


def test_every_code_of_a_narrowed_status_is_listed_by_an_operation() -> None:
    listed = {
        code
        for operation in operations().values()
        for codes in operation.get("x-codes", {}).values()
        for code in codes
    }
    known = {
        code
        for status, name in RESPONSES.items()
        if str(status) in NARROWED
        for code in contract()["components"]["responses"][name]["x-codes"]
    }
    of_pages = {find_code(error) for error in STATUSES if error.__module__ == PAGES}
    # Codes that only pages get, and two that the API returns as well.
    elsewhere = REFUSALS | {"bad-csrf-token"} | BAD_RECORDS | (of_pages & known)
    assert known - listed == elsewhere - {"stale-session", "too-many-tries"}


NARROWED = {"400", "403", "404", "406", "409", "422", "429", "503"}
"""Statuses whose codes differ by operation; a response of the others always has the same codes."""
REFUSALS = {"no-pairing", "pairing-failed", "swiss-unavailable"}
"""Codes that no request gets; they appear in a round's `refusal`."""
PAGES = "service.accounts.errors"
"""The module of the errors whose codes only page forms get."""
BAD_RECORDS = {"bad-commitment"}
"""Codes that no request gets; they appear in the verdict on an imported record."""
RESPONSES = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    406: "NotAcceptable",
    409: "Conflict",
    412: "PreconditionFailed",
    415: "WrongMediaType",
    416: "RangeNotSatisfiable",
    421: "StreamsElsewhere",
    422: "Unprocessable",
    429: "TooManyRequests",
    503: "Unavailable",
    507: "NoRoom",
}


def test_the_guide_explains_every_code() -> None:
    guide = (FILE.parent / "docs" / "api.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d{3}) \| `([a-z-]+)` \| \S", guide, re.MULTILINE)
    assert {code for _, code in rows} == CODES
    statuses = {find_code(error): status for error, (status, _) in STATUSES.items()}
    assert [code for status, code in rows if statuses.get(code, int(status)) != int(status)] == []
