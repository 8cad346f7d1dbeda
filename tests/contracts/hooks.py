"""What schemathesis needs to be told about this service; its process imports this by path."""

from __future__ import annotations

from typing import Any

import schemathesis


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
