from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import BadValue
from service.tournament.scheme import (
    SCHEMES,
    STANDARD,
    ScoringScheme,
    scheme_from_json,
    scheme_to_json,
    text_of,
)
from service.tournament.table import PLAYED, Mark

UNPLAYED = [mark for mark in Mark if mark not in PLAYED]
points = st.integers(-1000, 1000).map(lambda tenths: Decimal(tenths) / 10)
schemes = st.builds(
    ScoringScheme,
    st.text(min_size=1),
    st.integers(1, 9),
    st.fixed_dictionaries(dict.fromkeys(Mark, points)),
    st.dictionaries(st.sampled_from(UNPLAYED), st.integers(1, 100)),
)


@given(schemes)
def test_a_scheme_comes_back_from_json(scheme: ScoringScheme) -> None:
    written = json.dumps(scheme_to_json(scheme))
    assert scheme_from_json(json.loads(written)) == scheme
    assert json.dumps(scheme_to_json(scheme_from_json(json.loads(written)))) == written


def test_the_known_schemes() -> None:
    worth = {name: (each.match[Mark.WIN], each.match[Mark.DRAW]) for name, each in SCHEMES.items()}
    assert worth == {
        ("standard", 1): (Decimal(1), Decimal("0.5")),
        ("three-points", 1): (Decimal(3), Decimal(1)),
    }


@given(points)
def test_points_have_one_text(value: Decimal) -> None:
    assert Decimal(text_of(value)) == value
    assert text_of(value + Decimal("0.00")) == text_of(value)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "scoring.name"),
        ({"version": 0}, "scoring.version"),
        ({"version": True}, "scoring.version"),
        ({"match": []}, "scoring.match"),
        ({"match": {"win": "1"}}, "scoring.match"),
        ({"match": {"triumph": "1"}}, "scoring.match"),
        ({"win": "much"}, "scoring.match.win"),
        ({"win": None}, "scoring.match.win"),
        ({"win": "NaN"}, "scoring.match.win"),
        ({"win": "100.1"}, "scoring.match.win"),
        ({"win": "0.25"}, "scoring.match.win"),
        ({"game": {"win": 3}}, "scoring.game"),
        ({"game": {"pairing-bye": 1.5}}, "scoring.game.pairing-bye"),
        ({"game": {"pairing-bye": 101}}, "scoring.game.pairing-bye"),
    ],
)
def test_what_is_no_scheme_is_refused_by_name(change: Mapping[str, Any], field: str) -> None:
    value = scheme_to_json(STANDARD)
    if "win" in change:
        match = value["match"]
        assert isinstance(match, dict)
        change = {"match": {**match, **change}}
    with pytest.raises(BadValue) as refusal:
        scheme_from_json({**value, **change})
    assert refusal.value.field == field
