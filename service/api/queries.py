"""The parameters with which games are looked for, in a search, an export or the explorer."""

from __future__ import annotations

import re
from typing import Final

from engine.registry import VARIANTS
from notation.registry import dialect
from service.api import bodies
from service.api.refusals import BadParameter
from service.api.schemas import RESULTS
from service.errors import BadValue
from service.game.values import Status
from service.projection.query import Query, canonical_fen
from service.projection.summary import UNLISTED

PARAMETERS: Final = (
    "variant",
    "player",
    "status",
    "result",
    "termination",
    "event",
    "tag",
    "since",
    "until",
    "min_plies",
    "max_plies",
    "min_points",
    "max_points",
    "fen",
    "material",
)
START: Final = "start"
"""Stands for the FEN of a game's first position."""
_DAY: Final = re.compile(r"([0-9]{4})[.-](0[1-9]|1[0-2])[.-](0[1-9]|[12][0-9]|3[01])")
_TAG: Final = re.compile(r"([A-Za-z0-9][A-Za-z0-9_]{0,254}):(.*)", re.DOTALL)


def query_of(found: dict[str, str]) -> Query:
    """What is looked for; raises BadParameter, BadFen, BadValue and UnknownVariant."""
    query = Query(
        variant=bodies.choice(found, "variant", VARIANTS),
        player=found.get("player"),
        status=bodies.choice(found, "status", [status.value for status in Status]),
        result=bodies.choice(found, "result", RESULTS),
        termination=found.get("termination"),
        tags=_tags(found),
        since=_day(found, "since"),
        until=_day(found, "until"),
        plies=(bodies.number(found, "min_plies"), bodies.number(found, "max_plies")),
        points=(bodies.number(found, "min_points"), bodies.number(found, "max_points")),
        fen=_fen(found),
        material=found.get("material"),
    )
    # What is wrong with a query is told before anything is streamed.
    query.places()
    return query


def fen_of(variant: str, text: str) -> str:
    """The canonical FEN that a parameter names; raises BadFen."""
    if text == START:
        written = dialect(variant)
        return written.write_fen(written.start({}))
    return canonical_fen(variant, text)


def _fen(found: dict[str, str]) -> str | None:
    text, variant = found.get("fen"), found.get("variant")
    if text is None:
        return None
    if variant is None:
        raise BadValue("variant", "is needed to look for positions")
    return fen_of(variant, text)


def _day(found: dict[str, str], name: str) -> str | None:
    text = found.get(name)
    if text is None:
        return None
    day = _DAY.fullmatch(text)
    if day is None:
        raise BadParameter(name, "a day as 1999.12.31 or 1999-12-31")
    return ".".join(day.groups())


def _tags(found: dict[str, str]) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    if "event" in found:
        pairs.append(("Event", found["event"]))
    if "tag" in found:
        tag = _TAG.fullmatch(found["tag"])
        if tag is None:
            raise BadParameter("tag", "a name and a value: Round:3")
        if tag[1] in UNLISTED:
            others = "since, until, result, variant, termination or fen"
            raise BadParameter("tag", f"{tag[1]} is not listed; look by {others}")
        pairs.append((tag[1], tag[2]))
    return tuple(pairs)
