"""The log of a game or a tournament as NDJSON, proven from its first event to its signed head.

Every line but the last is an event's public part in canonical JSON, and the next line has its
digest. The last line has the number of events and the digest of the last one, and is signed
(`service.log.chain`, `service.verification.statement`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from service.log.chain import digest
from service.log.values import GENESIS
from service.verification.decoding import check_members, object_in, recorded
from service.verification.errors import Location, Unverifiable, Wrong
from service.verification.keys import PublicKeys, Signature
from service.verification.replaying import replay
from service.verification.report import UNSIGNED, VerificationResult
from service.verification.statement import HEAD, PARTIAL, head_statement
from service.verification.tournament import describe_tournament, replay_tournament

GAME: Final = "game:"
TOURNAMENT: Final = "tournament:"
HEAD_MEMBERS: Final = {
    "count": int,
    "head": str,
    "key": str,
    "signature": str,
    "stream": str,
    "type": str,
}
PARTIAL_MEMBERS: Final = {"after": int, "count": int, "stream": str, "type": str}

Line = Mapping[str, Any]


def verify_events(data: bytes, keys: PublicKeys | None) -> VerificationResult:
    """Verify an export of a log's events; without keys, everything except the signature."""
    proven: list[str] = []
    try:
        _check(data, keys, proven)
    except (Wrong, Unverifiable) as error:
        return VerificationResult(f"events of a {_kind_of(data)}", tuple(proven), error)
    return VerificationResult(f"events of a {_kind_of(data)}", tuple(proven))


def _kind_of(data: bytes) -> str:
    """The kind of stream the events are of; every line has the stream's name."""
    return "tournament" if b'"stream":"tournament:' in data.partition(b"\n")[0] else "game"


def _check(data: bytes, keys: PublicKeys | None, proven: list[str]) -> None:
    *lines, rest = data.split(b"\n")
    if rest:
        raise Wrong("the last line does not end", Location(line=len(lines) + 1))
    if not lines:
        raise Unverifiable("the file is empty")
    values = [object_in(line, number) for number, line in enumerate(lines, 1)]
    *events, head = values
    _check_events(events)
    digests = [digest(line) for line in lines[:-1]]
    kind = _check_last(head, len(lines))
    _check_sequence(events, head, head["after"] if kind == PARTIAL else 0)
    if kind == PARTIAL:
        if events:
            before = events[0]["previous"] if head["after"] else GENESIS
            _check_chain(events, digests, before, None)
        raise Unverifiable(f"this is a part of a {_kind_of(data)}'s events; export it whole")
    _check_count(events, head)
    if not events:
        raise Wrong(f"a {_kind_of(data)} without any event", Location(line=1))
    _check_chain(events, digests, GENESIS, head["head"])
    _check_head(head, digests, keys, proven)
    entries = [
        recorded(value, Location(line=number, event=number))
        for number, value in enumerate(events, 1)
    ]
    if head["stream"].startswith(TOURNAMENT):
        found = replay_tournament(head["stream"].removeprefix(TOURNAMENT), entries)
        proven.extend(describe_tournament(found))
        return
    try:
        state = replay(head["stream"].removeprefix(GAME), entries)
    except Wrong as wrong:
        # A line is an event.
        place = Location(line=wrong.place.event, event=wrong.place.event, ply=wrong.place.ply)
        raise Wrong(wrong.reason, place) from wrong
    actions = f"{len(state.played)} actions of {state.variant} by the rules {state.rules}"
    proven.append(f"game: {actions}, result and all statements correct")


def _check_events(events: Sequence[Line]) -> None:
    for number, event in enumerate(events, 1):
        if event.get("type") in (HEAD, PARTIAL):
            raise Wrong("something follows the export's last line", Location(line=number))
        check_members(event, number)


def _check_last(head: Line, number: int) -> str:
    for kind, expected in ((HEAD, HEAD_MEMBERS), (PARTIAL, PARTIAL_MEMBERS)):
        if {name: type(member) for name, member in head.items()} == expected:
            if head["type"] != kind or not head["stream"].startswith((GAME, TOURNAMENT)):
                break
            return kind
    reason = "no signed head: the export's end is missing, or changed"
    raise Wrong(reason, Location(line=number))


def _check_sequence(events: Sequence[Line], head: Line, after: int) -> None:
    for number, event in enumerate(events, 1):
        place = Location(line=number, event=after + number)
        if event["version"] != after + number:
            reason = f"event {event['version']} stands where event {after + number} is due"
            raise Wrong(reason, place)
        if event["stream"] != head["stream"]:
            raise Wrong(f"an event of {event['stream']}, not of {head['stream']}", place)


def _check_count(events: Sequence[Line], head: Line) -> None:
    if head["count"] != len(events):
        reason = f"the head counts {head['count']} events, {len(events)} are here"
        raise Wrong(
            reason, Location(line=len(events) + 1, event=min(head["count"], len(events)) + 1)
        )


def _check_chain(
    events: Sequence[Line], digests: Sequence[str], before: str, head: str | None
) -> None:
    """Raise Wrong for the first event that does not match what its neighbours say.

    `stated[i]` is the digest that event i gives for the event before it, `real[i]` is the actual
    one. If both the link before an event and the one after it are broken, the event itself was
    changed; if only one is, the event before it. Only the head's signature shows whether the last
    event or the head was changed: `_check_head` finds that out.
    """
    stated = [event["previous"] for event in events] + ([] if head is None else [head])
    real = [before, *digests]
    broken = [index for index, (s, r) in enumerate(zip(stated, real, strict=False)) if s != r]
    index = broken[0] if broken else len(events)
    if index == len(events):
        return
    if index == 0 or index + 1 in broken:
        reason = "the event is not the one that was logged: its digest or its link is another"
        raise Wrong(reason, Location(index + 1, None, _of(events, index)))
    reason = f"the event is not the one that event {_of(events, index)} names"
    raise Wrong(reason, Location(index, None, _of(events, index - 1)))


def _of(events: Sequence[Line], index: int) -> int:
    return int(events[index]["version"])


def _check_head(
    head: Line, digests: Sequence[str], keys: PublicKeys | None, proven: list[str]
) -> None:
    """Raise Wrong if the head is not as it was signed, or for an event it doesn't name."""
    count = len(digests)
    is_named = head["head"] == digests[-1]
    if is_named:
        proven.append(f"chain: {count} events of {head['stream']}, none missing, none changed")
    _check_signature(head, count + 1, keys, proven)
    if not is_named:
        raise Wrong("the event is not the one the head names", Location(line=count, event=count))


def _check_signature(head: Line, number: int, keys: PublicKeys | None, proven: list[str]) -> None:
    if keys is None:
        proven.append(UNSIGNED)
        return
    statement = head_statement(head["stream"], head["count"], head["head"])
    try:
        keys.verify(statement, Signature(head["key"], head["signature"]))
    except Wrong as wrong:
        raise Wrong(wrong.reason, Location(line=number)) from wrong
    proven.append(f"signature: of the head, by the key {head['key']}")
