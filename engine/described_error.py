"""The base of the errors of every package."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Final, dataclass_transform

from engine.phrase import Say, translate

SENTENCES: Final = frozenset({"reason", "status", "side", "kind", "what"})
"""Fields that are texts for people, not what somebody has written."""


@dataclass_transform(eq_default=False, field_specifiers=(field,))
@dataclass(eq=False, init=False)
class DescribedError(Exception):
    """Base of errors that say their `message` with their fields filled in.

    Every subclass is a dataclass; its fields say what is known about the error. `message` is the
    sentence for people, a format string over the fields. An error whose sentence depends on more
    than its fields overrides `describe`. Errors are compared by identity.
    """

    message: ClassVar[str] = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(eq=False)(cls)

    def __post_init__(self) -> None:
        # What pickling builds the error from again, in a worker's subprocess for example.
        super().__init__(*(getattr(self, each.name) for each in fields(self) if each.init))

    def __str__(self) -> str:
        return self.describe(str)

    def describe(self, say: Say) -> str:
        """The sentence as `say` puts it, a translation or the English one."""
        known = {each.name: translate(getattr(self, each.name), say) for each in fields(self)}
        for name in SENTENCES & known.keys():
            text = known[name]
            if type(text) is str and text:
                known[name] = say(text)
        return say(self.message).format_map(known)
