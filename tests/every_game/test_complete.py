"""Every registered variant has everything that a game needs."""

from __future__ import annotations

import pytest

from engine.registry import VARIANTS
from notation.registry import DIALECTS
from tests.every_game.table import TABLE
from tests.games import DATA, NAMES, recorded


def test_every_variant_has_a_dialect_of_its_own() -> None:
    assert set(DIALECTS) == set(VARIANTS)
    for name, dialect in DIALECTS.items():
        assert dialect.variant is VARIANTS[name]


@pytest.mark.parametrize("variant", NAMES)
def test_every_variant_has_records(variant: str) -> None:
    assert len(recorded(variant)) >= 30
    assert all(game.variant == variant and game.result for game in recorded(variant))


@pytest.mark.parametrize("variant", NAMES)
def test_every_variant_has_perft_lines(variant: str) -> None:
    positions = {line.fen for line in TABLE if line.variant == variant}
    assert len(positions) > 2
    assert DIALECTS[variant].write_fen(VARIANTS[variant].start()) in positions


def test_the_test_data_knows_no_other_game() -> None:
    assert {line.variant for line in TABLE} == set(VARIANTS)
    assert {path.stem for path in (DATA / "records").glob("*.pgn")} == set(VARIANTS)
