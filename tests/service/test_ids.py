"""Ids and keyed digests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.ids import ID, derived_id, keyed_digest, new_id

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=4)


def test_fresh_ids_differ_and_are_ids() -> None:
    made = {new_id() for _ in range(1000)}
    assert len(made) == 1000
    assert all(ID.match(id) for id in made)


@pytest.mark.parametrize("text", ["", "a" * 15, "a" * 17, "A" * 16, "1" * 16, "a" * 16 + "\n"])
def test_other_texts_are_no_ids(text: str) -> None:
    assert not ID.match(text)


@given(parts=TEXTS, others=TEXTS)
def test_different_parts_give_different_ids(parts: list[str], others: list[str]) -> None:
    assert ID.match(derived_id(b"s", *parts))
    assert (derived_id(b"s", *parts) == derived_id(b"s", *others)) == (parts == others)


def test_a_digest_depends_on_secret_and_framing() -> None:
    assert keyed_digest(b"s", "ab", "c") != keyed_digest(b"s", "a", "bc")
    assert keyed_digest(b"s", "ab") != keyed_digest(b"t", "ab")
    assert keyed_digest(b"s", "ab") == keyed_digest(b"s", b"ab")
    assert len(keyed_digest(b"s")) == 64
