"""The base of the errors of every package."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(eq_default=False, field_specifiers=(field,))
@dataclass(eq=False, init=False)
class DescribedError(Exception):
    """Base of errors that say their `message` with their fields filled in.

    Every subclass is a dataclass; the fields are what is known of what happened. `message` is the
    sentence for people, a format string over the fields. An error whose sentence depends on more
    than its fields overrides `__str__`. Errors are compared by identity.
    """

    message: ClassVar[str] = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(eq=False)(cls)

    def __post_init__(self) -> None:
        # What pickling builds the error from again, in a worker's subprocess for example.
        super().__init__(*(getattr(self, each.name) for each in fields(self) if each.init))

    def __str__(self) -> str:
        known = {each.name: getattr(self, each.name) for each in fields(self)}
        return self.message.format_map(known)
