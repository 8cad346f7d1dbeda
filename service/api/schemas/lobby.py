"""Schemas of the queries of the lobby."""

from __future__ import annotations

from marshmallow import fields

from engine.registry import VARIANTS
from service.api.schemas.queries import (
    MOST,
    PAGE,
    Flag,
    Number,
    OwnStreamSchema,
    QuerySchema,
    choice_field,
)
from service.projection.challenges import MOST_OF_PLAYER
from service.projection.games.terms import SPEED_CLASSES


class ChallengeFilterSchema(QuerySchema):
    """Which open challenges to send."""

    variant = choice_field(VARIANTS)
    speed = choice_field(SPEED_CLASSES)
    rated = Flag()


class LobbySchema(ChallengeFilterSchema):
    """A page of the matching open challenges."""

    limit = Number(least=1, most=MOST, load_default=PAGE)
    cursor = fields.String(metadata={"pattern": r"^\S{1,120}$"})


class OwnChallengesSchema(QuerySchema):
    """A page of a player's own challenges; without a limit, it has as many as may be."""

    limit = Number(least=1, most=MOST_OF_PLAYER, load_default=MOST_OF_PLAYER)
    cursor = fields.String(metadata={"pattern": r"^\S{1,120}$"})


class LobbyStreamSchema(ChallengeFilterSchema, OwnStreamSchema):
    """The matching open challenges, and whether the stream ends once it has caught up."""
