"""What schemathesis needs to be told about this service; its process imports this by path."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import schemathesis

LONGEST = 3900
"""Bytes of a query; a request's first line may have 4,094."""


@schemathesis.hook
def before_call(
    context: schemathesis.HookContext, case: schemathesis.Case[Any], kwargs: dict[str, Any]
) -> None:
    """Nothing is to last: a stream ends by itself, an import is not waited for."""
    if case.operation.path.endswith("/stream"):
        case.query = {"until": "caught_up", **(case.query or {})}
    if str((case.query or {}).get("wait", "")).isdigit():
        # There is no worker to wait for.
        case.query = {**(case.query or {}), "wait": 0}


@schemathesis.hook
def filter_query(context: schemathesis.HookContext, query: dict[str, Any] | None) -> bool:
    """Only addresses that a server reads; a longer one is refused by any operation (414)."""
    return len(urlencode(query or {}, doseq=True)) < LONGEST


@schemathesis.serializer("application/x-ndjson")
def write_lines(context: schemathesis.SerializationContext, value: Any) -> bytes:
    """A text as it is, since an example has lines; anything else as a line that is none."""
    return str(value).encode("utf-8", "surrogatepass")


@schemathesis.check
def problem_conformance(
    context: schemathesis.CheckContext,
    response: schemathesis.Response,
    case: schemathesis.Case[Any],
) -> None:
    """A problem has a code that its operation lists, and the members that it always has."""
    status = str(response.status_code)
    operation = case.operation.definition.raw
    declared = operation["responses"].get(status)
    if response.status_code < 400 or declared is None:
        return
    answers = case.operation.schema.raw_schema["components"]["responses"]
    # Where requests follow each other, the reference has been resolved already.
    answer = answers[declared["$ref"].rpartition("/")[2]] if "$ref" in declared else declared
    problem = response.json()
    missing = [name for name in answer.get("x-members", ()) if name not in problem]
    codes = operation.get("x-codes", {}).get(status, answer["x-codes"])
    if problem["code"] not in codes or missing:
        raise AssertionError(f"{problem['code']} is not listed, or {missing} are missing")
