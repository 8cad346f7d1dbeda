"""Events to JSON and back, by their stored names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, Final

from service.log.errors import UnknownEvent
from service.log.values import Event

_encode: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def public_json(event: Event) -> dict[str, Any]:
    """The event's public fields as JSON values, without those that have their default values."""
    return {
        name: value
        for name, default in public_fields(type(event))
        if (value := getattr(event, name)) != default
    }


def public_fields(kind: type[Event]) -> tuple[tuple[str, object], ...]:
    """The names and default values of an event class's public fields."""
    found = _public_fields.get(kind.stored_name)
    if found is None:
        found = tuple((f.name, _default(f)) for f in fields(kind) if f.name not in kind.private)
        _public_fields[kind.stored_name] = found
    return found


_public_fields: dict[str, tuple[tuple[str, object], ...]] = {}


def _default(field: Field[Any]) -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default


class Codec:
    """Encodes and decodes the event classes it was given, by stored name."""

    def __init__(self, classes: Mapping[str, type[Event]]) -> None:
        self.classes = dict(classes)

    def encode(self, event: Event) -> str:
        """The event's fields as compact JSON."""
        return _encode(public_json(event))

    def decode(self, stored_name: str, data: str | bytes) -> Event:
        """The event that was stored under this name; raises UnknownEvent for an unknown one."""
        try:
            cls = self.classes[stored_name]
        except KeyError:
            raise UnknownEvent(stored_name) from None
        values = json.loads(data)
        return cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})
