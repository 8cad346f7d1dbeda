"""Schemas of requests about games. Unknown fields are refused.

What the contract says of a field and the domain judges, with errors of its own, stands in the
field's `metadata`.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any, TypeVar

from marshmallow import Schema, ValidationError, fields, post_load, validate

from engine.outcome import Termination
from engine.registry import VARIANTS
from engine.side import Side
from notation.game import UNFINISHED
from service.game import commands
from service.game.clock import MAX_LEFT
from service.game.commands import Annotation, Command
from service.game.endings import ADJUDICATED
from service.game.setup import MAX_REASON, MAX_TAG_VALUE, MAX_TAGS
from service.game.terms import EXPIRY, Visibility
from service.game.values import Secrecy
from service.ids import ID
from service.player.names.name_policy import MAX_NAME
from service.player.names.recorded import MAX_RECORDED_NAME
from service.webhooks.webhook import EVENTS

C = TypeVar("C")
LONGEST_FILTER = 2000
"""Characters of a webhook's filter, at most."""
SIDES = {"first": Side.FIRST, "second": Side.SECOND}
WON_OR_DRAWN = ("1-0", "0-1", "1/2-1/2")
RESULTS = (*WON_OR_DRAWN, UNFINISHED)
KEY = re.compile(r"[ -~]{1,255}\Z")
"""An idempotency key."""
MODES = ("challenge", "scribe", "arbiter")
MAX_PLIES = 999_999_999
"""The longest limit of plies."""
MAX_LAG = 60_000
"""The longest lag that a client may state, in milliseconds; less of it is compensated."""


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


class ActionSchema(Schema):
    """An action to play."""

    action = text_field(255, required=True)
    expected_version = Whole(load_default=None, allow_none=True)
    annotation = fields.Nested(AnnotationSchema, load_default=Annotation)
    lag_ms = Whole(most=MAX_LAG, load_default=0)


class ActionLineSchema(ActionSchema):
    """An action to play in one of several games, as a line."""

    game = fields.String(required=True, validate=validate.Regexp(ID, error="Not an id."))
    key = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Regexp(KEY, error="1 to 255 printable ASCII characters."),
    )


class SeatSchema(Schema):
    """A seat: a registered player's id, or a name that nobody has claimed."""

    id = id_field()
    name = name_of(MAX_RECORDED_NAME)


class PlayersSchema(Schema):
    """Both seats of a game."""

    first = fields.Nested(SeatSchema, required=True)
    second = fields.Nested(SeatSchema, required=True)


class NewGameSchema(Schema):
    """A game to create: `side` and `opponent` for a challenge, `players` otherwise."""

    variant = text_field(40, required=True, metadata={"enum": list(VARIANTS)})
    mode = fields.String(load_default="challenge", validate=validate.OneOf(MODES))
    side = fields.String(validate=validate.OneOf([*SIDES, "random"]))
    opponent = id_field(allow_none=True)
    opponent_name = name_of(MAX_NAME)
    players = fields.Nested(PlayersSchema)
    tags = fields.Dict(
        keys=text_field(100, metadata={"pattern": "^[A-Za-z0-9][A-Za-z0-9_]*$"}),
        values=text_field(MAX_TAG_VALUE, metadata={"pattern": r"^[^\x00-\x1f\x7f]*$"}),
        load_default=dict,
        metadata={"maxProperties": MAX_TAGS},
    )
    fen = text_field(1000, load_default=None, allow_none=True)
    infiltrators = fields.String(
        load_default=None, allow_none=True, validate=validate.OneOf(list(Secrecy))
    )
    time_control = text_field(200, load_default=None, allow_none=True)
    rated = Switch(load_default=None, allow_none=True)
    ply_limit = Whole(least=1, most=MAX_PLIES, load_default=None, allow_none=True)
    draw_by_points = Switch(load_default=None, allow_none=True)
    visibility = fields.String(
        load_default=Visibility.PUBLIC.value, validate=validate.OneOf(list(Visibility))
    )
    expires_in_seconds = Whole(
        least=EXPIRY[0] // 1000, most=EXPIRY[1] // 1000, load_default=None, allow_none=True
    )


class CommandSchema(Schema):
    """Base of the commands: what all of them may carry."""

    type = fields.String(required=True)
    expected_version = Whole(load_default=None, allow_none=True)


class SideCommandSchema(CommandSchema):
    """A command of one side."""

    side = side_field(load_default=None, allow_none=True)


class ChooseSchema(SideCommandSchema):
    """A secret choice; without a nonce of one's own the service makes one."""

    square = text_field(8, required=True)
    nonce = text_field(256, load_default=lambda: secrets.token_hex(16))

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """The choice under the name that all games have for it."""
        data["choice"] = data.pop("square")
        return data


class TimeLossSchema(CommandSchema):
    """A side's loss on time."""

    side = side_field(required=True)


class RetractionSchema(CommandSchema):
    """How many of the last actions to take back."""

    plies = Whole(least=1, required=True)


class SideRetractionSchema(RetractionSchema):
    """A side's request to take actions back."""

    side = side_field(load_default=None, allow_none=True)


class ResultSchema(CommandSchema):
    """An arbiter's result."""

    result = fields.String(validate=validate.OneOf(WON_OR_DRAWN), required=True)
    termination = fields.String(
        validate=validate.OneOf(ADJUDICATED), load_default=Termination.ADJUDICATION.value
    )


class CorrectionSchema(CommandSchema):
    """An arbiter's correction of a result."""

    result = fields.String(validate=validate.OneOf(RESULTS), required=True)
    termination = text_field(40, load_default=Termination.ADJUDICATION.value)
    reason = fields.String(validate=validate.Length(1, MAX_REASON), required=True)


class ReopeningSchema(CommandSchema):
    """Why an arbiter withdraws a game's end."""

    reason = fields.String(validate=validate.Length(1, MAX_REASON), required=True)


class ClocksSchema(CommandSchema):
    """What an arbiter sets both clocks to, and why."""

    first_ms = Whole(least=1, most=MAX_LEFT, required=True)
    second_ms = Whole(least=1, most=MAX_LEFT, required=True)
    reason = fields.String(validate=validate.Length(1, MAX_REASON), required=True)

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """The times under the names of their sides."""
        data["first"], data["second"] = data.pop("first_ms"), data.pop("second_ms")
        return data


class AnnotateSchema(CommandSchema):
    """A new annotation of an action."""

    ply = Whole(least=1, required=True)
    annotation = fields.Nested(AnnotationSchema, required=True)


COMMANDS: dict[str, tuple[type[CommandSchema], type[Command]]] = {
    "accept": (CommandSchema, commands.AcceptChallenge),
    "decline": (CommandSchema, commands.DeclineChallenge),
    "withdraw": (CommandSchema, commands.WithdrawChallenge),
    "choose": (ChooseSchema, commands.Choose),
    "offer-draw": (SideCommandSchema, commands.OfferDraw),
    "accept-draw": (SideCommandSchema, commands.AcceptDraw),
    "decline-draw": (SideCommandSchema, commands.DeclineDraw),
    "abort": (CommandSchema, commands.AbortGame),
    "resign": (SideCommandSchema, commands.Resign),
    "offer-retraction": (SideRetractionSchema, commands.OfferRetraction),
    "accept-retraction": (SideCommandSchema, commands.AcceptRetraction),
    "decline-retraction": (SideCommandSchema, commands.DeclineRetraction),
    "retract": (RetractionSchema, commands.Retract),
    "adjudicate": (ResultSchema, commands.Adjudicate),
    "lose-on-time": (TimeLossSchema, commands.LoseOnTime),
    "set-clocks": (ClocksSchema, commands.SetClocks),
    "close": (CommandSchema, commands.CloseGame),
    "correct-result": (CorrectionSchema, commands.CorrectResult),
    "reopen": (ReopeningSchema, commands.ReopenGame),
    "annotate": (AnnotateSchema, commands.AnnotateAction),
}
"""The commands on a game by their type."""


def load_command(value: dict[str, Any]) -> tuple[Command, int | None]:
    """The command a body describes and the version it expects; raises ValidationError."""
    command, loaded, expected = load_kind(COMMANDS, value)
    if loaded.get("side"):
        loaded["side"] = SIDES[loaded["side"]]
    return command(**loaded), expected


def load_kind(
    kinds: Mapping[str, tuple[type[CommandSchema], type[C]]], value: dict[str, Any]
) -> tuple[type[C], dict[str, Any], int | None]:
    """The kind of command a body describes, its fields and the version it expects.

    `kinds` are those there are, by their type. Raises ValidationError.
    """
    type = value.get("type")
    if not isinstance(type, str) or type not in kinds:
        raise ValidationError({"type": [f"one of {', '.join(kinds)}"]})
    schema, command = kinds[type]
    loaded: Any = schema().load(value)
    expected = loaded.pop("expected_version")
    del loaded["type"]
    return command, loaded, expected


class NewWebhookSchema(Schema):
    """A webhook to register; `everybody` is an admin's."""

    url = text_field(2000, required=True, metadata={"format": "uri"})
    events = fields.List(
        fields.String(validate=validate.OneOf(EVENTS)),
        required=True,
        validate=validate.Length(1, len(EVENTS)),
    )
    everybody = Switch(load_default=False)
    filter = fields.String(
        validate=validate.Length(1, LONGEST_FILTER), load_default=None, allow_none=True
    )


class ExportSchema(Schema):
    """Games to export by id; `after` is the last that an earlier export gave."""

    ids = fields.List(
        fields.String(validate=validate.Regexp(ID, error="Not an id.")),
        required=True,
        validate=validate.Length(1, 1000),
    )
    after = id_field(load_default=None, allow_none=True)
    clocks = Switch(load_default=True)
    comments = Switch(load_default=True)
    evaluations = Switch(load_default=True)
    variations = Switch(load_default=True)
    literate = Switch(load_default=False)
    analysis = Switch(load_default=False)
