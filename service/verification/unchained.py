"""Answers in JSON that prove nothing, such as lists, told from logs that were changed."""

from __future__ import annotations

import json
from typing import Any, Final

from service.log.chain import canonical

CHAINED: Final = "stream"
"""A member of every line of a log, its last included."""
INSTEAD: Final = "verify records (movelog export) or a game's events (docs/verification.md) instead"
FEED: Final = f"events of several games are not signed; {INSTEAD}"
LIST: Final = f"this is JSON in which nothing is signed, such as a list; {INSTEAD}"


def explain_unchained(data: bytes) -> str | None:
    """Return why a file of JSON is no log, and what to verify instead.

    Return None for what may be a changed log: if any of its lines is written as a log's are, or if
    the file is neither a JSON object nor one on each line.
    """
    values = _read_objects(data)
    if values is None or any(map(_is_chained, data.splitlines())):
        return None
    return FEED if any(CHAINED in value for value in values) else LIST


def _read_objects(data: bytes) -> list[dict[str, Any]] | None:
    """The only object of a file, or that of each line; None if it holds anything else."""
    for texts in ([data], data.splitlines()):
        try:
            values = [json.loads(text) for text in texts]
        except (ValueError, RecursionError):
            continue
        return values if all(isinstance(value, dict) for value in values) else None
    return None


def _is_chained(line: bytes) -> bool:
    """Whether a line is written as a log's lines are."""
    try:
        value = json.loads(line)
        return CHAINED in value and canonical(value) == line
    except (ValueError, TypeError, RecursionError):
        return False
