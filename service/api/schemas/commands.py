"""Requests that are commands on a game. Unknown fields are refused."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any, TypeVar

from marshmallow import Schema, ValidationError, fields, post_load, validate

from engine.outcome import Termination
from service.api.schemas.actions import AnnotationSchema
from service.api.schemas.fields import (
    RESULTS,
    SIDES,
    WON_OR_DRAWN,
    Whole,
    id_field,
    name_of,
    side_field,
    text_field,
)
from service.game import commands
from service.game.annotating import MAX_VARIATION, MAX_VARIATIONS
from service.game.clock import MAX_LEFT
from service.game.commands import Command
from service.game.endings import ADJUDICATED
from service.game.setup import MAX_REASON
from service.player.names.name_policy import MAX_NAME

C = TypeVar("C")


class CommandSchema(Schema):
    """Base of the commands: what all of them may carry."""

    type = fields.String(required=True)
    expected_version = Whole(load_default=None, allow_none=True)


class SideCommandSchema(CommandSchema):
    """A command of one side."""

    side = side_field(load_default=None, allow_none=True)


class ChooseSchema(SideCommandSchema):
    """A secret choice. Without a nonce, the service makes one."""

    square = text_field(8, required=True)
    nonce = text_field(256, load_default=lambda: secrets.token_hex(16))

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """The choice under the name that it has in all games."""
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
    variations = fields.List(
        fields.String(metadata={"maxLength": MAX_VARIATION}),
        load_default=None,
        allow_none=True,
        metadata={"maxItems": MAX_VARIATIONS},
    )

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """The variations as a value."""
        if data["variations"] is not None:
            data["variations"] = tuple(data["variations"])
        return data


class AnnotatorSchema(CommandSchema):
    """Somebody who annotates the game, by id or by name."""

    player = id_field(load_default=None, allow_none=True)
    player_name = name_of(MAX_NAME, load_default=None, allow_none=True)

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """The player under the name that commands use."""
        data["name"] = data.pop("player_name")
        return data


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
    "admit-annotator": (AnnotatorSchema, commands.AdmitAnnotator),
    "withdraw-annotator": (AnnotatorSchema, commands.WithdrawAnnotator),
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
    """The kind of command that a body describes, its fields and the version it expects.

    `kinds` are the known kinds, by type. Raises ValidationError.
    """
    type = value.get("type")
    if not isinstance(type, str) or type not in kinds:
        raise ValidationError({"type": [f"one of {', '.join(kinds)}"]})
    schema, command = kinds[type]
    loaded: Any = schema().load(value)
    expected = loaded.pop("expected_version")
    del loaded["type"]
    return command, loaded, expected
