"""Schemas of the queries of the feed of all games."""

from __future__ import annotations

from typing import Final

from marshmallow import fields

from engine.registry import VARIANTS
from service.api.schemas.queries import (
    AN_ID,
    ONE_ID,
    Number,
    OwnStreamSchema,
    QuerySchema,
    choice_field,
    pattern_field,
)

MOST_GAMES: Final = 200
"""The most games that a reader of the feed can list."""
MOST_BOARDS: Final = 100
"""The most games whose boards are sent at once."""
IDS: Final = rf"^{ONE_ID}(,{ONE_ID}){{0,{MOST_GAMES - 1}}}\Z"
BOARD_IDS: Final = rf"^{ONE_ID}(,{ONE_ID}){{0,{MOST_BOARDS - 1}}}\Z"
TYPE: Final = "[a-z]+(-[a-z]+)*(/[0-9]{1,3})?"
TYPES: Final = rf"^{TYPE}(,{TYPE})*\Z"
FEED_PAGE: Final = 1000
MOST_OF_FEED: Final = 5000
A_POSITION: Final = {"pattern": "^[A-Za-z0-9_-]{1,2000}$"}


class GameFeedSchema(QuerySchema):
    """Which games' events to send, of which types."""

    variant = choice_field(VARIANTS)
    player = pattern_field(f"^{ONE_ID}\\Z", "a player's id", metadata=AN_ID)
    tournament = pattern_field(f"^{ONE_ID}\\Z", "a tournament's id", metadata=AN_ID)
    games = pattern_field(IDS, f"up to {MOST_GAMES} ids of games, joined by commas")
    types = pattern_field(TYPES, "types of events, joined by commas")


class EventPageSchema(GameFeedSchema):
    """A page of the feed of all games behind a position."""

    after = fields.String(load_default="start", metadata=A_POSITION)
    limit = Number(least=1, most=MOST_OF_FEED, load_default=FEED_PAGE)


class FeedStreamSchema(GameFeedSchema, OwnStreamSchema):
    """The feed of all games behind a position, and whether it ends once it has caught up."""

    after = fields.String(load_default="now", metadata=A_POSITION)


class BoardsSchema(QuerySchema):
    """The games whose boards are told."""

    games = pattern_field(
        BOARD_IDS, f"up to {MOST_BOARDS} ids of games, joined by commas", required=True
    )


class BoardsStreamSchema(BoardsSchema, OwnStreamSchema):
    """The games whose boards are told, and whether the stream ends once it has told them."""
