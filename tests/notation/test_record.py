from __future__ import annotations

import io

import pytest

from notation.errors import RecordError
from notation.game import MAX_NESTING
from notation.record import Record, read_records
from notation.section import split_sections
from notation.written_line import Notes, WrittenLine

HEAD = '[Event "x"]\n\n'


def read(text: str) -> list[Record | RecordError]:
    return [
        record for section in split_sections(io.StringIO(text)) for record in read_records(section)
    ]


def movetext(text: str) -> Record:
    (record,) = read(HEAD + text)
    assert isinstance(record, Record)
    return record


def tokens(line: WrittenLine) -> list[str]:
    return [token for token, _ in line.moves]


def written(text: str) -> list[tuple[str, list[int], list[str], list[str]]]:
    line = movetext(text).line
    notes = [line.notes.get(index, Notes()) for index in range(len(line.moves))]
    assert not any(beside.variations for beside in notes)
    return [
        (token, beside.nags, beside.before, beside.after)
        for token, beside in zip(tokens(line), notes, strict=True)
    ]


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
    assert tokens(movetext(text).line) == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("text", "result"),
    [("*", "*"), ("1-0", "1-0"), ("0-1", "0-1"), ("1/2-1/2", "1/2-1/2"), ("1/2", "1/2-1/2")],
)
def test_results(text: str, result: str) -> None:
    assert movetext(f"1. A {text}").result == result


@pytest.mark.parametrize(
    ("suffix", "nags"),
    [
        ("!", [1]),
        ("?", [2]),
        ("!!", [3]),
        ("??", [4]),
        ("!?", [5]),
        ("?!", [6]),
        ("!!!", [3]),
        ("????", [4]),
        ("!!?", [5]),
        ("?!!", [6]),
        (" !? $7 $007", [5, 7, 7]),
        ("$0 $255", [0, 255]),
    ],
)
def test_suffixes_are_glyphs(suffix: str, nags: list[int]) -> None:
    assert written(f"1. A{suffix} *") == [("A", nags, [], [])]


def test_comments_belong_to_the_action_they_stand_by() -> None:
    assert written("{1} 1. {2} A {3} $1 ; 4\n 1... {5} B 2. {6} {7} C {8} * {9}") == [
        ("A", [1], ["1", "2"], ["3", "4"]),
        ("B", [], ["5"], []),
        ("C", [], ["6", "7"], ["8", "9"]),
    ]


def test_comments_behind_the_last_number_belong_to_the_last_action() -> None:
    assert written("1. A {1} 1... {2} * {3}") == [("A", [], [], ["1", "2", "3"])]


def test_comments_of_a_game_without_moves() -> None:
    (record,) = read('; 1\n[Event "x"]\n; 2\n[Site "y"]\n{3} 1. {4} * {5}\n')
    assert isinstance(record, Record)
    assert record.line.comments == ["2", "3", "4", "5"]


def test_comments_before_the_first_game_belong_to_none() -> None:
    (record,) = read("% made by hand\n; hello\n{hello}\n" + HEAD + "*")
    assert isinstance(record, Record)
    assert record.line.comments == []


def test_a_comment_is_one_line_of_words() -> None:
    assert movetext("{ a\r\n\tb  c } *").line.comments == ["a b c"]
    assert movetext("{ } {} ;\n *").line.comments == []
    assert movetext("; {a} b\n *").line.comments == ["{a) b"]


def test_escapes_are_passed_over_between_tokens_and_kept_in_comments() -> None:
    assert written("1. A\n% {\n {x\n% y} B *") == [("A", [], [], ["x % y"]), ("B", [], [], [])]


def test_tags_keep_their_order_and_their_escapes() -> None:
    (record,) = read('[B "\\"q\\" \\\\ \\x [y]"] [ A  "" ]\n*')
    assert isinstance(record, Record)
    assert list(record.tags.items()) == [("B", '"q" \\ \\x [y]'), ("A", "")]


def test_actions_know_their_place() -> None:
    record = movetext("1. A\n  B *")
    assert [record.section.where(at) for _, at in record.line.moves] == [(3, 4), (4, 3)]


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
        ("1. (A) B *", (3, 4)),
        ("1. A () B *", (3, 6)),
        ("1. A ({x} 1.) B *", (3, 6)),
        ("1. A (B ((C) D)) E *", (3, 10)),
        ("1. A ($1 B) *", (3, 7)),
        ("1. A (B *) C *", (3, 6)),
        ("1. A (B (C) 1-0", (3, 6)),
        ("1. A (B) {", (3, 10)),
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
    assert len(tokens(movetext("1. " + "A" * 255 + " *").line)[0]) == 255


@pytest.mark.parametrize("text", ["", "1. A", "1. A 1...", "{x}", "1. A (B)"])
def test_a_record_without_result_is_told_so(text: str) -> None:
    assert refused(HEAD + text) == ("no-result", None, None)


def shown(line: WrittenLine) -> list[object]:
    """A line as a list of its tokens, each followed by its variations."""
    found: list[object] = []
    for index, token in enumerate(tokens(line)):
        notes = line.notes.get(index, Notes())
        found += [token, *(shown(variation) for variation in notes.variations)]
    return found


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("1. A (1. B) C *", ["A", ["B"], "C"]),
        ("A(B C(D)E)(F)G*", ["A", ["B", "C", ["D"], "E"], ["F"], "G"]),
        ("1. A 1... (1. B 1... C (1... D (E F))) *", ["A", ["B", "C", ["D", ["E", "F"]]]]),
    ],
)
def test_variations_follow_the_action_they_replace(text: str, lines: list[object]) -> None:
    assert shown(movetext(text).line) == lines


def test_variations_have_glyphs_and_comments_of_their_own() -> None:
    line = movetext("1. A {1} ({2} 1. {3} B! {4} (C?) {5} D $7 {6} 2. {7}) *").line
    (variation,) = line.notes[0].variations
    assert (line.notes[0].before, line.notes[0].after) == ([], ["1"])
    first, second = variation.notes[0], variation.notes[1]
    assert (first.nags, first.before, first.after) == ([1], ["2", "3"], ["4"])
    assert (second.nags, second.before, second.after) == ([7], ["5"], ["6", "7"])
    assert first.variations[0].notes[0].nags == [2]


def test_comments_behind_a_variation_belong_to_the_action_that_follows() -> None:
    line = movetext("1. A (B) {1} (C) $1 {2} D (E) {3} * {4}").line
    assert (line.notes[0].nags, line.notes[0].after) == ([1], [])
    assert (line.notes[1].before, line.notes[1].after) == (["1", "2"], ["3", "4"])
    assert line.comments == []


def test_variations_may_be_nested_so_deep_and_no_deeper() -> None:
    depth = 0
    line = movetext("A " + "(A " * MAX_NESTING + ")" * MAX_NESTING + "*").line
    while line.notes:
        (line,) = line.notes[0].variations
        depth += 1
    assert depth == MAX_NESTING
    assert refused(HEAD + "(A\n" * 50) == ("syntax", 3, 1)
    assert refused(HEAD + "A\n" + "(A\n" * (MAX_NESTING + 1)) == ("syntax", 4 + MAX_NESTING, 1)


def test_rubbish_is_a_game_of_its_own() -> None:
    before, game, behind, last = read("x\n" + HEAD + "1. A *\n {c}\n y {\n\n" + HEAD + "*")
    assert isinstance(before, RecordError)
    assert (before.code, before.line, before.token) == ("syntax", 1, "x")
    assert isinstance(game, Record)
    assert game.line.notes[0].after == ["c"]
    assert isinstance(behind, RecordError)
    assert (behind.code, behind.line, behind.token) == ("syntax", 6, "y")
    assert isinstance(last, Record)


def test_what_is_left_of_a_damaged_game_is_not_told_again() -> None:
    assert len(read(HEAD + "1. A ~ * rubbish } {\n")) == 1


def test_a_game_above_the_limit_is_told_so() -> None:
    (section,) = split_sections(io.StringIO(HEAD + "{" + "x" * 99 + "} *"), 50)
    (error,) = read_records(section)
    assert isinstance(error, RecordError)
    assert (error.code, error.line) == ("too-large", 1)
