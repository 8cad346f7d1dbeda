from __future__ import annotations

import json

import pytest

from notation.description import START, describe, describe_line
from notation.registry import find_dialect
from tests.games import NAMES, random_actions

KATRUJI_START = "1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1 s 0-0 - 0 1"
ENDED = "O2O/P1SO/O1O1/4/1P2/SO2/OOO1/2O1 s 3-5 - s6! 6"


def test_the_first_position_of_katruji() -> None:
    description = describe("katruji", START)
    assert description == describe("katruji", KATRUJI_START)
    assert description["fen"] == KATRUJI_START
    assert isinstance(description["legal"], list)
    assert isinstance(description["san"], dict)
    assert description["legal"][:4] == ["a3a4", "a3a5", "a3b3", "b2b3"]
    assert len(description["legal"]) == 14
    assert list(description["san"]) == description["legal"]
    assert description["san"]["c1c2"] == "Scc2=O"
    assert (description["outcome"], description["points"]) == (None, [0, 0])


def test_a_finished_position() -> None:
    assert describe("katruji", ENDED) == {
        "fen": ENDED,
        "legal": [],
        "san": {},
        "outcome": {"result": "0-1", "termination": "alka"},
        "points": [3, 5],
    }


@pytest.mark.parametrize("variant", NAMES)
def test_descriptions_are_json_sorted_by_code_point(variant: str) -> None:
    for seed in range(5):
        _, position = random_actions(variant, seed, 40)
        description = json.loads(
            json.dumps(describe(variant, find_dialect(variant).write_fen(position)))
        )
        assert description["legal"] == sorted(description["legal"])
        assert list(description["san"]) == description["legal"]
        assert len(description["legal"]) == len(position.legal())
        assert (description["outcome"] is None) is bool(description["legal"])


@pytest.mark.parametrize(
    ("line", "code", "field"),
    [
        ("katruji start", "syntax", "line"),
        ("", "syntax", "line"),
        ("shogi\tstart", "unknown-variant", "variant"),
        ("\tstart", "unknown-variant", "variant"),
        ("katruji\t", "bad-fen", "placement"),
        ("katruji\tSTART", "bad-fen", "side"),
        (f"katruji\t{KATRUJI_START} ", "bad-fen", "fen"),
        (f"katruji\t{KATRUJI_START}\tx", "bad-fen", "move"),
        (f"katruji\t{KATRUJI_START[:-1]}0", "bad-fen", "move"),
    ],
)
def test_a_bad_line_is_told_by_code_and_field(line: str, code: str, field: str) -> None:
    error = describe_line(line + "\n")["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["field"]) == (code, field)
    assert error["reason"]


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_line_may_have_any_end(end: str) -> None:
    assert describe_line(f"katruji\tstart{end}") == describe("katruji", START)
