"""The event log in Redis Streams.

Keys of a stream share the hash tag of its partition, so that the append script touches one slot
of a Redis Cluster alone:

    movelog:{p7}:game:<id>             the stream; entry ids are <version>-0
    movelog:{p7}:game:<id>:receipts    hash: idempotency key digest → receipt
    movelog:{p7}:game:<id>:aside       hash: values kept beside the stream
    movelog:{p7}:feed                  pointers to what was appended in the partition
    movelog:{p7}:alarms                when which stream has to be looked at
    movelog:{p7}:fence-game            set anew when games of the partition go into the archive
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

import redis

from service.errors import WrongExpectedVersion
from service.log.chain import list_entries
from service.log.codec import Codec
from service.log.errors import AlreadyDone, Barred, MaybeArchived, PartitionMismatch
from service.log.interface import FEED_START
from service.log.partition import PARTITIONS, partition_of
from service.log.redis_alarms import RedisAlarms, name_alarms
from service.log.redis_exchange import read_together, run_once
from service.log.redis_forms import (
    decode_answer,
    decode_pointer,
    decode_pointers,
    decode_receipt,
    decode_stored,
    decode_version,
    encode_receipt,
    name_fence,
    shorten_key,
)
from service.log.values import (
    GENESIS,
    Append,
    Pointer,
    Receipt,
    Recorded,
    StoredEvent,
    StreamId,
    StreamRange,
)
from service.tracing.tracing import trace_append

APPEND = files("service.log").joinpath("append.lua").read_text()
PARTITIONS_KEY = "movelog:partitions"
LONGEST_WAIT = 2.0
"""Seconds that `wait` blocks at most: well below the 5 after which redis-py gives up an answer."""


class RedisEventLog:
    """`service.log.interface.EventLog` on Redis 6.2 or later.

    `client` must not decode responses. Raises PartitionMismatch when the log was begun with
    another number of partitions.

    Appends are sent once, whatever the client's retries: where the answer is lost, only the
    caller can tell whether to ask again, and the connection's error says so. Reads are retried.
    """

    def __init__(self, client: redis.Redis, codec: Codec, partitions: int = PARTITIONS) -> None:
        self.client = client
        self.codec = codec
        self.partitions = partitions
        self.alarms = RedisAlarms(client, partitions)
        limit = client.get_connection_kwargs().get("socket_timeout")
        # A blocking read must be over before the client gives up on its answer.
        self._longest_wait = min(LONGEST_WAIT, limit / 2) if limit else LONGEST_WAIT
        # A store that takes no writes at the moment is read all the same.
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
        """Append several requests in order (see the interface); raises MaybeArchived, too."""
        made: list[int | WrongExpectedVersion | AlreadyDone | Barred] = []
        for answer in self.append_behind(requests):
            if isinstance(answer, MaybeArchived):
                raise answer
            made.append(answer)
        return made

    def append_behind(
        self, requests: Sequence[Append], fence: str = ""
    ) -> list[int | WrongExpectedVersion | AlreadyDone | Barred | MaybeArchived]:
        """Append several requests as `append_each` does, to streams that were looked for.

        None was archived when `fence` was read; MaybeArchived where others were since.
        """
        with trace_append(requests) as trace:
            calls = [self._build_arguments(each, fence, trace) for each in requests]
            answers = run_once(self.client, APPEND, calls)
        return [decode_answer(*pair) for pair in zip(requests, answers, strict=True)]

    def _build_arguments(self, request: Append, fence: str, trace: str) -> list[str | int | bytes]:
        """The keys and arguments of the script, their number first."""
        stream = self.key(request.stream)
        feed = self.feed_key(self.partition(request.stream))
        receipt = request.receipt
        head = request.head
        if head is None:
            head = self.head(request.stream) if request.expected else GENESIS
        arguments: list[str | int | bytes] = [
            6,
            stream,
            f"{stream}:receipts",
            f"{stream}:aside",
            feed,
            name_alarms(self.partition(request.stream)),
            self.fence_key(request.stream),
            request.expected,
            receipt.key if receipt else "",
            encode_receipt(receipt, request) if receipt else "",
            str(request.stream),
            " ".join(request.audience),
            request.at,
            request.by,
            bytes.fromhex(head),
            request.unless,
            "" if request.alarm is None else request.alarm,
            fence,
            len(request.events),
        ]
        for entry in list_entries(request, head):
            event = entry.event
            arguments += [event.stored_name, self.codec.encode(event), bytes.fromhex(entry.hash)]
        arguments.append(len(request.attributes))
        for field, value in request.attributes.items():
            arguments += [field, "0" if value is None else "1", value or ""]
        return [*arguments, trace] if trace else arguments

    def read(self, stream: StreamId, after: int = 0, limit: int | None = None) -> list[Recorded]:
        """The events of a stream beyond version `after`, oldest first."""
        if limit is not None and limit < 1:
            return []
        # The entry before the first is read with them, for its digest.
        count = limit + 1 if limit is not None and after else limit
        entries: Any = self.client.xrange(self.key(stream), f"{max(after, 1)}-0", "+", count)
        previous = GENESIS
        if after and entries:
            previous = entries.pop(0)[1][b"h"].hex()
        return self._decode_entries(entries, previous)

    def read_each(self, streams: Sequence[StreamId]) -> list[list[Recorded]]:
        """All events of several streams, in one round trip."""
        pipeline = self.client.pipeline(transaction=False)
        for stream in streams:
            pipeline.xrange(self.key(stream))
        return [self._decode_entries(entries, GENESIS) for entries in pipeline.execute()]

    def read_ranges(self, ranges: Sequence[StreamRange]) -> list[list[Recorded]]:
        """The events of each of these ranges, in one round trip."""
        found = []
        for one, answered in zip(ranges, self._read_entries(ranges), strict=True):
            entries = [(id, dict(zip(each[::2], each[1::2], strict=True))) for id, each in answered]
            previous = GENESIS
            if one.after and entries:
                previous = entries.pop(0)[1][b"h"].hex()
            found.append(self._decode_entries(entries, previous))
        return found

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
        return read_together(self.client, commands)

    def version(self, stream: StreamId) -> int:
        """How many events the stream has."""
        entries: Any = self.client.xrevrange(self.key(stream), "+", "-", 1)
        return decode_version(entries[0][0]) if entries else 0

    def head(self, stream: StreamId) -> str:
        """The digest of the stream's newest event."""
        return self.digests([stream])[0]

    def digests(self, streams: Sequence[StreamId]) -> list[str]:
        """The digest of each stream's newest event, in one round trip."""
        pipeline = self.client.pipeline(transaction=False)
        for stream in streams:
            pipeline.xrevrange(self.key(stream), "+", "-", 1)
        newest = pipeline.execute()
        return [entries[0][1][b"h"].hex() if entries else GENESIS for entries in newest]

    def receipt(self, stream: StreamId, key: str) -> Receipt | None:
        """What is remembered of the request with this key."""
        name = f"{self.key(stream)}:receipts"
        values: Any = self.client.hmget(name, [key, shorten_key(key)])
        value = values[0] or values[1]
        return None if value is None else decode_receipt(key, value)

    def attributes(self, wanted: Sequence[tuple[StreamId, str]]) -> list[str | None]:
        """Values kept beside streams, in one round trip."""
        if not wanted:
            return []
        together = [(s, [f for _, f in pairs]) for s, pairs in groupby(wanted, itemgetter(0))]
        commands = [("HMGET", f"{self.key(s)}:aside", *fields) for s, fields in together]
        client: Any = self.client
        if len(commands) == 1:
            answers = [client.execute_command(*commands[0])]
        else:
            pipeline = client.pipeline(transaction=False)
            for command in commands:
                pipeline.execute_command(*command)
            answers = pipeline.execute()
        values = chain.from_iterable(answers)
        return [None if value is None else value.decode() for value in values]

    def all_attributes(self, stream: StreamId) -> Mapping[str, str]:
        """Every value kept beside one stream."""
        values: Any = self.client.hgetall(f"{self.key(stream)}:aside")
        return {field.decode(): value.decode() for field, value in values.items()}

    def feed(self, partition: int, after: str = FEED_START, limit: int = 500) -> list[Pointer]:
        """The pointers of a partition's feed beyond a position."""
        entries: Any = self.client.xrange(self.feed_key(partition), f"({after}", "+", limit)
        return [decode_pointer(id, fields) for id, fields in entries]

    def feed_each(self, after: Mapping[int, str], limit: int) -> dict[int, list[Pointer]]:
        """The pointers of each of these partitions beyond its position, in one round trip."""
        commands = [
            ("XRANGE", self.feed_key(partition), f"({position}", "+", "COUNT", limit)
            for partition, position in after.items()
        ]
        answers = zip(after, read_together(self.client, commands), strict=True)
        return {partition: decode_pointers(entries) for partition, entries in answers}

    def wait(self, after: Mapping[int, str], timeout: float) -> list[tuple[int, Pointer]]:
        """Wait for pointers beyond the positions given by partition (see the interface)."""
        streams: Any = {self.feed_key(p): position for p, position in after.items()}
        block = max(1, int(min(timeout, self._longest_wait) * 1000))
        answer: Any = self.client.xread(streams, count=500, block=block)
        by_key = {self.feed_key(p).encode(): p for p in after}
        return [
            (by_key[key], decode_pointer(id, fields))
            for key, entries in answer or ()
            for id, fields in entries
        ]

    def feed_positions(self) -> dict[int, str]:
        """The position of the newest pointer of each partition."""
        pipeline = self.client.pipeline(transaction=False)
        for partition in range(self.partitions):
            pipeline.xrevrange(self.feed_key(partition), "+", "-", 1)
        answers: Any = pipeline.execute()
        return {
            partition: entries[0][0].decode() if entries else FEED_START
            for partition, entries in enumerate(answers)
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
        """The key of a stream; what stands beside it has this key and a suffix."""
        return f"movelog:{{p{self.partition(stream)}}}:{stream}"

    def feed_key(self, partition: int) -> str:
        """The key of a partition's feed."""
        return f"movelog:{{p{partition}}}:feed"

    def fence_key(self, stream: StreamId) -> str:
        """The key that is set anew when streams of this one's kind and partition are archived."""
        return name_fence(self.partition(stream), stream.kind)

    def _decode_entries(
        self, entries: Sequence[tuple[bytes, Mapping[bytes, bytes]]], previous: str
    ) -> list[Recorded]:
        """Entries of a stream as events; `previous` is the digest of the one before the first."""
        recorded = []
        for id, fields in entries:
            event = self.codec.decode(fields[b"e"].decode(), fields[b"d"])
            at, by, own = int(fields[b"t"]), fields[b"b"].decode(), fields[b"h"].hex()
            recorded.append(Recorded(decode_version(id), event, at, by, previous, own))
            previous = own
        return recorded
