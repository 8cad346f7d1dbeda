from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from engine.registry import VARIANTS
from service.analysis.chart import HEIGHT, STYLE, WIDTH, chart, choose_ticks
from tests.service.analysis.support import analysed, found

SVG = "{http://www.w3.org/2000/svg}"
GAME = [
    found(0, 0.5, "a1a2"),
    found(1, 0.35, "b1b2"),
    None,
    found(1, 0.4, "c1c2"),
    found(0, 0.9),
]


def drawn(*findings: object, variant: str = "katruji") -> ElementTree.Element:
    return ElementTree.fromstring(chart(analysed(*findings, variant=variant)))  # type: ignore[arg-type]


def test_title_and_description_say_what_is_drawn() -> None:
    svg = drawn(*GAME)
    labels = (svg.get("aria-labelledby") or "").split()
    assert svg.get("role") == "img"
    told = [element.text for element in svg if element.get("id") in labels]
    assert told == [
        "Winning chance of South after each action",
        "South has 50 % at first and 90 % after 4 actions. Blunders: 4. Mistakes: 1.",
    ]


def test_grave_actions_are_marked_and_say_so() -> None:
    marks = drawn(*GAME).findall(f"{SVG}circle[{SVG}title]")
    assert [mark.get("class") for mark in marks] == ["m", "b"]
    assert [mark.findtext(f"{SVG}title") for mark in marks] == [
        "1: mistake, 15 % given away",
        "4: blunder, 50 % given away",
    ]


def test_all_three_judgements_are_marked_told_and_explained() -> None:
    svg = drawn(
        found(0, 0.5, "a1a2"), found(1, 0.44, "b1b2"), found(0, 0.58, "c1c2"), found(1, 0.3)
    )
    marks = svg.findall(f"{SVG}circle[{SVG}title]")
    assert [mark.get("class") for mark in marks] == ["i", "m", "b"]
    assert [key.get("class") for key in svg.findall(f"{SVG}circle") if not len(key)] == [
        *("i", "m", "b")
    ]
    told = svg.findtext(f"{SVG}desc") or ""
    assert told.endswith("Blunders: 3. Mistakes: 2. Inaccuracies: 1.")


def test_what_is_not_known_is_a_gap() -> None:
    assert len(drawn(*GAME).findall(f"{SVG}path[@class='c']")) == 2
    assert len(drawn(*GAME[:2]).findall(f"{SVG}path[@class='c']")) == 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_game_can_be_drawn(variant: str) -> None:
    assert VARIANTS[variant].sides[0] in "".join(drawn(found(), variant=variant).itertext())


def test_nothing_leaves_the_picture() -> None:
    svg = drawn(*[found(ply % 2, ply % 2, "a1a2") for ply in range(300)])
    assert svg.get("viewBox") == f"0 0 {WIDTH} {HEIGHT}"
    for path in svg.findall(f"{SVG}path"):
        xs = [float(x) for x in re.findall(r"[ML]([0-9.]+) ", path.get("d") or "")]
        assert all(0 <= x <= WIDTH for x in xs)


def test_it_is_legible_at_its_own_width_in_light_and_dark() -> None:
    light, dark = STYLE.split("@media (prefers-color-scheme:dark)")
    assert min(map(int, re.findall(r"font(?:-size)?:(\d+)px", STYLE))) >= 11
    ink, paper = (re.findall(r"text\{[^}]*?fill:(#\w+)", part)[0] for part in (light, dark))
    assert ink != paper
    assert {*re.findall(r"\.(\w+)\{", light)} == {*re.findall(r"\.(\w+)\{", dark)}


def test_what_is_not_begun_is_drawn_empty() -> None:
    state = analysed(*GAME)
    empty = chart(type(state)(state.id, state.by, 0, state.begun))
    assert "Nothing is analysed yet." in empty
    assert "Accuracy" not in empty


@pytest.mark.parametrize("last", [1, 2, 7, 60, 61, 399, 1000])
def test_there_are_a_few_numbers_below(last: int) -> None:
    assert 2 <= len(choose_ticks(last)) <= 7
