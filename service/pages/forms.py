"""What a form has sent, as the API wants it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from flask import request

from service.pages import session

KEY = "key"
"""The field with the request's idempotency key."""
LONGEST = 12
"""Digits of any number there is and more."""


def fields(whole: Collection[str] = ()) -> dict[str, Any]:
    """The fields that are filled in; those named in `whole` as numbers where they are some."""
    found = {name: value.strip() for name, value in request.form.items()}
    return {
        name: number(value) if name in whole else value
        for name, value in found.items()
        if value and name not in (session.FIELD, KEY)
    }


def number(text: str) -> int | str:
    """A number as the API wants it, or the text, for the API to refuse."""
    return int(text) if text.isdecimal() and len(text) < LONGEST else text
