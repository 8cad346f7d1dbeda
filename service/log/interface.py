"""The event log, as everything else sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from service.errors import WrongExpectedVersion
from service.log.errors import AlreadyDone, Barred
from service.log.values import Append, Pointer, Receipt, Recorded, StreamId

FEED_START = "0-0"
"""The position before a feed's first pointer."""


class EventLog(Protocol):
    """Append-only streams of events, in partitions with a feed each.

    One contract suite (`tests/service/log/test_contract.py`) holds for every implementation.
    """

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
        """The events of a stream beyond version `after`, oldest first; empty for no stream."""

    def read_each(self, streams: Sequence[StreamId]) -> list[list[Recorded]]:
        """All events of several streams, as `read` gives them, for one round trip."""

    def version(self, stream: StreamId) -> int:
        """How many events the stream has; 0 for no stream."""

    def head(self, stream: StreamId) -> str:
        """The digest of the stream's newest event (`service.log.chain`); GENESIS for no stream."""

    def digests(self, streams: Sequence[StreamId]) -> list[str]:
        """The `head` of each of several streams, for one round trip."""

    def receipt(self, stream: StreamId, key: str) -> Receipt | None:
        """What is remembered of the request with this key."""

    def attributes(self, wanted: Sequence[tuple[StreamId, str]]) -> list[str | None]:
        """Values kept beside streams, in the order asked; None where there is none."""

    def all_aside(self, stream: StreamId) -> Mapping[str, str]:
        """Every value kept beside one stream."""

    def feed(self, partition: int, after: str = FEED_START, limit: int = 500) -> list[Pointer]:
        """The pointers of a partition's feed beyond a position, oldest first."""

    def wait(self, after: Mapping[int, str], timeout: float) -> list[tuple[int, Pointer]]:
        """Wait up to `timeout` seconds for pointers beyond the positions given, at least one.

        Returns what has come with its partition, at once where something is there already, each
        partition's in order. May return earlier with nothing: callers ask again.
        """

    def feed_positions(self) -> dict[int, str]:
        """The position of the newest pointer of each partition."""

    def partition(self, stream: StreamId) -> int:
        """The partition a stream belongs to."""

    def streams(self, kind: str) -> Sequence[StreamId]:
        """Every stream of a kind, in no order; for rebuilding, not for requests."""
