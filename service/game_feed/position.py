"""How much of all games' events a reader has received, and the text that says so.

A position has, for each partition's feed, the place up to which everything was read. So it remains
valid whatever clocks do and whatever is restarted. Its text is encrypted, because the places in
feeds reveal when something was appended, even what nobody may know about.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from service.game_feed.errors import BadPosition
from service.ids import keyed_digest
from service.log.feed_range import parse_position
from service.log.interface import FEED_START

VERSION: Final = "1"
"""The version of the form of a position's text."""
LONGEST: Final = 2000
"""The most characters of a position's text."""

Place = tuple[int, int]
"""A place in a partition's feed (`service.log.feed_range.parse_position`)."""
START: Final[Place] = parse_position(FEED_START)
NOT_BEGUN: Final = (0, 0)
"""The value for when no append was sent in part."""


@dataclass(frozen=True, slots=True)
class Position:
    """`places` are by partition. `begun` is a partition and how many events of the first append
    after its place have already been sent, (0, 0) if none was sent in part.
    """

    places: tuple[Place, ...]
    begun: tuple[int, int] = NOT_BEGUN

    def move(self, partition: int, place: Place) -> Position:
        """The position after everything up to a place of a partition was read as well."""
        places = self.places
        moved = (*places[:partition], place, *places[partition + 1 :])
        # What was sent in part in another partition still has to be sent to its end.
        begun = NOT_BEGUN if self.begun[0] == partition else self.begun
        return Position(moved, begun)

    def join(self, other: Position) -> Position:
        """The position after both."""
        return Position(tuple(map(max, self.places, other.places)))

    def covers(self, other: Position) -> bool:
        """Whether everything up to the other position was read."""
        return all(own >= place for own, place in zip(self.places, other.places, strict=True))


def begin_at(partitions: int) -> Position:
    """The position before everything."""
    return Position((START,) * partitions)


def place_at(positions: Mapping[int, str]) -> Position:
    """The position after these feed positions, which are given for every partition."""
    return Position(tuple(parse_position(positions[p]) for p in range(len(positions))))


def write_place(place: Place) -> str:
    """A place as the log writes it."""
    return f"{place[0]}-{place[1]}"


class PositionCipher:
    """Writes positions as texts and reads those that it wrote, with one secret.

    >>> cipher = PositionCipher(b"secret", 2)
    >>> text = cipher.write(Position(((5, 0), (1700000000000, 3)), (1, 2)))
    >>> cipher.read(text)
    Position(places=((5, 0), (1700000000000, 3)), begun=(1, 2))
    """

    def __init__(self, secret: bytes, partitions: int) -> None:
        self.partitions = partitions
        key = bytes.fromhex(keyed_digest(secret, "game-feed", "position"))
        self._cipher = AESSIV(key)

    def write(self, position: Position) -> str:
        """The position's text: letters, digits, `-` and `_`."""
        sealed = self._cipher.encrypt(encode(position), [VERSION.encode()])
        return VERSION + write_base64(sealed)

    def read(self, text: str) -> Position:
        """The position that a text denotes; raises BadPosition."""
        if len(text) > LONGEST or not text.isascii() or text[:1] != VERSION:
            raise BadPosition
        body = text[1:]
        try:
            sealed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
            if write_base64(sealed) != body:
                raise ValueError("another text for the same bytes")
            position = decode(self._cipher.decrypt(sealed, [VERSION.encode()]))
        except (binascii.Error, InvalidTag, ValueError) as error:
            raise BadPosition from error
        if len(position.places) != self.partitions:
            raise BadPosition
        return position


def write_base64(data: bytes) -> str:
    """The bytes as letters, digits, `-` and `_`."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def encode(position: Position) -> bytes:
    """The position as integers in few bytes, with times as differences from the newest."""
    newest = max(position.places)[0]
    numbers = [len(position.places), newest, *position.begun]
    for time, number in position.places:
        # A number other than 0 is rare: it takes two appends in one millisecond.
        numbers.append((newest - time) * 2 + (number > 0))
        if number:
            numbers.append(number)
    data = bytearray()
    for value in numbers:
        while value > 0x7F:
            data.append(value & 0x7F | 0x80)
            value >>= 7
        data.append(value)
    return bytes(data)


def decode(data: bytes) -> Position:
    """The position that these bytes encode; raises ValueError."""
    numbers = read_numbers(data)
    try:
        count, newest, partition, sent = (next(numbers) for _ in range(4))
        places = []
        for _ in range(count):
            value = next(numbers)
            places.append((newest - (value >> 1), next(numbers) if value & 1 else 0))
    except (StopIteration, RuntimeError) as error:
        raise ValueError("the position is cut short") from error
    return Position(tuple(places), (partition, sent))


def read_numbers(data: Sequence[int]) -> Iterator[int]:
    """Yield integers of which each byte holds seven bits, the lowest first."""
    value, shift = 0, 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value, shift = 0, 0


def mark_partly_sent(position: Position, partition: int, sent: int) -> Position:
    """The position after `sent` events of the next append of a partition were sent."""
    return replace(position, begun=(partition, sent))
