"""Reads the filters of a search, an export or the explorer into a query."""

from __future__ import annotations

from typing import Any, Final

from notation.registry import find_dialect
from service.api.errors import BadParameter
from service.api.query_schemas import START
from service.api.schemas import SIDES
from service.errors import BadValue
from service.projection.games.placements import Placement, parse_placements
from service.projection.games.query import (
    PlayerName,
    Query,
    canonical_fen,
    parse_actions,
    parse_player,
)
from service.projection.summary import UNLISTED

SAME: Final = (
    "variant", "open_for", "mode", "status", "result", "termination",
    "speed", "computer", "opening", "material",
)  # fmt: skip
"""Parameters that a query has under the same names."""


def query_of(found: dict[str, Any]) -> Query:
    """Make the query that the parameters of a FilterSchema describe.

    Raises BadParameter, BadFen, BadValue and UnknownVariant.
    """
    variant = found.get("variant")
    query = Query(
        **{name: found[name] for name in SAME if name in found},
        player=_parse_player(found, "player"),
        opponent=_parse_player(found, "opponent"),
        side=None if "side" not in found else list(SIDES).index(found["side"]),
        tags=_parse_tags(found),
        since=parse_day(found, "since"),
        until=parse_day(found, "until"),
        plies=(found.get("min_plies"), found.get("max_plies")),
        points=(found.get("min_points"), found.get("max_points")),
        rating=(found.get("min_rating"), found.get("max_rating")),
        fen=_fen(found),
        at_ply=(found.get("min_ply"), found.get("max_ply")),
        actions=parse_actions(found["actions"]) if "actions" in found else (),
        pieces=_parse_pieces(variant, found["pieces"]) if "pieces" in found else (),
    )
    # What is wrong with a query is told before anything is streamed.
    query.check()
    return query


def fen_of(variant: str, text: str) -> str:
    """The canonical FEN that a parameter names; raises BadFen."""
    if text == START:
        written = find_dialect(variant)
        return written.write_fen(written.start({}))
    return canonical_fen(variant, text)


def _fen(found: dict[str, Any]) -> str | None:
    text, variant = found.get("fen"), found.get("variant")
    if text is None:
        return None
    if variant is None:
        raise BadValue("variant", "is needed to look for positions")
    return fen_of(variant, text)


def _parse_player(found: dict[str, Any], name: str) -> str | PlayerName | None:
    return parse_player(name, found[name]) if name in found else None


def _parse_pieces(variant: str | None, text: str) -> tuple[Placement, ...]:
    if variant is None:
        raise BadValue("variant", "is needed to look for pieces")
    return parse_placements(variant, text.replace(",", " ").split())


def parse_day(found: dict[str, Any], name: str) -> str | None:
    """The day that a parameter names, as records write it; None where it is not given."""
    day: str | None = found.get(name)
    return None if day is None else day.replace("-", ".")


def _parse_tags(found: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    if "event" in found:
        pairs.append(("Event", found["event"]))
    if "tag" in found:
        name, _, value = found["tag"].partition(":")
        if name in UNLISTED:
            others = "since, until, result, variant, termination or fen"
            raise BadParameter("tag", f"{name} is not listed; look by {others}")
        pairs.append((name, value))
    return tuple(pairs)
