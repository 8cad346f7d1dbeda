"""Fields that requests have in common, and the words they accept."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from engine.side import Side
from notation.game import UNFINISHED
from service.ids import ID

SIDES = {"first": Side.FIRST, "second": Side.SECOND}


WON_OR_DRAWN = ("1-0", "0-1", "1/2-1/2")


RESULTS = (*WON_OR_DRAWN, UNFINISHED)


class Whole(fields.Integer):
    """A JSON whole number; no string, no boolean, no fraction."""

    def __init__(self, *, least: int = 0, most: int = 10**12, **kwargs: Any) -> None:
        super().__init__(strict=True, validate=validate.Range(least, most), **kwargs)

    def _validated(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.make_error("invalid", input=value)
        return value


class Switch(fields.Boolean):
    """A JSON boolean; no string, no number."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


def text_field(most: int, **kwargs: Any) -> fields.String:
    """A string of at most `most` characters."""
    return fields.String(validate=validate.Length(max=most), **kwargs)


def id_field(**kwargs: Any) -> fields.String:
    """A player's id."""
    return fields.String(validate=validate.Regexp(ID, error="Not an id."), **kwargs)


def name_of(most: int, **kwargs: Any) -> fields.String:
    """A player's name."""
    said = f"1 to {most} characters."
    return fields.String(validate=validate.Length(1, most, error=said), **kwargs)


def side_field(**kwargs: Any) -> fields.String:
    """`first` or `second`."""
    return fields.String(validate=validate.OneOf(list(SIDES)), **kwargs)
