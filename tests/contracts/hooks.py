"""Schemathesis hooks for this service; schemathesis loads this file by path."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import schemathesis

LONGEST = 3900
"""Maximum length of a query in bytes; a request line may have 4,094."""


@schemathesis.hook
def before_call(
    context: schemathesis.HookContext, case: schemathesis.Case[Any], kwargs: dict[str, Any]
) -> None:
    """Make every call return soon: streams end when caught up, and imports are not waited for."""
    if case.operation.path.endswith("/stream"):
        case.query = {"until": "caught_up", **(case.query or {})}
    if str((case.query or {}).get("wait", "")).isdigit():
        # No worker runs, so waiting would be in vain.
        case.query = {**(case.query or {}), "wait": 0}


@schemathesis.hook
def filter_query(context: schemathesis.HookContext, query: dict[str, Any] | None) -> bool:
    """Skip URLs that are too long for the server, which any operation refuses with 414."""
    return len(urlencode(query or {}, doseq=True)) < LONGEST


@schemathesis.serializer("application/x-ndjson")
def write_lines(context: schemathesis.SerializationContext, value: Any) -> bytes:
    """Send text as it is, since an example has lines, and anything else as one malformed line."""
    return str(value).encode("utf-8", "surrogatepass")


@schemathesis.check
def problem_conformance(
    context: schemathesis.CheckContext,
    response: schemathesis.Response,
    case: schemathesis.Case[Any],
) -> None:
    """A problem has a code that its operation lists, and all of its required members."""
    status = str(response.status_code)
    operation = case.operation.definition.raw
    declared = operation["responses"].get(status)
    if response.status_code < 400 or declared is None:
        return
    answers = case.operation.schema.raw_schema["components"]["responses"]
    # In stateful tests, the reference is already resolved.
    answer = answers[declared["$ref"].rpartition("/")[2]] if "$ref" in declared else declared
    problem = response.json()
    missing = [name for name in answer.get("x-members", ()) if name not in problem]
    codes = operation.get("x-codes", {}).get(status, answer["x-codes"])
    if problem["code"] not in codes or missing:
        raise AssertionError(f"{problem['code']} is not listed, or {missing} are missing")
