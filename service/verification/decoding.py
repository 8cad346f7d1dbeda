"""Decodes exported lines to events: nothing but what an export writes is accepted."""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from service.game.events import EVENTS
from service.log.chain import canonical, when
from service.log.codec import Codec, public_json
from service.log.errors import UnknownEvent
from service.log.values import Event, Recorded
from service.tournament.events import EVENTS as TOURNAMENT_EVENTS
from service.verification.errors import Location, Unverifiable, Wrong

CODEC: Final = Codec(EVENTS)
TOURNAMENT_CODEC: Final = Codec(TOURNAMENT_EVENTS)
MEMBERS: Final = {
    "at": str,
    "by": str,
    "data": dict,
    "previous": str,
    "stream": str,
    "type": str,
    "version": int,
}
"""The members of an event's line (`service.log.chain`), and their types."""


def object_in(line: bytes, number: int) -> dict[str, Any]:
    """The JSON object of a line in canonical form; raises Wrong."""
    try:
        value = json.loads(line)
        written = canonical(value)
    except (ValueError, RecursionError) as error:
        raise Wrong("the line is not JSON", Location(line=number)) from error
    if not isinstance(value, dict):
        raise Wrong("the line is not a JSON object", Location(line=number))
    if written != line:
        raise Wrong("the line is not written as exports write it", Location(line=number))
    return value


def check_members(value: Mapping[str, Any], number: int) -> None:
    """Raise Wrong unless the members are those of an event."""
    if {name: type(member) for name, member in value.items()} != MEMBERS:
        raise Wrong("the line is not an event", Location(line=number))


def recorded(value: Mapping[str, Any], place: Location) -> Recorded:
    """The event of a line; raises Wrong, or Unverifiable for one this version does not know."""
    try:
        codec = TOURNAMENT_CODEC if value["stream"].startswith("tournament:") else CODEC
        event = codec.decode(value["type"], canonical(value["data"]))
        at = round(datetime.fromisoformat(value["at"]).timestamp() * 1000)
    except UnknownEvent as error:
        raise Unverifiable(str(error)) from error
    except (TypeError, ValueError, OverflowError) as error:
        raise Wrong("the event's fields are not those of its type", place) from error
    data = canonical(public_json(event))
    if not is_sound(event) or data != canonical(value["data"]) or when(at) != value["at"]:
        raise Wrong("the event has a value that its type does not allow", place)
    return Recorded(value["version"], event, at, value["by"], value["previous"])


def is_sound(event: Event) -> bool:
    """Whether every field of an event has a value of its type."""
    types = get_type_hints(type(event))
    return all(fits(getattr(event, field.name), types[field.name]) for field in fields(event))


def fits(value: object, expected: Any) -> bool:
    """Whether a value is of a type that an event declares."""
    if expected is Any:
        return True
    origin, parts = get_origin(expected), get_args(expected)
    if origin in (Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is tuple:
        return isinstance(value, tuple) and all(_paired(value, parts))
    if origin is Mapping:
        return isinstance(value, dict) and all(fits(v, parts[1]) for v in value.values())
    return type(value) is expected


def _paired(value: tuple[object, ...], parts: tuple[Any, ...]) -> Iterator[bool]:
    if parts[-1] is Ellipsis:
        return (fits(member, parts[0]) for member in value)
    if len(value) != len(parts):
        return iter((False,))
    return (fits(member, part) for member, part in zip(value, parts, strict=True))
