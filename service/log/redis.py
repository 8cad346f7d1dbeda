"""The event log in Redis Streams, on one server or a Redis Cluster.

Keys of a stream share the hash tag of its partition, so that the append script touches only one
slot of a Redis Cluster:

    movelog:{p7}:game:<id>             the stream; entry ids are <version>-0
    movelog:{p7}:game:<id>:receipts    hash: idempotency key digest → receipt
    movelog:{p7}:game:<id>:aside       hash: values kept beside the stream
    movelog:{p7}:feed                  pointers to what was appended in the partition
    movelog:{p7}:alarms                when each stream has to be looked at
    movelog:{p7}:confirmed             written to see whether replicas have the feed
    movelog:{p7}:fence-game            replaced when games of the partition go into the archive
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from service.errors import WrongExpectedVersion
from service.log.append_script import APPEND, build_call
from service.log.cluster import LogCluster
from service.log.codec import Codec
from service.log.errors import AlreadyDone, Barred, MaybeArchived, PartitionMismatch
from service.log.feed_waits import FeedWaits
from service.log.interface import FEED_START
from service.log.joined_calls import JoinedCalls
from service.log.noted_reads import note_keys
from service.log.pages import collect_page
from service.log.partition import PARTITIONS, partition_of
from service.log.redis_alarms import RedisAlarms
from service.log.redis_exchange import (
    LogClient,
    call_once,
    raise_first,
    read_together,
    run_once,
)
from service.log.redis_forms import (
    decode_answer,
    decode_pointers,
    decode_receipt,
    decode_stored,
    decode_version,
    name_feed,
    name_fence,
    name_news,
    shorten_key,
)
from service.log.replication import FIND_RECEIPT
from service.log.values import (
    GENESIS,
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
from service.tracing.tracing import trace_append

PARTITIONS_KEY = "movelog:partitions"
LARGE = 16
"""A request with this many calls sends them by itself, so that single calls need not wait."""


class RedisEventLog:
    """`service.log.interface.EventLog` on Redis 6.2 or later, or on a cluster of Redis 7 or Valkey.

    `client` must not decode responses. Raises PartitionMismatch if the log was begun with a
    different number of partitions.

    An append returns when its events are on `replicas` replicas of its server; otherwise it raises
    TooFewReplicas: they may be lost with the server, and a request with a receipt can be repeated.

    Appends are sent once, whatever the client's retries: if the answer is lost, only the caller can
    tell whether to ask again, and the connection's error is raised. Reads are retried.
    """

    def __init__(
        self, client: LogClient, codec: Codec, partitions: int = PARTITIONS, replicas: int = 0
    ) -> None:
        self.client = client
        self.replicas = replicas
        self.codec = codec
        self.partitions = partitions
        self.alarms = RedisAlarms(client, partitions)
        self.waits = FeedWaits(client, replicas)
        self._appends = JoinedCalls(
            partial(call_once, client, APPEND, replicas=replicas),
            most=0 if isinstance(client, LogCluster) else LARGE,
        )
        # A store that accepts no writes at the moment can still be read.
        if client.get(PARTITIONS_KEY) is None:
            client.set(PARTITIONS_KEY, partitions, nx=True)
        stored: Any = client.get(PARTITIONS_KEY)
        if int(stored) != partitions:
            raise PartitionMismatch(int(stored), partitions)

    def partition(self, stream: StreamId) -> int:
        """The partition a stream belongs to."""
        return partition_of(stream, self.partitions)

    def append(self, request: Append) -> int:
        """Append all of a request or nothing (see the interface)."""
        (made,) = self.append_each([request])
        if isinstance(made, int):
            return made
        raise made

    def append_each(
        self, requests: Sequence[Append]
    ) -> list[int | WrongExpectedVersion | AlreadyDone | Barred]:
        """Append several requests in order (see the interface); also raises MaybeArchived."""
        made: list[int | WrongExpectedVersion | AlreadyDone | Barred] = []
        for answer in self.append_behind(requests):
            if isinstance(answer, MaybeArchived):
                raise answer
            made.append(answer)
        return made

    def append_behind(
        self, requests: Sequence[Append], fence: str = ""
    ) -> list[int | WrongExpectedVersion | AlreadyDone | Barred | MaybeArchived]:
        """Append several requests as `append_each` does, but return MaybeArchived too.

        None of their streams was archived when `fence` was read. The result is MaybeArchived if
        others were archived since.
        """
        with trace_append(requests) as trace:
            calls = [self._build_call(each, fence, trace) for each in requests]
            answers = raise_first(self._appends.call(calls))
        return [decode_answer(*pair) for pair in zip(requests, answers, strict=True)]

    def _build_call(self, request: Append, fence: str, trace: str) -> list[str | int | bytes]:
        head = request.head
        if head is None:
            head = self.head(request.stream) if request.expected else GENESIS
        key, partition = self.key(request.stream), self.partition(request.stream)
        news = name_news(partition) if isinstance(self.client, LogCluster) else ""
        durable = bool(self.replicas)
        call = build_call(request, self.codec, key, partition, head, fence, news, durable)
        return [*call, trace] if trace else call

    def read(self, stream: StreamId, after: int = 0, limit: int | None = None) -> list[Recorded]:
        """The events of a stream after version `after`, oldest first."""
        if limit is not None and limit < 1:
            return []
        # The entry before the first is read as well, for its digest.
        count = limit + 1 if limit is not None and after else limit
        command: list[str | int] = ["XRANGE", self.key(stream), f"{max(after, 1)}-0", "+"]
        (entries,) = self._ask([command if count is None else [*command, "COUNT", count]])
        return self._decode_entries(entries, after)

    def read_page(self, stream: StreamId, after: int, limit: int) -> LogPage:
        """Up to `limit` events of a stream after version `after`; fewer if they are large."""
        return collect_page(partial(self._read_sized, stream), after, limit)

    def _read_sized(self, stream: StreamId, after: int, limit: int) -> list[tuple[Recorded, int]]:
        """Up to `limit` events of a stream after version `after`, each with its size."""
        (entries,) = self._read_entries([StreamRange(stream, after, limit)])
        sizes = (len(fields[3]) for _, fields in entries[after > 0 :])
        return list(zip(self._decode_entries(entries, after), sizes, strict=True))

    def read_each(self, streams: Sequence[StreamId]) -> list[list[Recorded]]:
        """All events of several streams, in one round trip."""
        answers = self._ask([("XRANGE", self.key(stream), "-", "+") for stream in streams])
        return [self._decode_entries(entries, 0) for entries in answers]

    def read_ranges(self, ranges: Sequence[StreamRange]) -> list[list[Recorded]]:
        """The events of each of these ranges, in one round trip."""
        answers = zip(ranges, self._read_entries(ranges), strict=True)
        return [self._decode_entries(entries, one.after) for one, entries in answers]

    def read_stored(self, ranges: Sequence[StreamRange]) -> list[list[StoredEvent]]:
        """The events of each of these ranges, undecoded, in one round trip."""
        answers = zip(ranges, self._read_entries(ranges), strict=True)
        return [decode_stored(entries, one.after) for one, entries in answers]

    def _read_entries(self, ranges: Sequence[StreamRange]) -> list[Any]:
        """The entries of each range as the server gives them, after the one before the range."""
        commands = []
        for one in ranges:
            count = one.limit + (one.after > 0)
            first = f"{max(one.after, 1)}-0"
            commands.append(("XRANGE", self.key(one.stream), first, "+", "COUNT", count))
        return self._ask(commands)

    def version(self, stream: StreamId) -> int:
        """How many events the stream has."""
        (entries,) = self._ask_newest([self.key(stream)])
        return decode_version(entries[0][0]) if entries else 0

    def head(self, stream: StreamId) -> str:
        """The digest of the stream's newest event."""
        return self.digests([stream])[0]

    def digests(self, streams: Sequence[StreamId]) -> list[str]:
        """The digest of each stream's newest event, in one round trip."""
        newest = self._ask_newest([self.key(stream) for stream in streams])
        return [entries[0][1][9].hex() if entries else GENESIS for entries in newest]

    def receipt(self, stream: StreamId, key: str) -> Receipt | None:
        """What is remembered about the request with this key."""
        name = f"{self.key(stream)}:receipts"
        if self.replicas:
            # A caller relies on this answer as if the events were appended now.
            call = (1, name, key, shorten_key(key))
            (value,) = run_once(self.client, FIND_RECEIPT, [call], self.replicas)
        else:
            values: Any = self.client.hmget(name, [key, shorten_key(key)])
            value = values[0] or values[1]
        return None if value is None else decode_receipt(key, value)

    def attributes(self, wanted: Sequence[tuple[StreamId, str]]) -> list[str | None]:
        """Values kept beside streams, in one round trip."""
        if not wanted:
            return []
        together = [(s, [f for _, f in pairs]) for s, pairs in groupby(wanted, itemgetter(0))]
        commands = [("HMGET", self.attributes_key(s), *fields) for s, fields in together]
        answers = self._ask(commands)
        values = chain.from_iterable(answers)
        return [None if value is None else value.decode() for value in values]

    def all_attributes(self, stream: StreamId) -> Mapping[str, str]:
        """Every value kept beside one stream."""
        name = self.attributes_key(stream)
        note_keys([name])
        values: Any = self.client.hgetall(name)
        return {field.decode(): value.decode() for field, value in values.items()}

    def feed(self, partition: int, after: str = FEED_START, limit: int = 500) -> list[Pointer]:
        """The pointers of a partition's feed after a position."""
        return self.feed_each({partition: after}, limit)[partition]

    def feed_each(self, after: Mapping[int, str], limit: int) -> dict[int, list[Pointer]]:
        """The pointers of each of these partitions after its position, in one round trip."""
        commands = [
            ("XRANGE", name_feed(partition), f"({position}", "+", "COUNT", limit)
            for partition, position in after.items()
        ]
        answers = zip(after, self._ask(commands), strict=True)
        return {partition: decode_pointers(entries) for partition, entries in answers}

    def wait(
        self, after: Mapping[int, str], timeout: float, wake: Wake | None = None
    ) -> list[tuple[int, Pointer]]:
        """Wait for pointers after the positions given by partition (see the interface).

        Returns only pointers that enough replicas have.
        """
        return self.waits.wait(after, timeout, wake)[0]

    def feed_positions(self, partitions: Iterable[int] | None = None) -> dict[int, str]:
        """The position of the newest pointer of each of these partitions, by default of all."""
        asked = list(range(self.partitions) if partitions is None else partitions)
        answers = self._ask_newest([name_feed(partition) for partition in asked])
        return {
            partition: entries[0][0].decode() if entries else FEED_START
            for partition, entries in zip(asked, answers, strict=True)
        }

    def streams(self, kind: str) -> Sequence[StreamId]:
        """Every stream of a kind."""
        # A scan may give a key more than once.
        found = set()
        for key in self.client.scan_iter(match=f"movelog:{{p*}}:{kind}:*", count=1000):
            name = key.decode().split(":", 3)[3]
            if ":" not in name:
                found.add(StreamId(kind, name))
        return list(found)

    def key(self, stream: StreamId) -> str:
        """The key of a stream; what is kept beside it has this key with a suffix."""
        return f"movelog:{{p{self.partition(stream)}}}:{stream}"

    def attributes_key(self, stream: StreamId) -> str:
        """The key of what is kept beside a stream."""
        return f"{self.key(stream)}:aside"

    def fence_key(self, stream: StreamId) -> str:
        """The key that is replaced when streams of this one's kind and partition are archived."""
        return name_fence(self.partition(stream), stream.kind)

    def _ask(self, commands: Sequence[Sequence[str | int]]) -> list[Any]:
        note_keys(str(command[1]) for command in commands)
        return read_together(self.client, commands)

    def _ask_newest(self, keys: Sequence[str]) -> list[Any]:
        """The newest entry of each of these streams or feeds, as a list of one or none."""
        return self._ask([("XREVRANGE", key, "+", "-", "COUNT", 1) for key in keys])

    def _decode_entries(
        self, entries: Sequence[tuple[bytes, Sequence[bytes]]], after: int
    ) -> list[Recorded]:
        """A stream's entries as events; if `after` > 0, the first is the event at that version."""
        previous = GENESIS
        if after and entries:
            previous, entries = entries[0][1][9].hex(), entries[1:]
        recorded = []
        for id, (_, name, _, data, _, at, _, by, _, own) in entries:
            event = self.codec.decode(name.decode(), data)
            version, digest = decode_version(id), own.hex()
            recorded.append(Recorded(version, event, int(at), by.decode(), previous, digest))
            previous = digest
        return recorded
