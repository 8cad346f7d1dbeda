"""Requests to play an action, and its annotation. Unknown fields are refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from marshmallow import Schema, fields, post_load, validate

from service.api.schemas.fields import Whole, text_field
from service.api.schemas.plain import PlainSchema
from service.game.commands import Annotation, PlayAction
from service.ids import ID

KEY = re.compile(r"[ -~]{1,255}\Z")
"""An idempotency key."""


MAX_LAG = 60_000
"""The longest lag that a client may state, in milliseconds; less than that is compensated."""


class AnnotationSchema(Schema):
    """An action's annotation; clocks in milliseconds."""

    comments_before = fields.List(
        text_field(4000), load_default=list, validate=validate.Length(max=16)
    )
    comments = fields.List(text_field(4000), load_default=list, validate=validate.Length(max=16))
    nags = fields.List(Whole(most=255), load_default=list, validate=validate.Length(max=16))
    clock_ms = Whole(load_default=None, allow_none=True)
    elapsed_ms = Whole(load_default=None, allow_none=True)

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> Annotation:
        """The annotation as a value."""
        return Annotation(
            nags=tuple(data["nags"]),
            before=tuple(data["comments_before"]),
            after=tuple(data["comments"]),
            clock=data["clock_ms"],
            elapsed=data["elapsed_ms"],
        )


class ActionSchema(PlainSchema):
    """An action to play."""

    action = text_field(255, required=True)
    expected_version = Whole(load_default=None, allow_none=True)
    annotation = fields.Nested(AnnotationSchema, load_default=Annotation)
    lag_ms = Whole(most=MAX_LAG, load_default=0)


def make_play(wish: Mapping[str, Any], received: int) -> PlayAction:
    """The command of a loaded request, received at `received`, in milliseconds since 1970 UTC."""
    return PlayAction(
        token=wish["action"],
        annotation=wish["annotation"],
        received=received,
        lag=wish["lag_ms"],
    )


class ActionLineSchema(ActionSchema):
    """An action to play in one of several games, as a line."""

    game = fields.String(required=True, validate=validate.Regexp(ID, error="Not an id."))
    key = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Regexp(KEY, error="1 to 255 printable ASCII characters."),
    )
