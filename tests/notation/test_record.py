from __future__ import annotations

import io

import pytest

from notation.errors import RecordError
from notation.record import Record, WrittenMove, records
from notation.section import sections

HEAD = '[Event "x"]\n\n'


def read(text: str) -> list[Record | RecordError]:
    return [record for section in sections(io.StringIO(text)) for record in records(section)]


def movetext(text: str) -> Record:
    (record,) = read(HEAD + text)
    assert isinstance(record, Record)
    return record


def written(text: str) -> list[tuple[str, tuple[int, ...], tuple[str, ...], tuple[str, ...]]]:
    return [(m.token, m.nags, m.before, m.after) for m in movetext(text).moves]


def refused(text: str) -> tuple[str, int | None, int | None]:
    (error,) = read(text)
    assert isinstance(error, RecordError)
    assert error.ply is None
    return error.code, error.line, error.column


@pytest.mark.parametrize(
    "text",
    [
        "1. A B 2. C *",
        "1.A B 2.C *",
        "1 A 1... B 2 C *",
        "A B C *",
        "1. A 1. ... B\n2\n. C*",
        "1... A ... B . C *",
    ],
)
def test_move_numbers_in_any_way(text: str) -> None:
    assert [move.token for move in movetext(text).moves] == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("text", "result"),
    [("*", "*"), ("1-0", "1-0"), ("0-1", "0-1"), ("1/2-1/2", "1/2-1/2"), ("1/2", "1/2-1/2")],
)
def test_results(text: str, result: str) -> None:
    assert movetext(f"1. A {text}").result == result


@pytest.mark.parametrize(
    ("suffix", "nags"),
    [
        ("!", (1,)),
        ("?", (2,)),
        ("!!", (3,)),
        ("??", (4,)),
        ("!?", (5,)),
        ("?!", (6,)),
        ("!!!", (3,)),
        ("????", (4,)),
        ("!!?", (5,)),
        ("?!!", (6,)),
        (" !? $7 $007", (5, 7, 7)),
        ("$0 $255", (0, 255)),
    ],
)
def test_suffixes_are_glyphs(suffix: str, nags: tuple[int, ...]) -> None:
    assert written(f"1. A{suffix} *") == [("A", nags, (), ())]


def test_comments_belong_to_the_action_they_stand_by() -> None:
    assert written("{1} 1. {2} A {3} $1 ; 4\n 1... {5} B 2. {6} {7} C {8} * {9}") == [
        ("A", (1,), ("1", "2"), ("3", "4")),
        ("B", (), ("5",), ()),
        ("C", (), ("6", "7"), ("8", "9")),
    ]


def test_comments_behind_the_last_number_belong_to_the_last_action() -> None:
    assert written("1. A {1} 1... {2} *") == [("A", (), (), ("1", "2"))]


def test_comments_of_a_game_without_moves() -> None:
    (record,) = read('; 1\n[Event "x"]\n; 2\n[Site "y"]\n{3} 1. {4} * {5}\n')
    assert isinstance(record, Record)
    assert record.comments == ("2", "3", "4", "5")


def test_comments_before_the_first_game_belong_to_none() -> None:
    (record,) = read("% made by hand\n; hello\n{hello}\n" + HEAD + "*")
    assert isinstance(record, Record)
    assert record.comments == ()


def test_a_comment_is_one_line_of_words() -> None:
    assert movetext("{ a\r\n\tb  c } *").comments == ("a b c",)
    assert movetext("{ } {} ;\n *").comments == ()
    assert movetext("; {a} b\n *").comments == ("{a) b",)


def test_escapes_are_passed_over_between_tokens_and_kept_in_comments() -> None:
    assert written("1. A\n% {\n {x\n% y} B *") == [("A", (), (), ("x % y",)), ("B", (), (), ())]


def test_tags_keep_their_order_and_their_escapes() -> None:
    (record,) = read('[B "\\"q\\" \\\\ \\x [y]"] [ A  "" ]\n*')
    assert isinstance(record, Record)
    assert list(record.tags.items()) == [("B", '"q" \\ \\x [y]'), ("A", "")]


def test_actions_know_their_place() -> None:
    record = movetext("1. A\n  B *")
    assert [record.section.where(move.offset) for move in record.moves] == [(3, 4), (4, 3)]
    assert record.moves[1] == WrittenMove("B", record.moves[1].offset)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("1. A { B *\n", (3, 6)),
        ("1. A ( B *\n", (3, 6)),
        ("1. A ( B ) ) *", (3, 12)),
        ("1. A } *", (3, 6)),
        ("1. A (B {) *", (3, 9)),
        ('1. A [B "c"] *', (3, 6)),
        ('1. A ([B "c"]) *', (3, 7)),
        ("1. A ~ *", (3, 6)),
        ("1. A (~) *", (3, 7)),
        ("$1 1. A *", (3, 1)),
        ("! 1. A *", (3, 1)),
        ("1. A $256 *", (3, 6)),
        ("1. A $1000000000 *", (3, 6)),
        ("1. A $ *", (3, 6)),
        ("1. A {\x00} *", (3, 6)),
        ("1. " + "A" * 256 + " *", (3, 4)),
        ('[Event "y"] *', (3, 1)),
        ('[Site "\x01"] *', (3, 1)),
        ('[Site y"] *', (3, 1)),
        ('[Site "y] *', (3, 1)),
    ],
)
def test_syntax_errors_have_a_place(text: str, place: tuple[int, int]) -> None:
    tags = '[Event "x"]\n[Site2 "x"]\n' if text.startswith("[") else HEAD
    assert refused(tags + text) == ("syntax", *place)


def test_a_symbol_may_have_255_characters() -> None:
    assert len(movetext("1. " + "A" * 255 + " *").moves[0].token) == 255


@pytest.mark.parametrize("text", ["", "1. A", "1. A 1...", "{x}"])
def test_a_record_without_result_is_told_so(text: str) -> None:
    assert refused(HEAD + text) == ("no-result", None, None)


@pytest.mark.parametrize("text", ["1. A (1. B) B *", "1. A ( B ( C {)} 1-0 ) ) B *"])
def test_variations_are_recognised_and_refused(text: str) -> None:
    assert refused(HEAD + text) == ("unsupported-variation", 3, 6)


def test_damage_behind_a_variation_is_told_first() -> None:
    assert refused(HEAD + "1. A (B) {") == ("syntax", 3, 10)
    assert refused(HEAD + "1. A (B)") == ("no-result", None, None)


def test_rubbish_is_a_game_of_its_own() -> None:
    before, game, behind, last = read("x\n" + HEAD + "1. A *\n {c}\n y {\n\n" + HEAD + "*")
    assert isinstance(before, RecordError)
    assert (before.code, before.line, before.token) == ("syntax", 1, "x")
    assert isinstance(game, Record)
    assert game.moves[0].after == ("c",)
    assert isinstance(behind, RecordError)
    assert (behind.code, behind.line, behind.token) == ("syntax", 6, "y")
    assert isinstance(last, Record)


def test_what_is_left_of_a_damaged_game_is_not_told_again() -> None:
    assert len(read(HEAD + "1. A ~ * rubbish } {\n")) == 1


def test_a_game_above_the_limit_is_told_so() -> None:
    (section,) = sections(io.StringIO(HEAD + "{" + "x" * 99 + "} *"), 50)
    (error,) = records(section)
    assert isinstance(error, RecordError)
    assert (error.code, error.line) == ("too-large", 1)
