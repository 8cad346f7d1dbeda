"""The event log, as everything else sees it: append, read by stream, follow by partition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from service.errors import WrongExpectedVersion
from service.log.alarms import Alarms
from service.log.errors import AlreadyDone, Barred
from service.log.values import (
    Append,
    Pointer,
    Receipt,
    Recorded,
    StoredEvent,
    StreamId,
    StreamRange,
)
from service.log.wake import Wake

FEED_START = "0-0"
"""The position before a feed's first pointer."""


class EventLog(Protocol):
    """Append-only streams of events, in partitions with a feed each.

    A stream holds one entity's events. Beside it stand attributes, texts by name, and the receipts
    of requests. A partition's feed has a pointer for every append to one of its streams, in order;
    there is no order between partitions.

    Every method raises the store's own error where the store cannot be reached, and UnknownEvent
    where it reads an event that a newer version of the service has written. One contract suite
    (`tests/service/log/test_contract.py`) holds for every implementation.
    """

    @property
    def alarms(self) -> Alarms:
        """The times at which streams have to be looked at."""

    @property
    def partitions(self) -> int:
        """How many partitions there are; fixed when the log is first used."""

    def append(self, request: Append) -> int:
        """Append all of a request or nothing, and return the stream's new version.

        When it returns, the events are as durable as the store makes anything. Otherwise
        nothing was appended, and it raises, in this order: AlreadyDone with the receipt whose key
        was used before; WrongExpectedVersion where the stream is at another version, or at that
        version with another head; Barred where it has the attribute `unless`. Where the store's
        answer is lost, the store's own error says so; a request with a receipt can then be made
        again.
        """

    def append_each(
        self, requests: Sequence[Append]
    ) -> list[int | WrongExpectedVersion | AlreadyDone | Barred]:
        """Append several requests in order, each by itself all or nothing, for one round trip.

        Returns what `append` would have returned or raised for each; a second one to the same
        stream has to state its `head`. Raises the store's own error
        where its answers are lost; then each of them may have been appended or not.
        """

    def read(self, stream: StreamId, after: int = 0, limit: int | None = None) -> list[Recorded]:
        """Return up to `limit` events beyond version `after`, oldest first; none for no stream."""

    def read_each(self, streams: Sequence[StreamId]) -> list[list[Recorded]]:
        """Return all events of each of these streams, as `read` does, for one round trip."""

    def read_ranges(self, ranges: Sequence[StreamRange]) -> list[list[Recorded]]:
        """Return the events of each of these ranges, oldest first, for one round trip."""

    def read_stored(self, ranges: Sequence[StreamRange]) -> list[list[StoredEvent]]:
        """Return the events of each of these ranges, oldest first, for one round trip.

        They are not decoded: UnknownEvent is not raised.
        """

    def version(self, stream: StreamId) -> int:
        """Return how many events the stream has, 0 for no stream."""

    def head(self, stream: StreamId) -> str:
        """Return the digest of the newest event (`service.log.chain`), GENESIS for no stream."""

    def digests(self, streams: Sequence[StreamId]) -> list[str]:
        """Return the `head` of each of these streams, in order, for one round trip."""

    def receipt(self, stream: StreamId, key: str) -> Receipt | None:
        """Return what is remembered of the request with this key, None if there was none."""

    def attributes(self, wanted: Sequence[tuple[StreamId, str]]) -> list[str | None]:
        """Return attributes, given as stream and name, in that order; None where there is none.

        It costs one round trip.
        """

    def all_attributes(self, stream: StreamId) -> Mapping[str, str]:
        """Return every attribute of one stream, by name."""

    def feed(self, partition: int, after: str = FEED_START, limit: int = 500) -> list[Pointer]:
        """Return up to `limit` pointers of a partition beyond a position, oldest first."""

    def feed_each(self, after: Mapping[int, str], limit: int) -> dict[int, list[Pointer]]:
        """Return up to `limit` pointers of each of these partitions beyond its position.

        Oldest first, for one round trip.
        """

    def wait(
        self, after: Mapping[int, str], timeout: float, wake: Wake | None = None
    ) -> list[tuple[int, Pointer]]:
        """Wait up to `timeout` seconds for pointers beyond the positions given, at least one.

        Returns what has come with its partition, at once where something is there already, each
        partition's in order. May return earlier with nothing, as when `wake` is called: callers
        ask again.
        """

    def feed_positions(self, partitions: Iterable[int] | None = None) -> dict[int, str]:
        """Return the position of the newest pointer of each of these partitions, or of all.

        It is FEED_START for an empty one.
        """

    def partition(self, stream: StreamId) -> int:
        """Return the partition that a stream belongs to."""

    def streams(self, kind: str) -> Sequence[StreamId]:
        """Return every stream of a kind that has events, in no order.

        It reads the whole store: for rebuilding, not for requests.
        """
