"""Tables that choose the function for a command or an event by its class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Message = TypeVar("Message")
State = TypeVar("State")
Context = TypeVar("Context")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Handler(Generic[State, Context, Result]):
    """A function and the class of messages that it takes."""

    kind: type
    function: Callable[[Any, State, Context], Result]


def handle(
    kind: type[Message], function: Callable[[Message, State, Context], Result]
) -> Handler[State, Context, Result]:
    """An entry of a table; the type checker rejects a function that takes another class."""
    return Handler(kind, function)


class DispatchTable(Generic[State, Context, Result]):
    """Calls the handler of a message's own class; the handlers of base classes do not count.

    `purpose` completes the sentence "X is not …" of the TypeError for a message without a handler.
    Raises ValueError for two handlers of one class.
    """

    def __init__(self, purpose: str, *handlers: Handler[State, Context, Result]) -> None:
        self.purpose = purpose
        self.functions = {handler.kind: handler.function for handler in handlers}
        if len(self.functions) < len(handlers):
            raise ValueError(f"two handlers for one class among what is {purpose}")

    def __call__(self, message: object, state: State, context: Context) -> Result:
        """What the message's handler returns; raises TypeError if it has none."""
        function = self.functions.get(type(message))
        if function is None:
            raise TypeError(f"{type(message).__name__} is not {self.purpose}")
        return function(message, state, context)
