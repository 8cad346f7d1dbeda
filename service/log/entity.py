"""What a repository (`service.log.repository`) has to know about the entities that it keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from service.log.interface import EventLog
from service.log.values import Event, Recorded, StreamId


class EntityState(Protocol):
    """What every entity's state has: a frozen value, the fold of its events."""

    @property
    def id(self) -> str:
        """The entity's id."""

    @property
    def version(self) -> int:
        """The number of its newest event."""

    @property
    def head(self) -> str:
        """The digest of its newest event."""

    @property
    def updated_at(self) -> int:
        """The time of its newest event, in milliseconds since 1970 UTC."""


class Author(Protocol):
    """The sender of a command, as known to the log."""

    @property
    def player(self) -> str:
        """The player's id, or the name of one of the service's own processes."""


S = TypeVar("S", bound=EntityState)
N = TypeVar("N")
"""The commands that begin an entity."""
C = TypeVar("C")
"""The commands to an entity that exists."""
A = TypeVar("A", bound=Author)


def no_attributes(command: object, state: object, events: Sequence[Event]) -> Mapping[str, str]:
    """The attributes of an entity that has none."""
    return {}


def no_audience(state: object) -> Sequence[str]:
    """The audience of an entity that nobody follows."""
    return ()


def no_alarm(state: object) -> int | None:
    """The alarm of an entity that has to be looked at only when something happens to it."""
    return None


def weigh_alike(state: object) -> int:
    """The weight of a state that takes about as much memory as any other."""
    return 1


Preparation = Callable[[], str]
"""Makes durable what has to exist before some events do, such as a claim.

Returns the attribute that forbids the events (`Append.unless`), "" if none does. May refuse the
events by raising; calling it again changes nothing.
"""


def no_preparation(id: str, recorded: Sequence[Recorded]) -> Preparation | None:
    """The preparation of an entity whose events need none."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity(Generic[S, N, C, A]):
    """What a repository has to know about one kind of entity.

    `kind` names the entity's streams.
    `fold(id, recorded, state)` returns the state after these events, which follow `state`, or
    begin the stream if that is None; it returns None if there is neither.
    `create(command, actor)` and `decide(command, state, actor)` return the events of a command, or
    refuse it with a ServiceError or one of `refusals`.
    `attributes(command, state, events)` returns the values to set beside the stream, None for one
    to remove; its `state` is the one before the events, None for a new entity.
    `audience(state)` returns the ids of the players whom the events concern.
    `alarm(state)` returns when the entity has to be looked at (`Append.alarm`).
    `prepare(id, recorded)` returns what has to be done before these events are appended, None for
    nothing. It is not called for a command that was carried out before.
    `cached` is the most that the states cached by a repository may weigh together, by
    `weigh(state)`: their number, unless some take far more memory than others.
    """

    kind: str
    fold: Callable[[str, Iterable[Recorded], S | None], S | None]
    create: Callable[[N, A], Sequence[Event]]
    decide: Callable[[C, S, A], Sequence[Event]]
    refusals: tuple[type[Exception], ...] = ()
    attributes: Callable[[N | C, S | None, Sequence[Event]], Mapping[str, str | None]] = (
        no_attributes
    )
    audience: Callable[[S], Sequence[str]] = no_audience
    alarm: Callable[[S], int | None] = no_alarm
    prepare: Callable[[str, Sequence[Recorded]], Preparation | None] = no_preparation
    cached: int = 0
    weigh: Callable[[S], int] = weigh_alike


class PrivateParts(Protocol):
    """Keeps the private fields of events beside their streams (`Event.private`)."""

    def seal(self, stream: StreamId, recorded: Sequence[Recorded]) -> Mapping[str, str]:
        """Return the attributes to set, by name, that keep the private fields of these events."""

    def open(self, log: EventLog, stream: StreamId, recorded: list[Recorded]) -> list[Recorded]:
        """Return the events with their private fields filled in, as far as they are kept.

        Raises CannotUnseal (`service.secrets.errors`) if the key is missing.
        """
