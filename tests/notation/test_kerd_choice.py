"""Infiltrators, nonces and commitments in the tags of Kerd's records."""

from __future__ import annotations

from hashlib import sha256

import pytest

from notation.errors import BadCommitment, BadFen
from notation.kerd.choice import ELIGIBLE, commitment, is_nonce
from tests.engine.kerd_support import KERD, field

NONCE = "0123456789abcdef" * 2
FEN = "11k/12/12/3h8/12/12/12/12/12/12/4P7/K11 w - - - d9/x 1 - 7"
SEALED = {
    "WhiteInfiltrator": "k11",
    "WhiteNonce": NONCE,
    "WhiteCommitment": sha256(b"k11:" + NONCE.encode()).hexdigest(),
}


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({}, "?/?"),
        ({"WhiteInfiltrator": "d12"}, "d12/?"),
        ({"BlackInfiltrator": "f2", "WhiteInfiltrator": "-"}, "-/f2"),
        ({"WhiteInfiltrator": "?", "BlackInfiltrator": "-"}, "?/-"),
    ],
)
def test_a_game_from_the_start_takes_its_choices_from_the_tags(
    tags: dict[str, str], expected: str
) -> None:
    assert field(KERD.start(tags), "infiltrators") == expected


@pytest.mark.parametrize("square", ["g12", "f12", "a12", "c12", "e6", "d1", "D12", "x", ""])
def test_a_tag_names_a_starting_square_of_a_piece_that_may_be_chosen(square: str) -> None:
    with pytest.raises(BadFen) as caught:
        KERD.start({"WhiteInfiltrator": square})
    assert caught.value.field == "WhiteInfiltrator"


def test_each_pawn_commander_bishop_hussar_and_jumper_may_be_chosen() -> None:
    assert [len(squares) for squares in ELIGIBLE] == [20, 20]
    assert {"a11", "f11", "f10", "e12", "d12", "b12"} <= ELIGIBLE[0]
    assert ELIGIBLE[1] == {f"{name[0]}{13 - int(name[1:])}" for name in ELIGIBLE[0]}


def test_with_a_fen_the_fen_says_where_the_piece_stands() -> None:
    tags = {"FEN": FEN, "SetUp": "1", "WhiteInfiltrator": "d12", "BlackInfiltrator": "f2"}
    assert KERD.write_fen(KERD.start(tags)) == FEN


@pytest.mark.parametrize("square", ["z1", "x", "!", "d13"])
def test_with_a_fen_the_tag_still_has_its_form(square: str) -> None:
    with pytest.raises(BadFen) as caught:
        KERD.start({"FEN": FEN, "BlackInfiltrator": square})
    assert caught.value.field == "BlackInfiltrator"


def test_a_commitment_is_the_sha_256_of_square_and_nonce() -> None:
    assert commitment("k11", NONCE) == SEALED["WhiteCommitment"]
    KERD.check(SEALED)


@pytest.mark.parametrize("missing", SEALED)
def test_without_choice_nonce_or_commitment_there_is_nothing_to_check(missing: str) -> None:
    KERD.check({name: value for name, value in SEALED.items() if name != missing})


def test_a_masked_choice_is_not_checked() -> None:
    KERD.check({**SEALED, "WhiteInfiltrator": "?"})


@pytest.mark.parametrize(
    ("tag", "value"),
    [
        ("WhiteInfiltrator", "j11"),
        ("WhiteNonce", NONCE[::-1]),
        ("WhiteNonce", NONCE.upper()),
        ("WhiteNonce", NONCE[:-1]),
        ("WhiteCommitment", "0" * 64),
        ("WhiteCommitment", SEALED["WhiteCommitment"].upper()),
        ("WhiteCommitment", "abc"),
    ],
)
def test_a_commitment_that_does_not_fit_is_refused(tag: str, value: str) -> None:
    with pytest.raises(BadCommitment) as caught:
        KERD.check({**SEALED, tag: value})
    assert caught.value.tag == "WhiteCommitment"


def test_a_nonce_has_at_least_32_lowercase_hex_digits() -> None:
    assert is_nonce(NONCE)
    assert is_nonce(NONCE + "0")
    assert not is_nonce(NONCE[1:])
    assert not is_nonce(NONCE[1:] + "g")
    assert not is_nonce(NONCE + "\n")
