"""How events and commands are declared: as frozen dataclasses with keyword fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

from service.log.values import Event

E = TypeVar("E", bound=Event)
C = TypeVar("C")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def event(stored_name: str) -> Callable[[type[E]], type[E]]:
    """Declare a class of events under the name that the log knows it by, such as `note-written/1`.

    The name never changes. A new form of an event is a new class with a new name, and the old one
    stays readable.
    """

    def declare(cls: type[E]) -> type[E]:
        cls.stored_name = stored_name
        return dataclass(frozen=True, slots=True, kw_only=True)(cls)

    return declare


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def command(cls: type[C]) -> type[C]:
    """Declare a class of commands."""
    return dataclass(frozen=True, slots=True, kw_only=True)(cls)
