"""Annotations on a game's page, without scripts: shown to everybody, written by those who may."""

from __future__ import annotations

import re

import pytest

from service.pages.annotations import format_glyph, format_variation, parse_glyph
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.pages.visitor import Visitor

FORM = 'id="note"'


@pytest.fixture
def game(api: Api, ada: NewPlayer, brahim: NewPlayer) -> str:
    """A game in which each player has acted once; Ada is to act."""
    path = api.running(ada, brahim)
    api.play(path, ada, "Sd1")
    api.play(path, brahim, "Sa8")
    return path


def words(page: str) -> str:
    """The text of a page's list of actions."""
    moves = page[page.index("<ol>") : page.index("</ol>")]
    return " ".join(re.sub(r"<[^>]+>", "", moves).split())


def test_what_is_written_is_shown_to_everybody(
    api: Api, ada: NewPlayer, brahim: NewPlayer, game: str
) -> None:
    api.command(game, brahim, "resign")
    written = {
        "comments": "good\r\n\r\nvery <b>good",
        "comments_before": "now",
        "nags": "!, $14 ??",
    }
    visitor = Visitor(api, ada)
    answer = visitor.send(
        f"{game}/annotations", ply="1", variations="Pd2!{x <i>}(Pc4 Sa8) Sa8\nPd1", **written
    )
    assert answer.status_code == 303
    assert answer.headers["Location"].endswith("?ply=1")
    view = api.get(game).json
    assert view is not None
    assert view["actions"][0]["comments"] == ["good", "very <b>good"]
    assert view["actions"][0]["nags"] == [1, 14, 4]
    page = Visitor(api).open(game)
    assert "<b>" not in page
    assert "<i>" not in page
    assert words(page).startswith(
        "now 1. Sd1! $14?? good very &lt;b&gt;good"
        " (1. Pd2! x &lt;i&gt; (1. Pc4 Sa8) 1... Sa8) (1. Pd1)"
    )
    assert FORM not in page
    filled = visitor.open(f"{game}?ply=1")
    assert "1. Pd2 $1 {x &lt;i&gt;} (1. Pc4 Sa8) 1... Sa8\n1. Pd1</textarea>" in filled
    assert ">! $14 ??</textarea>" in filled
    visitor.send(f"{game}/annotations", ply="1", variations="", comments="", nags="")
    assert words(Visitor(api).open(game)).startswith("1. Sd1Sa8")


def test_who_has_the_form_and_what_is_in_it(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer, game: str
) -> None:
    def form(by: NewPlayer, ply: int) -> str:
        page = Visitor(api, by).open(f"{game}?ply={ply}")
        named = 'name="variations"' in page
        return ("whole" if named else "comments") if FORM in page else ""

    assert [form(by, ply) for by in (ada, brahim, eve) for ply in (0, 1, 2)] == [
        *("", "comments", ""),
        *("", "", "comments"),
        *("", "", ""),
    ]
    api.project()
    answer = Visitor(api, ada).send(
        f"{game}/commands", type="admit-annotator", player_name="Eve", key="k1"
    )
    assert answer.status_code == 303
    assert "Withdraw Eve" in Visitor(api, brahim).open(game)
    assert "Withdraw Eve" not in Visitor(api, eve).open(game)
    assert form(eve, 1) == ""
    api.command(game, brahim, "resign")
    assert [form(by, ply) for by in (ada, brahim, eve) for ply in (0, 1, 2)] == [
        "",
        "whole",
        "whole",
    ] * 3
    withdrawn = {"type": "withdraw-annotator", "player": eve.id, "key": "k2"}
    assert Visitor(api, ada).send(f"{game}/commands", **withdrawn).status_code == 303
    assert form(eve, 1) == ""


def test_a_refused_annotation_can_be_mended(
    api: Api, ada: NewPlayer, brahim: NewPlayer, game: str
) -> None:
    api.command(game, brahim, "resign")
    answer = Visitor(api, ada).send(
        f"{game}/annotations", ply="1", comments="so & so", nags="!", variations="Pd2 Pd9"
    )
    assert answer.status_code == 422
    assert "Illegal variation" in answer.text
    assert answer.text.count("earest") == answer.text.count("Nearest legal:") == 1
    assert ">Pd2 Pd9</textarea>" in answer.text
    assert ">so &amp; so</textarea>" in answer.text
    view = api.get(game).json
    assert view is not None
    assert "comments" not in view["actions"][0]
    for wrong in ({"ply": "9"}, {"ply": "x"}, {"ply": "1", "nags": "good"}, {}):
        answer = Visitor(api, ada).send(f"{game}/annotations", **wrong)
        assert answer.status_code == 422
    assert Visitor(api).send(f"{game}/annotations", ply="1").status_code == 401


@pytest.mark.parametrize("nag", [*range(1, 7), 0, 7, 14, 255])
def test_glyphs_are_written_and_read(nag: int) -> None:
    assert parse_glyph(format_glyph(nag)) == nag


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1. Pd2 $14 Sa8", "1. Pd2 $14 Sa8"),
        ("{a (b) <i>} 1. Pd2", '<span class="comment">a (b) &lt;i&gt;</span> 1. Pd2'),
        ("1. R:f11+ (1. X:e2 (1. Cf4&e4))", "1. R:f11+ (1. X:e2 (1. Cf4&amp;e4))"),
    ],
)
def test_a_variation_is_shown_for_people(text: str, shown: str) -> None:
    assert str(format_variation(text)) == shown


def test_the_actions_of_a_variation_lead_to_its_line() -> None:
    shown = str(format_variation("5. Pd2 (5. Pc4 Sa8) 5... Sa7", "g1", 9))
    assert re.findall(r'line=([^"]+)">([^<]+)</a>', shown) == [
        ("Pd2", "5. Pd2"),
        ("Pc4", "5. Pc4"),
        ("Pc4+Sa8", "Sa8"),
        ("Pd2+Sa7", "5... Sa7"),
    ]
    assert shown.count("game=g1&amp;ply=8&amp;") == 4
    assert shown.count('<span class="variation">(') == 1
