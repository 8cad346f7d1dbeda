"""Signed records without their players' names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.registry import find_variant
from notation.game import Game
from service.records.cached_record import (
    CachedRecord,
    decode_record,
    encode_record,
    make_cached_record,
)
from service.records.export import prepare_record
from service.verification.keys import Signature
from tests.games import NAMES, recorded

SIGNATURE = Signature("key", "signature")
SEATS = ("a" * 16, "b" * 16)
NAMED = ('Ada "A." \\ B', "Brahím")


def name_sides(game: Game, first: str, second: str) -> Game:
    named = zip(find_variant(game.variant).sides, (first, second), strict=True)
    return replace(game, tags={**game.tags, **dict(named)})


def keep(game: Game, names: dict[str, str]) -> tuple[CachedRecord, bytes]:
    """What is kept of a game, and its signed record."""
    unsigned = prepare_record(name_sides(game, *(names.get(id, "?") for id in SEATS)))
    kept = make_cached_record(game.variant, SEATS, names, unsigned, SIGNATURE)
    return kept, unsigned.signed(SIGNATURE).encode()


@pytest.mark.parametrize("variant", NAMES)
def test_a_record_comes_back_byte_for_byte(variant: str) -> None:
    names = dict(zip(SEATS, NAMED, strict=True))
    for game in recorded(variant):
        for known in (names, {SEATS[1]: NAMED[1]}, {}):
            kept, signed = keep(game, known)
            assert decode_record(encode_record(kept)).write(known) == signed


def test_a_tag_between_those_of_the_service_stays_there() -> None:
    game = recorded("katruji")[0]
    game = replace(game, tags={**game.tags, "RecordKeeper": "x", "Annotator": '[RecordHash "?"]'})
    kept, signed = keep(game, {})
    assert decode_record(encode_record(kept)).write({}) == signed
    assert signed.index(b"RecordHash") < signed.index(b"RecordKeeper")


def test_other_names_make_another_record() -> None:
    names = dict(zip(SEATS, NAMED, strict=True))
    kept, _ = keep(recorded("katruji")[0], names)
    assert kept.write({**names, SEATS[0]: "Ada"}) is None
    assert kept.write({SEATS[0]: NAMED[1], SEATS[1]: NAMED[0]}) is None
    assert kept.write({}) is None


def test_no_name_is_kept() -> None:
    kept, signed = keep(recorded("kerd")[0], dict(zip(SEATS, NAMED, strict=True)))
    assert "Brahím".encode() in signed
    assert "Brahím".encode() not in encode_record(kept)
    assert b"Ada" not in encode_record(kept)


def test_an_empty_seat_is_nobodys() -> None:
    game = recorded("kerak")[0]
    unsigned = prepare_record(name_sides(game, "?", "Brahím"))
    seats = (None, SEATS[1])
    kept = make_cached_record("kerak", seats, {SEATS[1]: "Brahím"}, unsigned, SIGNATURE)
    again = decode_record(encode_record(kept))
    assert list(again.seats) == list(seats)
    assert again.write({SEATS[1]: "Brahím"}) == unsigned.signed(SIGNATURE).encode()
