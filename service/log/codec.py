"""Events to JSON and back, by their stored names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any

from service.log.errors import UnknownEvent
from service.log.values import Event


def public_json(event: Event) -> dict[str, Any]:
    """The event's public fields as JSON values; one that has its default value is left out."""
    values = ((f, getattr(event, f.name)) for f in fields(event) if f.name not in event.private)
    return {f.name: value for f, value in values if not _is_default(f, value)}


def _is_default(field: Field[Any], value: object) -> bool:
    if field.default_factory is not MISSING:
        return bool(value == field.default_factory())
    return field.default is not MISSING and bool(value == field.default)


class Codec:
    """Encodes and decodes the event classes it was given, by stored name."""

    def __init__(self, classes: Mapping[str, type[Event]]) -> None:
        self.classes = dict(classes)

    def encode(self, event: Event) -> str:
        """The event's fields as compact JSON."""
        return json.dumps(
            public_json(event), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )

    def decode(self, stored_name: str, data: str | bytes) -> Event:
        """The event that was stored under this name; raises UnknownEvent for an unknown one."""
        try:
            cls = self.classes[stored_name]
        except KeyError:
            raise UnknownEvent(stored_name) from None
        values = json.loads(data)
        return cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})
