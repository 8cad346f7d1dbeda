"""Form fields, read into values for the API."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from flask import request

from service.pages import session

KEY = "key"
"""The field with the request's idempotency key."""
LONGEST = 12
"""A number of digits that no valid number reaches."""


def read_fields(whole: Collection[str] = ()) -> dict[str, Any]:
    """The fields that are filled in; those named in `whole` as numbers if possible."""
    found = {name: value.strip() for name, value in request.form.items()}
    return {
        name: read_number(value) if name in whole else value
        for name, value in found.items()
        if value and name not in (session.FIELD, KEY)
    }


def read_number(text: str) -> int | str:
    """The number in a field; text that is not a number is returned for the API to refuse."""
    return int(text) if text.isdecimal() and len(text) < LONGEST else text
