"""Reads the filters of a search, an export or the explorer into a query."""

from __future__ import annotations

from typing import Any

from werkzeug.datastructures import MultiDict

from engine.phrase import phrase
from notation.registry import find_dialect
from service.api import request_data
from service.api.errors import BadParameter
from service.api.schemas.game_queries import START, FilterSchema
from service.errors import BadValue
from service.projection.games.filters import make_query, parse_text, write_query
from service.projection.games.query import Query, canonical_fen
from service.projection.summary import UNLISTED

FILTER = FilterSchema()


def query_of(found: dict[str, Any]) -> Query:
    """Make the query that the parameters of a FilterSchema describe.

    Raises BadParameter, BadFen, BadValue and UnknownVariant.
    """
    tag = found.get("tag", "").partition(":")[0]
    if tag in UNLISTED:
        others = "since, until, result, variant, termination or fen"
        raise BadParameter(
            "tag", phrase("{tag} is not listed; search by {others}", tag=tag, others=others)
        )
    days = {name: parse_day(found, name) for name in ("since", "until") if name in found}
    if "fen" not in found:
        return make_query(found | days)
    if "variant" not in found:
        raise BadValue("variant", "is needed to search for positions")
    return make_query(found | days | {"fen": fen_of(found["variant"], found["fen"])})


def canonical_filter(text: str) -> str:
    """The parameters of a search, as in its address, in the one form that is stored.

    Raises the errors of `query_of`, and BadParameter for an unknown or duplicate parameter.
    """
    given = MultiDict(parse_text(text))
    query = query_of(request_data.load_parameters(FILTER, given))
    if query == Query():
        raise BadValue("filter", "the parameters of a search: speed=blitz&min_rating=1800")
    return write_query(query)


def fen_of(variant: str, text: str) -> str:
    """The canonical FEN of a parameter; raises BadFen."""
    if text == START:
        written = find_dialect(variant)
        return written.write_fen(written.start({}))
    return canonical_fen(variant, text)


def parse_day(found: dict[str, Any], name: str) -> str | None:
    """The day in a parameter, as records write it; None if it is not given."""
    day: str | None = found.get(name)
    return None if day is None else day.replace("-", ".")
