"""Kerd's position strings: the canonical spelling, and refusals that name the field."""

from __future__ import annotations

import pytest

from notation.errors import BadFen
from notation.kerd.fen import FIELDS
from tests.engine.kerd_support import DRAFT, KERD, START, at, field, play

GOOD = "11k/12/12/3h8/12/12/12/12/4Q7/12/4PC6/K11 w - e2f2 d9 d9/? 1 T2Hqb 7"


def with_field(name: str, value: str, text: str = GOOD) -> str:
    fields = text.split()
    fields[FIELDS.index(name)] = value
    return " ".join(fields)


@pytest.mark.parametrize("text", [GOOD, START, with_field("pool", "-"), with_field("spent", "-")])
def test_canonical_strings_come_back(text: str) -> None:
    assert KERD.write_fen(KERD.read_fen(text)) == text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("placement", "11k/12/12/3h8/12/12/12/12/4Q7/12/4PC6"),
        ("placement", "11k/12/12/3h8/12/12/12/12/4Q7/12/4PC6/K12"),
        ("placement", "11k/12/12/3h71/12/12/12/12/4Q7/12/4PC6/K11"),
        ("placement", "11k/12/12/3x8/12/12/12/12/4Q7/12/4PC6/K11"),
        ("placement", "11k/12/12/3h8/12/12/12/12/4Q7/12/4PC6/12"),
        ("side", "W"),
        ("castling", "QK"),
        ("castling", "KK"),
        ("castling", "K"),
        ("castling", ""),
        ("spent", "f2e2"),
        ("spent", "e2e2"),
        ("spent", "e2f3"),
        ("spent", "e2,f2"),
        ("spent", "e02"),
        ("recapture", "d13"),
        ("recapture", "e2"),
        ("infiltrators", "d9"),
        ("infiltrators", "d9/?/?"),
        ("infiltrators", "D9/?"),
        ("infiltrators", "e2/?"),
        ("infiltrators", "!/y"),
        ("checked", "2"),
        ("checked", "01"),
        ("pool", "HT2qb"),
        ("pool", "T1Hqb"),
        ("pool", "P"),
        ("pool", "Q"),
        ("move", "0"),
        ("move", "07"),
        ("move", "-1"),
    ],
)
def test_a_bad_field_is_named(name: str, value: str) -> None:
    with pytest.raises(BadFen) as caught:
        KERD.read_fen(with_field(name, value))
    assert caught.value.field == name


@pytest.mark.parametrize("text", ["", "w", GOOD + " 1", GOOD.replace(" ", "  ", 1)])
def test_there_are_nine_fields_with_one_space_between(text: str) -> None:
    with pytest.raises(BadFen):
        KERD.read_fen(text)


def test_checked_may_not_be_0_beside_a_reveal() -> None:
    text = with_field("checked", "0", with_field("infiltrators", "!/?"))
    with pytest.raises(BadFen) as caught:
        KERD.read_fen(text)
    assert caught.value.field == "checked"


def test_the_draft_has_no_castling_and_no_pool() -> None:
    for name, value in (("castling", "KQkq"), ("pool", "Q")):
        with pytest.raises(BadFen) as caught:
            DRAFT.read_fen(with_field(name, value, START.replace("KQkq", "-")))
        assert caught.value.field == name


def test_in_the_draft_the_side_to_move_may_have_lost_its_king() -> None:
    text = "12/12/12/12/12/12/12/12/12/12/12/K11 b - - - x/x 1 - 9"
    assert DRAFT.write_fen(DRAFT.read_fen(text)) == text
    with pytest.raises(BadFen):
        KERD.read_fen(text)
    with pytest.raises(BadFen):
        DRAFT.read_fen(text.replace(" b ", " w "))


def test_spent_squares_are_sorted_by_file_then_rank_in_one_list() -> None:
    position = at("Pl2 Pf3 Cf2 pb11 pf10", spent="b11f2f3f10l2")
    assert field(position, "spent") == "b11f2f3f10l2"


def test_a_castling_right_goes_with_king_or_tower() -> None:
    position = at("Kg1 Tl1 Ta1 kg12 ta12 tl12", castling="KQkq", checked=1, infiltrators="-/-")
    assert field(play(position, "l1k1"), "castling") == "Qkq"
    assert field(play(position, "g12g11"), "castling") == "Q"


def test_recapture_is_written_whether_or_not_a_commander_can_use_it() -> None:
    assert field(play(at("Td4 pd9"), "d4d9"), "recapture") == "d9"
    assert field(play(at("Td4 hd9"), "d4d9"), "recapture") == "-"


def test_the_full_move_number_rises_behind_black() -> None:
    position = play(at("Pe2", number=7), "e2e3")
    assert field(position, "move") == "7"
    assert field(play(position, "l11l10"), "move") == "8"
