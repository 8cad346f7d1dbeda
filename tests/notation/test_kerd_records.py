"""Recorded games of Kerd, read, judged and written back."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from notation.errors import RecordError
from notation.reader import read, read_game
from notation.writer import write
from tests.engine.kerd_support import DIALECTS, KERD, at
from tests.games import write_all

TAGS = '[Variant "kerd"]\n'
NONCE = "0123456789abcdef" * 2
CORNERED = KERD.write_fen(
    at("Ka12 Pb12 Pa11 Pb11 kl1 hd9", "b", infiltrators="?/-", checked=1, number=9)
)


@pytest.mark.parametrize("variant", DIALECTS)
def test_recorded_games_come_back_byte_for_byte(variant: str, data: Path) -> None:
    text = (data / "records" / f"{variant}.pgn").read_text()
    verdicts = list(read(io.StringIO(text)))
    assert [str(verdict.error) for verdict in verdicts if verdict.error] == []
    assert len(verdicts) == text.count("[Event ")
    assert write_all(verdict.game for verdict in verdicts) == text


def claimed(result: str, termination: str, moves: str = "9... Hc11") -> str:
    tags = f'[FEN "{CORNERED}"]\n[SetUp "1"]\n[Termination "{termination}"]\n'
    return f'{TAGS}[Result "{result}"]\n{tags}\n{moves} {result}\n'


def test_r32_a_claimed_mate_is_accepted_and_written_with_a_hash() -> None:
    game = read_game(claimed("0-1", "mate"))
    assert game.result == "0-1"
    assert write(game).endswith("\n9... Hc11# 0-1\n")
    assert write(read_game(claimed("0-1", "resignation"))).endswith("\n9... Hc11+ 0-1\n")
    assert write(read_game(claimed("*", "unterminated"))).endswith("\n9... Hc11+ *\n")


@pytest.mark.parametrize(
    ("result", "moves"), [("1-0", "9... Hc11"), ("0-1", "9... Hc11 10. R:c11"), ("0-1", "9... Kl2")]
)
def test_r32_a_mate_that_is_none_is_refused(result: str, moves: str) -> None:
    with pytest.raises(RecordError) as caught:
        read_game(claimed(result, "mate", moves))
    assert caught.value.code in ("wrong-termination", "wrong-result")


def test_a_choice_that_no_game_has_is_refused() -> None:
    with pytest.raises(RecordError) as caught:
        read_game(f'[Event "x"]\n{TAGS}[WhiteInfiltrator "g12"]\n\n1. e3 *\n')
    assert (caught.value.code, caught.value.line) == ("bad-fen", 3)


def test_a_commitment_that_does_not_fit_is_refused() -> None:
    sealed = f'[WhiteCommitment "{"0" * 64}"]\n[WhiteInfiltrator "k11"]\n[WhiteNonce "{NONCE}"]\n'
    with pytest.raises(RecordError) as caught:
        read_game(f"{TAGS}{sealed}\n1. e3 *\n")
    assert caught.value.code == "bad-commitment"


def test_the_reveal_of_another_piece_than_the_chosen_one_is_illegal() -> None:
    choices = '[BlackInfiltrator "-"]\n[WhiteInfiltrator "k11"]\n'
    moves = "1. Qg2 h10 2. Ql7 Jj10 3. Qxh11+ Ke11"
    with pytest.raises(RecordError) as caught:
        read_game(f"{TAGS}{choices}\n{moves} 4. R:j11 *\n")
    assert caught.value.code == "illegal-move"
