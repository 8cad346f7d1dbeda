"""What schemathesis needs to be told about this service; its process imports this by path."""

from __future__ import annotations

from typing import Any

import schemathesis


@schemathesis.hook
def before_call(
    context: schemathesis.HookContext, case: schemathesis.Case[Any], kwargs: dict[str, Any]
) -> None:
    """A stream is to end by itself; a wrong `until` is left as it is."""
    if case.operation.path.endswith("/stream"):
        case.query = {"until": "caught_up", **(case.query or {})}
