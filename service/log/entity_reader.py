"""Loads the entities of a log: each is a stream of events, and its state is their fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic

from service.errors import NotFound
from service.log.entity import A, C, Entity, N, PrivateParts, S
from service.log.interface import EventLog
from service.log.state_cache import StateCache
from service.log.values import Recorded, StreamId


class EntityReader(Generic[S, N, C, A]):
    """The entities of one kind in a log, loaded by id. Thread-safe."""

    def __init__(
        self,
        log: EventLog,
        clock: Callable[[], int],
        entity: Entity[S, N, C, A],
        private: PrivateParts | None = None,
    ) -> None:
        """`clock` is in milliseconds since 1970 UTC; `private` opens events' private fields."""
        self.log = log
        self.clock = clock
        self.entity = entity
        self.private = private
        self._cache = StateCache[S](entity.cached, entity.weigh)

    def stream(self, id: str) -> StreamId:
        """Return the name of the stream of the entity with this id."""
        return StreamId(self.entity.kind, id)

    def find(self, id: str) -> S | None:
        """Return the newest state of the entity with this id, None if there is none."""
        known = self._get_cached(id)
        # The last event known is read again: a store that was restored from a backup, or that
        # lost its last second, has another one or none.
        recorded = self.read(id, known.version - 1 if known else 0)
        if known is not None:
            if recorded and recorded[0].hash == known.head:
                recorded = recorded[1:]
            else:
                self._cache.forget(id)
                known, recorded = None, self.read(id)
        state = self.entity.fold(id, recorded, known)
        return None if state is None else self._cache.put(state)

    def load(self, id: str) -> S:
        """Return the newest state of the entity with this id; raises NotFound."""
        state = self.find(id)
        if state is None:
            raise NotFound(self.entity.kind, id)
        return state

    def follow(self, id: str, recorded: Sequence[Recorded]) -> S:
        """Return the state after events that were read as they arrived, or a newer one.

        The log is read only if they do not follow the state known here; raises NotFound.
        """
        known = self._get_cached(id)
        if known is not None and known.head == recorded[-1].hash:
            return known
        if known is None or known.head != recorded[0].previous:
            return self.load(id)
        opened = self._open_private(self.stream(id), list(recorded))
        state = self.entity.fold(id, opened, known)
        assert state is not None
        return self._cache.put(state)

    def load_each(self, ids: Sequence[str]) -> list[S]:
        """Return the newest states of the entities that exist among these, read together."""
        folded = (
            self.entity.fold(id, recorded, None)
            for id, recorded in zip(ids, self.read_each(ids), strict=True)
        )
        return [state for state in folded if state is not None]

    def exists(self, id: str) -> bool:
        """Return whether there is an entity with this id."""
        return self.log.version(self.stream(id)) > 0

    def at_version(self, id: str, version: int) -> S:
        """Return the state after the first `version` events; raises NotFound for fewer events."""
        newest = self.load(id)
        if newest.version == version:
            return newest
        state = self.entity.fold(id, self.read(id, limit=version), None)
        if state is None or state.version != version:
            raise NotFound(self.entity.kind, id)
        return state

    def at_time(self, id: str, at: int) -> S:
        """Return the state at a time in milliseconds since 1970 UTC; raises NotFound."""
        recorded = (entry for entry in self.read(id) if entry.at <= at)
        state = self.entity.fold(id, recorded, None)
        if state is None:
            raise NotFound(self.entity.kind, id)
        return state

    def read(self, id: str, after: int = 0, limit: int | None = None) -> list[Recorded]:
        """Return up to `limit` events after version `after`, with their private fields.

        They are for folding, never to be shown as they are.
        """
        stream = self.stream(id)
        return self._open_private(stream, self.log.read(stream, after, limit))

    def read_each(self, ids: Sequence[str]) -> list[list[Recorded]]:
        """Return all events of each of these entities, as `read` does, read together."""
        streams = [self.stream(id) for id in ids]
        return [
            self._open_private(stream, recorded)
            for stream, recorded in zip(streams, self.log.read_each(streams), strict=True)
        ]

    def digests(self, ids: Sequence[str]) -> list[str]:
        """Return the digest of each entity's newest event (`service.log.chain`)."""
        return self.log.digests([self.stream(id) for id in ids])

    def _open_private(self, stream: StreamId, recorded: list[Recorded]) -> list[Recorded]:
        if self.private is None:
            return recorded
        return self.private.open(self.log, stream, recorded)

    def _get_cached(self, id: str) -> S | None:
        """Return a state to decide a command on first, None for none; it may be out of date."""
        return self._cache.get(id)
