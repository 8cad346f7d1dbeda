"""The fields of position strings, as described to a position editor."""

from __future__ import annotations

import re
from random import Random

import pytest

from engine.registry import VARIANTS
from notation.errors import BadFen
from notation.registry import find_dialect
from service.boards.fields import describe_fields
from service.boards.registry import find_board

PLIES, GAMES = 120, 4


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_field_that_play_leads_to_is_described(variant: str) -> None:
    fields = find_board(variant).fields
    written, random = find_dialect(variant), Random(variant)
    for _ in range(GAMES):
        position = written.start({})
        for _ in range(PLIES):
            texts = written.write_fen(position).split(" ")[1:]
            assert len(texts) == len(fields)
            for field, text in zip(fields, texts, strict=True):
                found = re.fullmatch(field.pattern, text)
                assert found, (field.name, text)
                if field.parts:
                    parts = [part or "" for part in found.groups()]
                    assert len(parts) == len(field.parts)
                    assert (field.between.join(parts) or field.none) == text
                else:
                    assert text == field.none
            actions = position.legal()
            if not actions:
                break
            position.play(random.choice(actions))


@pytest.mark.parametrize("variant", VARIANTS)
def test_fields_have_the_names_that_refusals_give_them(variant: str) -> None:
    """A field left empty is refused by its name."""
    written = find_dialect(variant)
    texts = written.write_fen(written.start({})).split(" ")
    for at, one in enumerate(describe_fields(find_board(variant).fields), 1):
        with pytest.raises(BadFen, match=": empty") as refused:
            written.read_fen(" ".join([*texts[:at], "", *texts[at + 1 :]]))
        assert refused.value.field == one["name"]
