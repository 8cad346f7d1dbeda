"""Queries as parameters and as text, `variant=katruji&player=ada+king`, and parsed from both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from service.errors import BadValue
from service.projection.games.placements import Placement, parse_placements
from service.projection.games.query import (
    PlayerName,
    Query,
    canonical_material,
    parse_actions,
    parse_player,
)

SIDES: Final = ("first", "second")
EVENT: Final = "Event"
MOST_PARAMETERS: Final = 100
SAME: Final = (
    "variant", "open_for", "mode", "status", "result", "termination", "since", "until", "speed",
    "computer", "opening", "fen",
)  # fmt: skip
"""Parameters that a query has under the same names."""
BOUNDS: Final = {"plies": "plies", "points": "points", "rating": "rating", "ply": "at_ply"}
"""Values with parameters for a minimum and a maximum, and their names in a query."""


def make_query(given: Mapping[str, Any]) -> Query:
    """The query of these parameters: texts, whole numbers for bounds, a boolean for `computer`.

    Raises BadFen, BadValue and UnknownVariant.
    """
    bounds: dict[str, Any] = {
        field: (given.get(f"min_{name}"), given.get(f"max_{name}"))
        for name, field in BOUNDS.items()
    }
    query = Query(
        **{name: given[name] for name in SAME if name in given},
        **bounds,
        player=_parse_player(given, "player"),
        opponent=_parse_player(given, "opponent"),
        side=SIDES.index(given["side"]) if "side" in given else None,
        tags=tuple(_parse_tags(given)),
        material=canonical_material(given["material"]) if "material" in given else None,
        actions=parse_actions(given["actions"]) if "actions" in given else (),
        pieces=_parse_pieces(given) if "pieces" in given else (),
    )
    # What is wrong with a query is reported before anything is streamed.
    query.check()
    return query


def write_query(query: Query) -> str:
    """A checked query as text: equal queries have equal texts."""
    return urlencode(list(_parameters(query)))


def read_query(text: str) -> Query:
    """The query that `write_query` wrote; raises BadValue for one that a newer version wrote."""
    given: dict[str, Any] = {}
    for name, value in parse_text(text):
        if name == "tag":
            given.setdefault(name, []).append(value)
        elif name == "computer":
            given[name] = value == "true"
        elif name.startswith(("min_", "max_")):
            given[name] = int(value)
        else:
            given[name] = value
    if unknown := given.keys() - KNOWN:
        raise BadValue("filter", f"{min(unknown)} is not known")
    return make_query(given)


def parse_text(text: str) -> list[tuple[str, str]]:
    """The names and values in a text such as the part of an address after `?`; raises BadValue."""
    try:
        return parse_qsl(
            text.removeprefix("?"),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=MOST_PARAMETERS,
        )
    except ValueError as error:
        said = "the parameters of a search, as its address has them after the question mark"
        raise BadValue("filter", said) from error


def _parameters(query: Query) -> Iterator[tuple[str, Any]]:
    for name in SAME:
        value = getattr(query, name)
        if value is not None:
            yield name, str(value).lower() if name == "computer" else value
    for name in ("player", "opponent"):
        if getattr(query, name) is not None:
            yield name, str(getattr(query, name))
    if query.side is not None:
        yield "side", SIDES[query.side]
    for tag, value in query.tags:
        yield "tag", f"{tag}:{value}"
    for name, field in BOUNDS.items():
        least, most = getattr(query, field)
        if least is not None:
            yield f"min_{name}", least
        if most is not None:
            yield f"max_{name}", most
    if query.material is not None:
        yield "material", canonical_material(query.material)
    for name in ("actions", "pieces"):
        if getattr(query, name):
            yield name, " ".join(map(str, getattr(query, name)))


def _parse_player(given: Mapping[str, Any], name: str) -> str | PlayerName | None:
    return parse_player(name, given[name]) if name in given else None


def _parse_pieces(given: Mapping[str, Any]) -> tuple[Placement, ...]:
    if "variant" not in given:
        raise BadValue("variant", "is needed to search for pieces")
    return parse_placements(given["variant"], given["pieces"].replace(",", " ").split())


def _parse_tags(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "event" in given:
        yield EVENT, given["event"]
    tags: str | Sequence[str] = given.get("tag", ())
    for tag in [tags] if isinstance(tags, str) else tags:
        name, _, value = tag.partition(":")
        yield name, value


KNOWN: Final = frozenset(
    {*SAME, "player", "opponent", "side", "event", "tag", "material", "actions", "pieces"}
    | {f"{end}_{name}" for name in BOUNDS for end in ("min", "max")}
)
"""The names of all parameters."""
