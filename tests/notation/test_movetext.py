from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.registry import VARIANTS
from notation.judge import judge
from notation.movetext import WIDTH, Movetext
from notation.record import Record, read_records
from notation.registry import find_dialect
from notation.section import split_sections
from notation.writer import write_movetext

ANNOTATED = (
    '[Variant "katruji"]\n\n{nothing was played} *\n',
    '[Variant "katruji"]\n\n1. {first} Pd1 $1 {a comment [%clk 0:05:00] of some length}'
    " (1. {other} Pd2 $2 {so} (1. Pd1) 1... Pa5) 1... Pa5 *\n",
)


def as_judged(record: Record) -> tuple[str, str]:
    """A record's movetext as built during judging, and as the writer writes it afterwards."""
    text = Movetext()
    game = judge(record, text)
    return text.text(game.result), write_movetext(game)


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_a_record_is_written_while_it_is_judged_as_the_writer_writes_it(
    data: Path, name: str
) -> None:
    with (data / "records" / f"{name}.pgn").open("rb") as file:
        found = [record for section in split_sections(file) for record in read_records(section)]
    assert found
    for record in found:
        assert isinstance(record, Record)
        judged, written = as_judged(record)
        assert judged == written


@pytest.mark.parametrize("text", ANNOTATED)
def test_so_are_comments_glyphs_and_variations(text: str) -> None:
    (section,) = split_sections(io.StringIO(text))
    (record,) = read_records(section)
    assert isinstance(record, Record)
    judged, written = as_judged(record)
    assert judged == written


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_an_action_is_played_with_the_san_it_has(name: str) -> None:
    texts = find_dialect(name)
    position = texts.start({})
    for action in position.legal():
        after = position.copy()
        assert texts.advance(after, action) == texts.san(position, action)
        position_after = position.copy()
        position_after.play(action)
        assert after.key() == position_after.key()


WORDS = st.sampled_from(["%", "[x", "\ufeff", "a", "word", "x" * 78, "x" * 79, "y" * 80, "z" * 160])


@given(words=st.lists(WORDS, min_size=1, max_size=60), first=st.integers(1, 90))
def test_a_line_takes_as_many_words_as_fit_and_begins_with_none_that_means_more(
    words: list[str], first: int
) -> None:
    text = Movetext()
    text.add_comments([" ".join(["x" * first, *words])])
    lines = text.text("*").split("\n")
    assert lines.pop() == ""
    found = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        bare = line.removeprefix(" ")
        assert not bare.startswith(" ")
        assert (bare != line) == (bare[0] in "%[\ufeff")
        assert len(line) <= WIDTH or " " not in bare
        next_word = following.removeprefix(" ").split(" ")[0]
        assert not following or len(line) + 1 + len(next_word) > WIDTH
        found += bare.split(" ")
    assert found == ["{" + "x" * first, *words[:-1], words[-1] + "}", "*"]
