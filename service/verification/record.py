"""PGN-like records as the service exports them: digest, signature, then the rules.

`RecordHash` is the SHA-256 of the record's text without the lines of the two Record tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from notation.errors import RecordError
from notation.game import Game
from notation.reader import read_game
from service.game.importing import HASH_TAG, RULES_TAG, SIGNATURE_TAG
from service.log.chain import digest
from service.verification.changed_byte import ChangedBytes
from service.verification.errors import Location, Unverifiable, Wrong
from service.verification.keys import PublicKeys, Signature
from service.verification.report import UNSIGNED, VerificationResult
from service.verification.statement import record_statement

_PARTED: Final = re.compile(rb"\n\n(?=\[Event )")
_TAGS: Final = re.compile(rb"(?:\[[^\n]*\n)*")


def verify_records(data: bytes, keys: PublicKeys | None) -> list[VerificationResult]:
    """Verify each record of a file; without keys, everything except the signatures."""
    verdicts = []
    search = ChangedBytes()
    for number, (line, text) in enumerate(parts(data), 1):
        proven: list[str] = []
        error: Wrong | Unverifiable | None = None
        try:
            _check(text, line, keys, proven, search)
        except (Wrong, Unverifiable) as why:
            error = why
        verdicts.append(VerificationResult(f"record {number}, line {line}", tuple(proven), error))
    return verdicts


def is_signed(text: str, keys: PublicKeys) -> bool:
    """Whether the service with these keys exported the record, and nothing in it was changed.

    Line ends and white space after the record do not count.
    """
    exported = text.replace("\r\n", "\n").rstrip() + "\n"
    bare, hash = _without(exported.encode(), HASH_TAG)
    bare, signature = _without(bare, SIGNATURE_TAG)
    if hash is None or signature is None or digest(bare) != hash:
        return False
    try:
        keys.verify(record_statement(hash), Signature.parse(signature))
    except Wrong:
        return False
    return True


def parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The records of a file, each with the number of its first line."""
    start, line = 0, 1
    for match in [*_PARTED.finditer(data), None]:
        end = match.start() + 1 if match else len(data)
        yield line, data[start:end]
        line += data.count(b"\n", start, end + 1)
        start = end + 1


def _check(
    text: bytes, line: int, keys: PublicKeys | None, proven: list[str], search: ChangedBytes
) -> None:
    bare, hash = _without(text, HASH_TAG)
    bare, signature = _without(bare, SIGNATURE_TAG)
    if hash is None and signature is None:
        game = _judged(text, line)
        raise Unverifiable(f"no {HASH_TAG}; its {len(game.moves)} actions are legal")
    if hash is None or signature is None:
        raise Wrong(f"no {HASH_TAG if hash is None else SIGNATURE_TAG}", Location(line=line))
    if digest(bare) != hash:
        offset = search.find(bare, hash)
        raise _changed(text, bare, offset, signature, line, keys)
    proven.append(f"hash: the text is the one {HASH_TAG} was made of")
    if keys is None:
        proven.append(UNSIGNED)
    else:
        _check_signature(text, hash, signature, line, keys)
        proven.append(f"signature: by the key {Signature.parse(signature).key}")
    game = _judged(text, line)
    rules = game.tags.get(RULES_TAG, "?")
    actions = f"{len(game.moves)} actions of {game.variant} by the rules {rules}"
    proven.append(f"game: {actions}, result and all statements correct")


def _without(text: bytes, tag: str) -> tuple[bytes, str | None]:
    """A text without the line of one of its tags, and that tag's value."""
    line = re.compile(rb'^\[%s "([^\n]*)"\]\n' % tag.encode(), re.MULTILINE)
    tags = _TAGS.match(text)
    found = line.search(text, 0, tags.end() if tags else 0)
    if found is None:
        return text, None
    return text[: found.start()] + text[found.end() :], found[1].decode("ascii", "replace")


def _judged(text: bytes, line: int) -> Game:
    """The game of a record that complies with the rules; raises Wrong."""
    try:
        return read_game(text.decode("utf-8", "replace"), reopened=True)
    except RecordError as why:
        at = None if why.line is None else line + why.line - 1
        raise Wrong(why.reason, Location(line=at, column=why.column, ply=why.ply)) from why


def _check_signature(text: bytes, hash: str, signature: str, line: int, keys: PublicKeys) -> None:
    try:
        keys.verify(record_statement(hash), Signature.parse(signature))
    except Wrong as wrong:
        raise Wrong(wrong.reason, Location(line=_line_of(text, line, SIGNATURE_TAG))) from wrong


def _line_of(text: bytes, line: int, tag: str) -> int:
    return line + text.count(b"\n", 0, text.index(f"[{tag} ".encode()))


def _changed(
    text: bytes,
    bare: bytes,
    offset: int | None,
    signature: str,
    line: int,
    keys: PublicKeys | None,
) -> Wrong:
    """The error for a record whose text has another digest, as exact as possible.

    `offset` is that of the one changed byte in `bare`, None if it was not found.
    """
    try:
        _judged(text, line)
        illegal = None
    except Wrong as wrong:
        illegal = wrong
    if offset is not None:
        place = _place(text, bare, offset, line)
        if illegal is not None and illegal.place.line == place.line:
            return Wrong(f"a byte was changed: {illegal.reason}", _with_ply(place, illegal))
        return Wrong(f"a byte was changed in {_line_at(bare, offset)!r}", place)
    if illegal is not None:
        return Wrong(f"{illegal.reason}; and the text was changed", illegal.place)
    at = _line_of(text, line, HASH_TAG)
    if keys is not None:
        try:
            _check_signature(text, digest(bare), signature, line, keys)
        except Wrong:
            pass
        else:
            return Wrong(f"{HASH_TAG} was changed; text and signature are right", Location(line=at))
    return Wrong(f"the text is not the one {HASH_TAG} was made of", Location(line=at))


def _with_ply(place: Location, illegal: Wrong) -> Location:
    return Location(place.line, place.column, None, illegal.place.ply)


def _place(text: bytes, bare: bytes, offset: int, line: int) -> Location:
    """The place in the file of an offset in its text without the Record tags."""
    below = bare.count(b"\n", 0, offset)
    column = offset - bare.rfind(b"\n", 0, offset)
    kept = [
        number
        for number, content in enumerate(text.split(b"\n"))
        if not content.startswith((f"[{HASH_TAG} ".encode(), f"[{SIGNATURE_TAG} ".encode()))
    ]
    return Location(line + kept[below], column)


def _line_at(bare: bytes, offset: int) -> str:
    start = bare.rfind(b"\n", 0, offset) + 1
    end = bare.find(b"\n", start)
    return bare[start : end if end >= 0 else None].decode("utf-8", "replace")
