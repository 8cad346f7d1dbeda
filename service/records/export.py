"""Exports to be verified offline: logs as NDJSON, records with their digest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from notation.game import Game
from notation.writer import write, write_heading
from service.game.importing import HASH_TAG, SIGNATURE_TAG
from service.log.chain import canonical, digest, public_part
from service.log.values import GENESIS, Recorded, StreamId
from service.records.signer import Signer
from service.verification.keys import Signature
from service.verification.statement import head_statement, partial_line, record_statement

BLANK: Final = {HASH_TAG: "?", SIGNATURE_TAG: "?"}
LINES: Final = {tag: f'[{tag} "?"]\n' for tag in BLANK}
"""The lines of the tags while these are blank."""


@dataclass(frozen=True, slots=True)
class Unsigned:
    """A record whose tags `RecordHash` and `RecordSignature` are blank, and its digest."""

    text: str
    hash: str

    def signed(self, signature: Signature) -> str:
        """The record with its digest and its signature."""
        text = self.text
        for tag, value in ((HASH_TAG, self.hash), (SIGNATURE_TAG, signature)):
            text = text.replace(LINES[tag], f'[{tag} "{value}"]\n', 1)
        return text


def sign_record(game: Game, signer: Signer) -> str:
    """The canonical text of a record with the tags `RecordHash` and `RecordSignature`."""
    unsigned = prepare_record(game)
    return unsigned.signed(signer.sign(record_statement(unsigned.hash)))


def prepare_record(game: Game) -> Unsigned:
    """The canonical text of a record, to be signed."""
    return _unsigned(write(replace(game, tags={**game.tags, **BLANK})))


def prepare_from_movetext(variant: str, tags: Mapping[str, str], movetext: str) -> Unsigned:
    """Like `prepare_record`, from tags and canonical movetext; nothing is parsed or played."""
    return _unsigned(f"{write_heading(variant, {**tags, **BLANK})}\n{movetext}")


def _unsigned(text: str) -> Unsigned:
    bare = text
    for line in LINES.values():
        # No other tag's value can hold such a line: quotes are escaped, and it is one line.
        bare = bare.replace(line, "", 1)
    return Unsigned(text, digest(bare.encode()))


def write_whole_log(
    stream: StreamId, pages: Iterable[Sequence[Recorded]], signer: Signer
) -> Iterator[bytes]:
    """The lines of all events of a stream, a page's together, and then the signed head."""
    version, head = 0, GENESIS
    for recorded in pages:
        yield b"".join(write_event_lines(stream, recorded))
        version, head = recorded[-1].version, recorded[-1].hash
    statement = head_statement(str(stream), version, head)
    signature = signer.sign(statement)
    signed = {**statement, "key": signature.key, "signature": signature.value}
    yield canonical(signed) + b"\n"


def write_part_of_log(
    stream: StreamId, recorded: Sequence[Recorded], after: int
) -> Iterator[bytes]:
    """The lines of a stream's events after version `after`, and a last line that says so."""
    yield from write_event_lines(stream, recorded)
    yield canonical(partial_line(str(stream), after, len(recorded))) + b"\n"


def write_event_lines(stream: StreamId, recorded: Sequence[Recorded]) -> Iterator[bytes]:
    """A line for each event: its public part, in the form that its digest is computed from."""
    return (canonical(public_part(stream, entry)) + b"\n" for entry in recorded)
