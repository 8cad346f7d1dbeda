"""Schemas of the queries that search for games, and of those that show a position."""

from __future__ import annotations

from typing import Final

from marshmallow import fields, validate

from engine.registry import VARIANTS
from service.api.schemas.fields import RESULTS, SIDES
from service.api.schemas.queries import (
    AN_ID,
    DAY,
    MOST,
    PAGE,
    Flag,
    Number,
    QuerySchema,
    VariantSchema,
    choice_field,
    pattern_field,
)
from service.boards.png import LEAST, USUAL
from service.boards.png import MOST as MOST_PIXELS
from service.game.values import GameStatus, Mode
from service.projection.games.query import LONGEST_NAME, Sort
from service.projection.games.terms import Speed

LONGEST_ACTION: Final = 32
"""The most characters of an action in coordinate form."""
LONGEST_LINE: Final = 4000
"""The most characters of a line of actions."""
POSITIONS: Final = 300
MOST_POSITIONS: Final = 500
"""The default and the largest number of positions of a game that are sent at once."""
START: Final = "start"
"""Stands for the FEN of a game's first position."""
SPACE: Final = "[a-l][1-9][0-2]?"
OPENING: Final = r"^[^\n]{1,200}\Z"
TAG: Final = "^[A-Za-z0-9][A-Za-z0-9_]{0,254}:"


def player_field() -> fields.String:
    """The id or the name of a player."""
    said = f"an id or a name of at most {LONGEST_NAME} characters"
    return fields.String(validate=validate.Length(1, LONGEST_NAME, error=said))


class PlySchema(QuerySchema):
    """After how many actions."""

    ply = Number()


class PositionsSchema(QuerySchema):
    """The positions of a game, beginning with the one after `from` actions."""

    first = Number(data_key="from", load_default=0)
    limit = Number(least=1, most=MOST_POSITIONS, load_default=POSITIONS)
    line = fields.String(validate=validate.Length(1, LONGEST_LINE, error="actions"))


class FilterSchema(QuerySchema):
    """Which games to look for, in a list, a search or an export."""

    variant = choice_field(VARIANTS)
    player = player_field()
    side = choice_field(SIDES)
    opponent = player_field()
    open_for = fields.String()
    mode = choice_field(Mode)
    status = choice_field(GameStatus)
    result = choice_field(RESULTS)
    termination = fields.String()
    event = fields.String()
    # No tag's value has a second line: the contract need not allow what is never found.
    tag = pattern_field(TAG, "a name and a value: Round:3", metadata={"pattern": rf"{TAG}[^\n]*$"})
    since = pattern_field(DAY, "a day as 1999.12.31 or 1999-12-31")
    until = pattern_field(DAY, "a day as 1999.12.31 or 1999-12-31")
    min_plies = Number()
    max_plies = Number()
    min_points = Number()
    max_points = Number()
    min_rating = Number()
    max_rating = Number()
    speed = choice_field(Speed)
    computer = Flag()
    opening = pattern_field(OPENING, "1 to 200 characters of an opening's name or code")
    fen = fields.String()
    min_ply = Number()
    max_ply = Number()
    material = fields.String()
    actions = fields.String()
    pieces = fields.String()


class GameListSchema(FilterSchema):
    """A page of the matching games."""

    sort = choice_field(Sort, load_default=Sort.CREATED.value)
    limit = Number(least=1, most=MOST, load_default=PAGE)
    cursor = fields.String(metadata={"pattern": r"^\S{1,120}$"})


class SearchSchema(GameListSchema):
    """A page of the games that are found, with their number if wanted."""

    count = Flag(load_default=False)


class ExportQuerySchema(FilterSchema):
    """Filters and contents of an export."""

    clocks = Flag(load_default=True)
    comments = Flag(load_default=True)
    evaluations = Flag(load_default=True)
    variations = Flag(load_default=True)
    literate = Flag(load_default=False)
    analysis = Flag(load_default=False)
    tournament = fields.String(metadata=AN_ID)
    after = fields.String(metadata=AN_ID)


class PositionSchema(VariantSchema):
    """A position of a variant."""

    fen = fields.String(load_default=START)


class PlayedPositionSchema(QuerySchema):
    """A position of the variant that the path names, and actions to play in it."""

    fen = fields.String(load_default=START)
    action = fields.String(validate=validate.Length(1, LONGEST_LINE, error="actions"))


class GeometrySchema(QuerySchema):
    """A board's geometry, whose address is another for each version of it."""

    version = fields.String()


class ExplorerSchema(FilterSchema):
    """A position whose games are told, and which of them."""

    variant = choice_field(VARIANTS, required=True)
    fen = fields.String(load_default=START)


class BelowSchema(QuerySchema):
    """The side nearest the reader of a picture."""

    below = choice_field(SIDES, load_default=next(iter(SIDES)))


class GameBoardSchema(PlySchema, BelowSchema):
    """A game's position as a picture."""


class BoardSchema(PositionSchema, BelowSchema):
    """Any position as a picture."""

    last = fields.String(
        validate=validate.Length(1, LONGEST_ACTION, error="an action in coordinate form")
    )
    targets = pattern_field(
        rf"^{SPACE}(,{SPACE})*\Z", "names of squares or spaces, joined by commas"
    )


class BitmapSchema(QuerySchema):
    """The size of a picture in pixels, and whether its colours are those for the dark."""

    width = Number(least=LEAST, most=MOST_PIXELS, load_default=USUAL)
    height = Number(least=LEAST, most=MOST_PIXELS)
    dark = Flag(load_default=False)


class GameBitmapSchema(GameBoardSchema, BitmapSchema):
    """A game's position as a picture of pixels."""


class PositionBitmapSchema(BoardSchema, BitmapSchema):
    """Any position as a picture of pixels."""


class CombatSchema(PlySchema):
    """A capture that is explained."""

    origin = fields.String(data_key="from", required=True, metadata={"pattern": f"^{SPACE}$"})
    target = fields.String(data_key="to", required=True, metadata={"pattern": f"^{SPACE}$"})
