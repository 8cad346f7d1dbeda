"""Records of Kerd submitted move by move: their choices are made again, and come back."""

from __future__ import annotations

import re

import pytest

from notation.errors import BadChoice
from notation.game import Game
from notation.kerd.choice import commitment
from notation.reader import read_game
from notation.registry import find_dialect
from notation.writer import write
from service.cli.client import RequestRefused
from service.cli.play.submission import NotPlayable, submit_game
from tests.games import recorded
from tests.service.cli.play.test_submission import Door, door, silent
from tests.service.secrets.kerd import NONCE, OTHER

__all__ = ["door"]

CHOICE = re.compile(r"\[(?:White|Black)(?:Infiltrator|Commitment|Nonce) .*\]\n")
FEN = "11k/12/9K2/4p7/4h7/12/10T1/4P7/4H7/12/12/12 w - - - {} 1 - 1"


def game(moves: str = "1. e4", fen: str | None = None, **tags: str) -> Game:
    """An unfinished game of Kerd with these tags."""
    setup = {} if fen is None else {"SetUp": "1", "FEN": fen}
    every = {"White": "Ada", "Black": "Brahim", "Date": "2021.08.26", "Variant": "kerd"}
    every |= {"Termination": "unterminated", "Result": "*", **setup, **tags}
    head = "".join(f'[{name} "{value}"]\n' for name, value in every.items())
    return read_game(f"{head}\n{moves} *\n")


def played(door: Door, record: Game, key: str = "key") -> str:
    """Submit a record; return the record that comes back."""
    return door.record(str(submit_game(door, record, key, silent)["id"]))


@pytest.mark.parametrize("number", [1, 5, 33])
@pytest.mark.parametrize("variant", ["kerd", "kerd-draft"])
def test_recorded_games_come_back(door: Door, variant: str, number: int) -> None:
    record = recorded(variant)[number - 1]
    text = played(door, record)
    if "FEN" in record.tags:
        assert [
            name for name in ("Commitment", "Nonce", "Infiltrator") if name in write(record)
        ] == []
        text = CHOICE.sub("", text)
    assert text == write(record)


def test_choices_are_made_with_the_nonces_of_the_record(door: Door) -> None:
    record = game(
        WhiteInfiltrator="f11",
        WhiteNonce=NONCE,
        WhiteCommitment=commitment("f11", NONCE),
        BlackInfiltrator="d1",
        BlackNonce=OTHER,
        BlackCommitment=commitment("d1", OTHER),
    )
    assert played(door, record) == write(record)
    # The same key continues the submission; under another key, the nonces are used already.
    assert played(door, record) == write(record)
    with pytest.raises(RequestRefused) as refused:
        played(door, record, "another key")
    assert refused.value.code == "nonce-used"


def test_a_choice_without_a_nonce_gets_one(door: Door) -> None:
    record = game(WhiteInfiltrator="f11", BlackInfiltrator="d1")
    back = read_game(played(door, record))
    for side, square in (("White", "f11"), ("Black", "d1")):
        made = commitment(square, back.tags[f"{side}Nonce"])
        assert back.tags[f"{side}Commitment"] == made
        assert back.tags[f"{side}Infiltrator"] == square


@pytest.mark.parametrize("told", ["?", "-"])
def test_a_game_whose_choices_nobody_tells(door: Door, told: str) -> None:
    record = game(WhiteInfiltrator=told, BlackInfiltrator=told)
    assert played(door, record) == write(record)
    if told == "?":
        assert CHOICE.sub("", played(door, game(), "bare")) == write(game())


@pytest.mark.parametrize("choices", ["e9/e5", "e9/x", "x/e5", "e8/-", "?/?", "?/-", "x/-", "!/?"])
def test_a_set_up_game_comes_back(door: Door, choices: str) -> None:
    record = game("1. Kk10", FEN.format(choices))
    assert CHOICE.sub("", played(door, record)) == write(record)


@pytest.mark.parametrize(
    ("fen", "tags"),
    [
        (None, {"WhiteInfiltrator": "f11"}),
        (None, {"WhiteInfiltrator": "f11", "BlackInfiltrator": "-"}),
        (None, {"WhiteInfiltrator": "?", "BlackInfiltrator": "-"}),
        ("e9/?", {}),
        (None, {"WhiteCommitment": "0" * 64}),
        (None, {"WhiteInfiltrator": "f11", "WhiteCommitment": "0" * 64, "BlackInfiltrator": "d1"}),
        ("e9/e5", {"WhiteInfiltrator": "f11"}),
    ],
)
def test_what_could_not_come_back_as_it_is_is_not_played(
    door: Door, fen: str | None, tags: dict[str, str]
) -> None:
    record = game("1. Kk10" if fen else "1. e4", fen and FEN.format(fen), **tags)
    with pytest.raises(NotPlayable, match=": import it instead of playing it"):
        played(door, record)
    assert door.requests == []


def test_a_commitment_to_another_square_is_not_made_anew() -> None:
    tags = {"WhiteInfiltrator": "f11", "WhiteNonce": NONCE}
    texts = find_dialect("kerd")
    assert texts.sealing is not None
    position = texts.read_fen(FEN.format("e9/x"))
    with pytest.raises(BadChoice, match="WhiteInfiltrator names f11, the FEN e9") as error:
        texts.sealing.read_choices(position, tags)
    assert error.value.choice == "e9"
