"""How examples in the rules are read."""

from __future__ import annotations

import pytest

from service.boards.examples import find_examples, find_reasons, read_example

TWO = """variant: katruji
fen: 4/3O/4/4/4/2P1/SP2/4 s 0-0 - 0 1
shows: Two Privates and a Sergeant.
reach:
  c3: b4 d4 d2
  b2: a3 a1 c1
refused:
  - play: Pc3=S
    because: there is a Sergeant
    unless: 4/3O/4/4/4/2P1/1P2/4 s 0-0 - 0 1
  - play: Pd5
    because: it is too far
"""


def test_an_example_is_read_from_its_block() -> None:
    page = f"# A game\n\n```example\n{TWO}```\n\n```\nno example\n```\n"
    [example] = find_examples(page)
    assert example == read_example(TWO)
    assert example.reach == {"c3": ("b4", "d4", "d2"), "b2": ("a3", "a1", "c1")}
    assert example.targets == ("b4", "d4", "d2", "a3", "a1", "c1")
    assert example.all is None


def test_why_an_action_is_refused_is_known_by_its_cells() -> None:
    assert find_reasons(read_example(TWO)) == {"b2c3": "there is a Sergeant"}


@pytest.mark.parametrize("wrong", ["reaches: {}\n", "lines: [{plays: Pb4, said: So.}]\n"])
def test_a_member_that_examples_do_not_have_is_refused(wrong: str) -> None:
    with pytest.raises(TypeError, match="argument"):
        read_example(TWO + wrong)
