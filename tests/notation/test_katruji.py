"""Katruji's tokens and position strings, beyond what the every-game suite checks."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.katruji.board import ALKA, KYAN, OFFICER, SERGEANT, move, squares
from engine.katruji.kernel import Position
from engine.position import Action
from engine.random_play import random_play
from engine.registry import VARIANTS
from notation.errors import AfterTheEnd, AmbiguousMove, BadFen, IllegalMove, UnreadableToken
from notation.katruji import KatrujiDialect, MoveSyntax, Word, parse_token

KATRUJI = KatrujiDialect()
START = "1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1 s 0-0 - 0 1"
DECLARED = "O2O/P1SO/O1O1/4/1P2/SO2/OOO1/2O1 s 0-0 - n6 6"
SEVEN_QUIET = "O2O/P1SO/O1O1/4/1P2/SO2/OOO1/2O1 s 0-0 - 7 6"
UNREADABLE = [
    "b3",
    "ab3",
    "1b3",
    "Pz9",
    "Pe1",
    "Pa9",
    "Pa0",
    "Kb3",
    "pb3",
    "kyan",
    "KYAN",
    "P",
    "=O",
    "--",
    "Pb3=P",
    "Pb3=",
    "Pb3=o",
    "Pb3!",
    "Pa1a1a1",
    "Oa1-b2",
    "Pb٣",
]
CAPTURE = "O3/4/4/P3/4/4/4/O3 s 1-0 - 0 9"


def fen(text: str) -> Position:
    return KATRUJI.read_fen(text)


def meaning(position: str, token: str) -> str:
    return KATRUJI.coordinate(KATRUJI.resolve(fen(position), token))


def naive_san(position: Position, action: Action) -> str:
    """SAN derived from the list of legal actions, by the wording of PGN's rule."""
    if action in (KYAN, ALKA):
        return {KYAN: "Kyan", ALKA: "Alka"}[action]
    origin, target = squares(action)
    piece, stands = position.piece_at(origin), position.piece_at(target)
    same = [
        squares(other)[0]
        for other in position.legal()
        if other < KYAN
        and other != action
        and squares(other)[1] == target
        and position.piece_at(squares(other)[0]) == piece
    ]
    told = ""
    if same:
        file, rank = "abcd"[origin % 8], str(origin // 8 + 1)
        if not [s for s in same if s % 8 == origin % 8]:
            told = file
        elif not [s for s in same if s // 8 == origin // 8]:
            told = rank
        else:
            told = file + rank
    own = (target // 8 < 4) == (position.side == 0)
    text = " PSO"[piece] + told + ("x" if stands and not own else "")
    text += "abcd"[target % 8] + str(target // 8 + 1)
    return text + (f"={' PSO'[piece + 1]}" if stands and own else "")


@given(seed=st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_san_is_what_the_text_of_the_rule_says(seed: int) -> None:
    for _, position in random_play(Position(), Random(seed), 150):
        for action in position.legal():
            assert KATRUJI.san(position, action) == naive_san(position, action)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=8, deadline=None)
def test_loose_forms_mean_the_same_action(seed: int) -> None:
    for _, position in random_play(Position(), Random(seed), 80):
        for action in position.legal():
            san, exact = KATRUJI.san(position, action), KATRUJI.coordinate(action)
            loose = [f"{san}+", f"{exact}#", san.replace("x", ""), san.partition("=")[0]]
            if action < KYAN:
                piece, target, made = san[0], exact[2:], san.partition("=")[2]
                loose += [piece + exact, f"{piece}{exact[:2]}x{target}", f"{exact[:2]}x{target}"]
                loose += [exact.upper(), piece + exact.upper()]
                if made:
                    loose += [f"{exact}={made}", f"{exact.upper()}={made}"]
            for token in loose:
                assert KATRUJI.resolve(position, token) == action, token


def test_a_token_is_parsed_without_a_position() -> None:
    assert parse_token("Sc3=O") == MoveSyntax(SERGEANT, "", 18, OFFICER)
    assert parse_token("Oa1xb2+") == MoveSyntax(OFFICER, "a1", 9, 0)
    assert parse_token("a1b2") == MoveSyntax(0, "a1", 9, 0)
    assert parse_token("A1B2") == MoveSyntax(0, "a1", 9, 0)
    assert parse_token("Kyan") == Word(KYAN)
    assert parse_token("Alka+") == Word(ALKA)


@pytest.mark.parametrize(
    "token",
    [*UNREADABLE, "", "KyAn", "Pb3 ", "P\n", "Pb3\n", "x" * 10_000],
    ids=lambda token: repr(token[:12]),
)
def test_unreadable_tokens(token: str) -> None:
    assert parse_token(token) is None
    with pytest.raises(UnreadableToken) as caught:
        KATRUJI.resolve(fen(START), token)
    assert caught.value.code == "illegal-move"
    assert len(caught.value.nearest) == 5
    assert len(caught.value.token) <= 32


@pytest.mark.parametrize(
    ("position", "token", "reason"),
    [
        (START, "Ob3", r"no Isza \(Officer\) of the side to move can go to b3"),
        (START, "a1a2", "no piece on a1 of the side to move can go to a2"),
        (START, "a4b4", "no piece on a4"),
        (START, "Pad1", r"no Hutu \(Private\) on a of the side to move"),
        (START, "Pd1=S", r"and become Ali \(Sergeant\)"),
        (START, "Sbc2=S", r"and become Ali \(Sergeant\)"),
        (START, "Kyan", "cannot be declared here"),
        (START, "Alka", "cannot be claimed here"),
        (DECLARED, "Kyan", "cannot be declared here"),
        ("4/3O/1S2/4/4/4/4/O2S n 16-10 d3d7 0 13", "d7d3", "may not undo"),
        ("4/3O/1S2/4/4/4/4/O2S n 16-10 d3d7 0 13", "Od3", "may not undo"),
    ],
)
def test_illegal_moves_say_why(position: str, token: str, reason: str) -> None:
    with pytest.raises(IllegalMove, match=reason) as caught:
        KATRUJI.resolve(fen(position), token)
    assert caught.value.nearest


def test_the_nearest_legal_actions_come_best_first() -> None:
    with pytest.raises(IllegalMove) as caught:
        KATRUJI.resolve(fen(START), "Sb4")
    assert caught.value.nearest[:2] == ("Pb4", "Sa4")


def test_an_ambiguous_token_lists_the_candidates() -> None:
    with pytest.raises(AmbiguousMove) as caught:
        KATRUJI.resolve(fen(START), "Sc2")
    assert caught.value.code == "ambiguous-move"
    assert caught.value.nearest == ("Scc2=O", "Sbc2=O")
    assert meaning(START, "S1c2") == "c1c2"
    assert meaning(START, "Sbc2") == "b2c2"


def test_words() -> None:
    assert meaning(SEVEN_QUIET, "Kyan") == "Kyan"
    assert meaning(DECLARED, "Alka") == "Alka"


def test_nothing_follows_alka() -> None:
    position = fen(DECLARED)
    position.play(ALKA)
    with pytest.raises(AfterTheEnd) as caught:
        KATRUJI.resolve(position, "Pz9")
    assert caught.value.code == "after-the-end"
    assert KATRUJI.write_fen(position) == DECLARED.replace("n6", "n6!")
    assert fen(DECLARED.replace("n6", "n6!")).outcome() == position.outcome() is not None


def test_the_start_is_the_rules_page_s() -> None:
    assert KATRUJI.write_fen(KATRUJI.start({})) == START
    assert KATRUJI.start({"FEN": CAPTURE}).key() == fen(CAPTURE).key()
    assert KATRUJI.variant is VARIANTS["katruji"]


def test_undo_is_written_behind_a_crossing_move_and_capture() -> None:
    position = fen(CAPTURE)
    position.play(move(0, 32))
    assert KATRUJI.write_fen(position) == "O3/4/4/O3/4/4/4/4 n 2-0 a1a5 0 9"


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "placement"),
        (" ", "placement"),
        ("1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1", "side"),
        (START + " ", "fen"),
        (START.replace(" s ", "  s "), "side"),
        (START.replace("/4/4/", "/4/5/"), "placement"),
        (START.replace("/4/4/", "/4/31/"), "placement"),
        (START.replace("/4/4/", "/4/3/"), "placement"),
        (START.replace("/4/4/", "/4/"), "placement"),
        (START.replace("/4/4/", "/4//4/"), "placement"),
        (START.replace("/4/4/", "/4/04/"), "placement"),
        (START.replace("/4/4/", "/4/KPPP/"), "placement"),
        (START.replace("/4/4/", "/4/pppp/"), "placement"),
        (START.replace("/4/4/", "/4/PPPPP/"), "placement"),
        ("9" * 100_000 + START[4:], "placement"),
        (START.replace(" s ", " w "), "side"),
        (START.replace(" s ", " S "), "side"),
        (START.replace("0-0", "0"), "points"),
        (START.replace("0-0", "0-00"), "points"),
        (START.replace("0-0", "18-0"), "points"),
        (START.replace("0-0", "0-21"), "points"),
        (START.replace("0-0", "-1-0"), "points"),
        (START.replace("- 0 1", "b5b4 0 1"), "undo"),
        (START.replace("- 0 1", "e5b4 0 1"), "undo"),
        (START.replace("- 0 1", "x 0 1"), "undo"),
        (START.replace("- 0 1", "- 01 1"), "clock"),
        (START.replace("- 0 1", "- w2 1"), "clock"),
        (START.replace("- 0 1", "- s 1"), "clock"),
        (START.replace("- 0 1", "- s2! 1"), "clock"),
        (START.replace("- 0 1", "- 3! 1"), "clock"),
        (START.replace("- 0 1", "- s3!! 1"), "clock"),
        (START.replace("- 0 1", "- 1000000000 1"), "clock"),
        (START.replace("- 0 1", "- 0 0"), "move"),
        (START.replace("- 0 1", "- 0 01"), "move"),
        (START.replace("- 0 1", "- 0 +1"), "move"),
        (START.replace("- 0 1", "- 0 ١"), "move"),
        ("4/4/4/4/4/4/4/O3 n 3-3 - 0 9", "placement"),
    ],
    ids=lambda text: repr(text[:60]),
)
def test_a_bad_fen_names_its_field(text: str, field: str) -> None:
    with pytest.raises(BadFen) as caught:
        KATRUJI.read_fen(text)
    assert caught.value.field == field
    assert caught.value.reason
    assert len(str(caught.value)) < 200


def test_another_game_s_position_is_refused() -> None:
    with pytest.raises(TypeError):
        KATRUJI.write_fen("no position")  # type: ignore[arg-type]


def test_the_clock_is_no_part_of_what_makes_a_position_the_same() -> None:
    board = "O2O/P1SO/O1O1/4/1P2/SO2/OOO1/2O1 s 0-0 -"
    assert KATRUJI.position_key(DECLARED) == KATRUJI.position_key(SEVEN_QUIET) == board
    assert KATRUJI.position_key(START) == START.removesuffix(" 0 1")
    declared, quiet = (KATRUJI.read_fen(fen) for fen in (DECLARED, SEVEN_QUIET))
    assert KATRUJI.identify(declared) == KATRUJI.identify(quiet)


def test_material_is_what_stands_on_the_board() -> None:
    assert KATRUJI.material(START) == "O6P6S6"
    assert KATRUJI.material(CAPTURE) == "O2P"
    assert KATRUJI.material("4/4/4/4/4/4/4/4 s 1-0 - 0 9") == "-"
