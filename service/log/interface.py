"""The event log, as everything else sees it: append, read by stream, follow by partition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from service.errors import WrongExpectedVersion
from service.log.alarms import Alarms
from service.log.errors import AlreadyDone, Barred
from service.log.values import (
    Append,
    LogPage,
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

    A stream holds one entity's events. Beside it are attributes (texts by name) and the receipts of
    requests. A partition's feed has a pointer for every append to one of its streams, in order;
    there is no order between partitions.

    Every method raises the store's own error if the store cannot be reached, and UnknownEvent if it
    reads an event written by a newer version of the service. Every implementation has to pass one
    contract suite (`tests/service/log/test_contract.py`).
    """

    @property
    def alarms(self) -> Alarms:
        """The times at which streams have to be looked at."""

    @property
    def partitions(self) -> int:
        """How many partitions there are; fixed when the log is first used."""

    def append(self, request: Append) -> int:
        """Append all of a request or nothing, and return the stream's new version.

        When it returns, the events are as durable as the store makes anything. Otherwise nothing
        was appended, and it raises the first that applies of: AlreadyDone with the receipt whose
        key was used before; WrongExpectedVersion if the stream is at another version, or at that
        version with another head; Barred if it has the attribute `unless`, or if one that is
        `required` has another value. If the store's answer is lost, it raises the store's own
        error; a request with a receipt can then be repeated.
        """

    def append_each(
        self, requests: Sequence[Append]
    ) -> list[int | WrongExpectedVersion | AlreadyDone | Barred]:
        """Append several requests in order, each of them all or nothing, in one round trip.

        Returns for each what `append` would have returned or raised. A second request to the same
        stream has to state its `head`. Raises the store's own error if its answers are lost; then
        each of the requests may or may not have been appended.
        """

    def read(self, stream: StreamId, after: int = 0, limit: int | None = None) -> list[Recorded]:
        """Return up to `limit` events after version `after`, oldest first; none if no stream."""

    def read_page(self, stream: StreamId, after: int, limit: int) -> LogPage:
        """Return up to `limit` events after version `after`, oldest first; fewer if they are large.

        For readers of logs of any length: events can have half a megabyte each.
        """

    def read_each(self, streams: Sequence[StreamId]) -> list[list[Recorded]]:
        """Return all events of each of these streams, as `read` does, in one round trip."""

    def read_ranges(self, ranges: Sequence[StreamRange]) -> list[list[Recorded]]:
        """Return the events of each of these ranges, oldest first, in one round trip."""

    def read_stored(self, ranges: Sequence[StreamRange]) -> list[list[StoredEvent]]:
        """Return the events of each of these ranges, oldest first, in one round trip.

        They are not decoded: UnknownEvent is not raised.
        """

    def version(self, stream: StreamId) -> int:
        """Return how many events the stream has, 0 if there is no stream."""

    def head(self, stream: StreamId) -> str:
        """Return the digest of the newest event (`service.log.chain`), GENESIS if no stream."""

    def digests(self, streams: Sequence[StreamId]) -> list[str]:
        """Return the `head` of each of these streams, in order, in one round trip."""

    def receipt(self, stream: StreamId, key: str) -> Receipt | None:
        """Return what is remembered about the request with this key, None if there was none."""

    def attributes(self, wanted: Sequence[tuple[StreamId, str]]) -> list[str | None]:
        """Return attributes, given as stream and name, in that order; None for a missing one.

        It costs one round trip.
        """

    def all_attributes(self, stream: StreamId) -> Mapping[str, str]:
        """Return every attribute of one stream, by name."""

    def feed(self, partition: int, after: str = FEED_START, limit: int = 500) -> list[Pointer]:
        """Return up to `limit` pointers of a partition after a position, oldest first."""

    def feed_each(self, after: Mapping[int, str], limit: int) -> dict[int, list[Pointer]]:
        """Return up to `limit` pointers of each of these partitions after its position.

        They come oldest first, in one round trip.
        """

    def wait(
        self, after: Mapping[int, str], timeout: float, wake: Wake | None = None
    ) -> list[tuple[int, Pointer]]:
        """Wait up to `timeout` seconds for at least one pointer after the positions given.

        Returns the pointers that have arrived with their partitions, in order for each partition,
        and at once if there already are any. May return earlier with nothing, for example when
        `wake` is called; callers then ask again.
        """

    def feed_positions(self, partitions: Iterable[int] | None = None) -> dict[int, str]:
        """Return the position of the newest pointer of each of these partitions, or of all.

        It is FEED_START for an empty one.
        """

    def partition(self, stream: StreamId) -> int:
        """Return the partition that a stream belongs to."""

    def streams(self, kind: str) -> Sequence[StreamId]:
        """Return every stream of a kind that has events, in no particular order.

        It reads the whole store, so it is for rebuilding, not for requests.
        """
