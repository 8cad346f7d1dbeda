"""Schemas of the operations' query parameters.

A parameter arrives as text. If its form is checked elsewhere, such as that of a cursor, which only
its list knows, the contract's part is in the field's `metadata`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from marshmallow import Schema, fields, validate

from engine.registry import VARIANTS
from service.api.schemas.fields import SIDES
from service.imports.state import ImportMode as ImportMode
from service.imports.verdicts import VerdictStatus
from service.projection.games.terms import SPEED_CLASSES, UNTIMED, Speed
from service.projection.player_reports import GROUPS
from service.tournament.reporting import KINDS as REPORTED_KINDS
from service.tournament.setup import MAX_NAME
from service.tournament.standings import RankTerm
from service.tournament.table import TournamentKind
from service.tournament.values import TournamentStatus as TournamentStatus
from service.webhooks.store import KEPT as KEPT_DELIVERIES

MAX_NUMBER: Final = 999_999_999
PAGE: Final = 50
MOST: Final = 200
"""The default and the largest number of entries of a page."""
LOG_PAGE: Final = 500
MOST_OF_LOG: Final = 1000
VERDICTS: Final = 100
MOST_VERDICTS: Final = 1000
DELIVERIES: Final = 50
LONGEST_WAIT: Final = 30
"""The most seconds that a request waits for its import."""
_GROUP: Final = "|".join(GROUPS)
GROUPED: Final = ("all", "variant", "side", "speed", "year")
"""How a player's games are grouped by default."""
CAUGHT_UP: Final = "caught_up"
BOARD: Final = "board"
"""What a game's stream can send in place of events."""
DAY: Final = r"^[0-9]{4}[.-](0[1-9]|1[0-2])[.-](0[1-9]|[12][0-9]|3[01])\Z"
ONE_ID: Final = "[a-z2-7]{16}"
AN_ID: Final = {"pattern": "^[a-z2-7]{16}$"}
"""An id that is looked up as it is; one in another form is not found."""


class Number(fields.Integer):
    """A whole number in decimal digits, without a sign."""

    def __init__(self, *, least: int = 0, most: int = MAX_NUMBER, **kwargs: Any) -> None:
        self.said = f"a whole number from {least} to {most}"
        bounds = validate.Range(least, most, error=self.said)
        super().__init__(validate=bounds, error_messages={"invalid": self.said}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise self.make_error("invalid")
        return int(value)


class Flag(fields.Boolean):
    """`true` or `false`."""

    default_error_messages = {"invalid": "one of true, false"}  # noqa: RUF012

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if value not in ("true", "false"):
            raise self.make_error("invalid")
        return bool(value == "true")


def choice_field(choices: Iterable[str], **kwargs: Any) -> fields.String:
    """One of a few texts."""
    known = [str(one) for one in choices]
    said = f"one of {', '.join(known)}"
    return fields.String(validate=validate.OneOf(known, error=said), **kwargs)


def pattern_field(pattern: str, said: str, **kwargs: Any) -> fields.String:
    """A text that matches a pattern; `said` is the message for others."""
    return fields.String(validate=validate.Regexp(pattern, error=said), **kwargs)


class QuerySchema(Schema):
    """Base of the schemas of queries; an operation without parameters has this one."""

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Give a missing parameter the message that follows its name in a refusal."""
        field_obj.error_messages["required"] = "is needed"


class PageSchema(QuerySchema):
    """A page of a list."""

    limit = Number(least=1, most=MOST, load_default=PAGE)
    cursor = fields.String()


class VariantSchema(QuerySchema):
    """A variant, which must be given."""

    variant = choice_field(VARIANTS, required=True)


class LogSchema(QuerySchema):
    """A page of a log: the events beyond a version."""

    after = Number(load_default=0)
    limit = Number(least=1, most=MOST_OF_LOG, load_default=LOG_PAGE)


class OwnStreamSchema(QuerySchema):
    """Whether a stream ends where it has caught up."""

    until = choice_field([CAUGHT_UP])


class StreamSchema(OwnStreamSchema):
    """The version a stream starts after, and whether it ends once it has caught up."""

    after = Number(load_default=0)


class GameStreamSchema(StreamSchema):
    """Whether a game's stream sends the game's state instead of its events."""

    view = choice_field([BOARD])


class ChartSchema(QuerySchema):
    """A chart, whose address is another for each version."""

    version = fields.String()


class UploadSchema(QuerySchema):
    """The mode of an import, and the seconds to wait for its result."""

    mode = choice_field(ImportMode, load_default=ImportMode.QUARANTINE.value)
    wait = Number(most=LONGEST_WAIT, load_default=0)


class ImportListSchema(PageSchema):
    """Filters and paging of a list of imports."""

    by = fields.String()


class VerdictSchema(QuerySchema):
    """Filters and paging of an import's verdicts; NDJSON without a limit has all."""

    status = choice_field(VerdictStatus)
    limit = Number(least=1, most=MOST_VERDICTS, metadata={"default": VERDICTS})
    cursor = pattern_field(r"^[0-9]{1,9}\Z", f"a whole number from 0 to {MAX_NUMBER}")


class TournamentListSchema(PageSchema):
    """Filters and paging of a list of tournaments."""

    variant = choice_field(VARIANTS)
    kind = choice_field(TournamentKind)
    status = choice_field(TournamentStatus)
    name = fields.String(validate=validate.Length(max=MAX_NAME))
    player = pattern_field(rf"^{ONE_ID}\Z", "a player's id", metadata=AN_ID)


class AsOfSchema(QuerySchema):
    """The round, version or time to answer as of; by default now."""

    as_of = fields.String()


class DifferenceSchema(QuerySchema):
    """Two times whose standings are compared."""

    before = fields.String(data_key="from", required=True)
    after = fields.String(data_key="to")


class ExplanationSchema(AsOfSchema):
    """The player and the term to explain."""

    player = fields.String(required=True, metadata=AN_ID)
    term = choice_field(RankTerm, required=True)


class ReportSchema(VariantSchema):
    """The variant and kind of an imported report's tournament."""

    kind = choice_field(REPORTED_KINDS, load_default=TournamentKind.SWISS.value)


class RatedSpeedSchema(VariantSchema):
    """The variant and the speed class of ratings."""

    speed = choice_field(SPEED_CLASSES, load_default=UNTIMED)


class RankingSchema(RatedSpeedSchema):
    """The variant and speed class of a ranking, and the number of players."""

    limit = Number(least=1, most=MOST, load_default=PAGE)


class DeliveriesSchema(QuerySchema):
    """The number of delivery attempts to list."""

    limit = Number(least=1, most=KEPT_DELIVERIES, load_default=DELIVERIES)


class SelectionSchema(QuerySchema):
    """Which of a player's finished games are counted."""

    variant = choice_field(VARIANTS)
    side = choice_field(SIDES)
    opponent = fields.String()
    speed = choice_field(Speed)
    since = pattern_field(DAY, "a day as 1999.12.31 or 1999-12-31")
    until = pattern_field(DAY, "a day as 1999.12.31 or 1999-12-31")


class PlayerReportSchema(SelectionSchema):
    """How a player's games are grouped, and which of them count."""

    by = pattern_field(
        f"^({_GROUP})(,({_GROUP}))*\\Z",
        f"names out of {', '.join(GROUPS)}, with commas between",
        load_default=",".join(GROUPED),
        metadata={"pattern": f"^({_GROUP})(,({_GROUP}))*$"},
    )


class OpponentsSchema(SelectionSchema, PageSchema):
    """A page of a player's opponents."""


class OpeningsSchema(SelectionSchema):
    """How a player's games of a variant began."""

    variant = choice_field(VARIANTS, required=True)


class PlayerListSchema(PageSchema):
    """The prefix of a word in a player's name, and paging."""

    name = fields.String()
