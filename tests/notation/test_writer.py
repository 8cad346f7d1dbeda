from __future__ import annotations

import pytest
from hypothesis import given, settings

from engine.errors import IllegalAction
from engine.katruji.board import KYAN
from engine.position import Action
from notation.game import Game, Move
from notation.movetext import WIDTH
from notation.reader import read_game
from notation.registry import find_dialect
from notation.writer import write, write_heading
from tests.games import games, write_all

KATRUJI = find_dialect("katruji")


def game(tokens: str, result: str = "*", **tags: str) -> Game:
    """A game of these tokens; `/` joins annotations to a token."""
    position = KATRUJI.start(tags)
    moves = []
    for token in tokens.split():
        token, *notes = token.split("/")
        action = KATRUJI.resolve(position, token)
        position.play(action)
        nags = tuple(int(note[1:]) for note in notes if note[0] == "$")
        before = tuple(note[1:] for note in notes if note[0] == "<")
        after = tuple(note for note in notes if note[0] not in "$<")
        moves.append(Move(action, nags, before, after))
    return Game("katruji", tags, tuple(moves), result)


def movetext(game: Game) -> str:
    assert read_game(write(game)) == game
    return write(game).partition("\n\n")[2]


def test_tags_stand_in_their_order() -> None:
    tags = {"Zeta": "1", "Variant": "katruji", "annotator": "2", "North": "N", "Annotator": "3"}
    text = write(Game("katruji", tags, (), "1-0"))
    assert text == (
        '[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[South "?"]\n[North "N"]\n'
        '[Result "1-0"]\n[Variant "katruji"]\n[Annotator "3"]\n[Zeta "1"]\n[annotator "2"]\n\n1-0\n'
    )
    assert text == write_heading("katruji", read_game(text).tags) + "\n1-0\n"


def test_quotes_and_backslashes_are_escaped() -> None:
    value = 'a "b" \\c\\'
    text = write(Game("katruji", {"Own": value}, ()))
    assert '[Own "a \\"b\\" \\\\c\\\\"]\n' in text
    assert read_game(text).tags["Own"] == value


def test_numbers_stand_before_the_first_side_and_behind_comments() -> None:
    assert movetext(game("Pd2/first Pa7/$1/$6 Pd1 Pa6/last")) == (
        "1. Pd2 {first} 1... Pa7 $1 $6 2. Pd1 Pa6 {last} *\n"
    )


def test_comments_before_an_action() -> None:
    assert movetext(game("Pd2/<a/<b Pa7/<c/d Pd1/<e ")) == (
        "{a} {b} 1. Pd2 1... {c} Pa7 {d} 2. {e} Pd1 *\n"
    )


def test_a_declaration_takes_no_number_of_its_own() -> None:
    tags = {"FEN": "O2O/P1SO/O1O1/4/1P2/SO2/OOO1/2O1 s 0-0 - 7 6"}
    assert movetext(game("Kyan c1d1 a8b8", **tags)) == "6. Kyan O1d1 Oab8 *\n"
    assert movetext(game("Kyan/x c1d1 a8b8", **tags)) == "6. Kyan {x} 6. O1d1 Oab8 *\n"
    assert movetext(game("c1d1 Kyan a8b8 d1c1", **tags)) == "6. O1d1 Kyan Oab8 7. Odc1 *\n"
    assert movetext(game("c1d1/x Kyan/y a8b8", **tags)) == (
        "6. O1d1 {x} 6... Kyan {y} 6... Oab8 *\n"
    )
    assert movetext(game("Kyan/$3 c1d1/<z", **tags)) == "6. Kyan $3 6. {z} O1d1 *\n"


def test_a_game_that_the_second_side_begins() -> None:
    tags = {"FEN": "O2O/P1SO/O1O1/4/1P2/SO2/OOO1/2O1 n 0-0 - 7 6", "SetUp": "1"}
    assert movetext(game("Kyan a8b8 c1d1", **tags)) == "6... Kyan Oab8 7. O1d1 *\n"


@pytest.mark.parametrize(
    "text",
    [
        "1. Pd2 (1. Pd1) 1... Pa7 *",
        "1. Pd2 Pa7 (1... Pa6) 2. Pd1 *",
        "1. Pd2 $1 {x} (1. Pd1 $2 {y} 1... Pa6) (1. Sd1) 1... {z} Pa7 *",
        "1. Pd2 ({w} {x} 1. Pd1 1... {y} Pa6 (1... Pa7 2. Pd2 (2. Pc4)) 2. Pa4) *",
        "1. Pd2 Pa7 (1... Pa6 2. Pd1 (2. Sd1)) (1... Sa8) 1-0",
    ],
)
def test_variations_stand_behind_the_action_they_replace(text: str) -> None:
    assert movetext(read_game(f'[Variant "katruji"]\n\n{text}\n')) == f"{text}\n"


def test_a_variation_behind_a_declaration_replaces_it_alone() -> None:
    tags = '[Variant "katruji"]\n[FEN "O2O/P1SO/O1O1/4/1P2/SO2/OOO1/2O1 s 0-0 - 7 6"]\n\n'
    text = "6. Kyan (6. O1d1) 6. O1d1 (6. Occ3) 6... Oab8 *\n"
    assert movetext(read_game(tags + text)) == text


def test_parentheses_touch_what_they_enclose_across_lines() -> None:
    comment = "x" * 70
    text = f"1. Pd2 {{{comment}}}\n(1. Pd1 Pa6\n{{{comment}}}) 1...\nPa7 *\n"
    assert movetext(read_game(f'[Variant "katruji"]\n\n{text}')) == text


def test_a_game_without_moves() -> None:
    assert movetext(Game("katruji", {}, (), "0-1", ("a b", "c"))) == "{a b} {c} 0-1\n"


def test_lines_are_filled_to_their_width() -> None:
    words = ["x" * (WIDTH - 1), "y" * 39, "z" * 39, "w" * 100, "v"]
    comment = " ".join(words)
    lines = movetext(Game("katruji", {}, (), "*", (comment,))).split("\n")
    assert lines == ["{" + words[0], f"{words[1]} {words[2]}", words[3], "v} *", ""]


def test_no_line_of_a_comment_looks_like_an_escape_or_a_tag() -> None:
    long = "x" * 75
    comment = f'{long} %escape {long} [Event "x"] {long} \ufeffmark {long}'
    text = movetext(Game("katruji", {}, (), "*", (comment,)))
    assert "\n %escape\n" in text
    assert '\n [Event "x"]\n' in text
    assert "\n \ufeffmark\n" in text
    assert not any(line[0] in "%[" for line in text.splitlines())


def test_games_are_parted_by_a_blank_line() -> None:
    one = Game("katruji", {}, ())
    assert write_all([one, one]) == f"{write(one)}\n{write(one)}"
    assert write_all([]) == ""


def test_an_illegal_action_is_not_written() -> None:
    with pytest.raises(IllegalAction):
        write(Game("katruji", {}, (Move(KYAN),)))
    with pytest.raises(IllegalAction):
        write(Game("katruji", {}, (Move(Action(64)),)))


def test_an_illegal_action_of_a_variation_is_not_written() -> None:
    first, second = game("Pd2 Pa7").moves
    wrong = Move(second.action, variations=((second, first),))
    with pytest.raises(IllegalAction) as caught:
        write(Game("katruji", {}, (first, wrong)))
    assert caught.value.ply == 3


@pytest.mark.slow
@given(game=games("katruji"))
@settings(max_examples=30, deadline=None)
def test_no_line_is_longer_than_it_must_be(game: Game) -> None:
    for line in write(game).partition("\n\n")[2].split("\n"):
        assert len(line) <= WIDTH or " " not in line.strip(" ")
        assert line == line.rstrip(" ")
