"""Tie-breaks, captures, verdicts and refusals are explained in the reader's language."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from service.languages.sentences import say_sentence
from service.languages.texts import use_language
from service.pages.session import COOKIE
from service.player.repository import NewPlayer
from tests.engine.kerak_support import KERAK, at
from tests.service.api.client import Api
from tests.service.api.conftest import api, configured
from tests.service.api.tournaments import Desk
from tests.service.imports.support import ILLEGAL, imported

__all__ = ["api", "configured"]

GERMAN = {"Accept-Language": "de"}
WEAK = (
    "von d4: Angriff 2 (Infanterist d4 1 + Bogenschütze e5 1)"
    " < Verteidigung 3 (Held e4 2 + Infanterist e3 1)"
)


def read(api: Api, path: str) -> Any:
    """The JSON at a path, in German."""
    answer = api.http.get(f"/api/v1{path}", headers=GERMAN)
    assert answer.status_code == 200, answer.text
    return answer.json


def scribed_melee(api: Api, by: NewPlayer) -> str:
    """The path of a game of Kerak in which the Infantry d4 faces the Hero e4."""
    return api.scribed(by, variant="kerak", fen=KERAK.write_fen(at("Id4 he4 ie3 Ae5 Ia5")))


def test_a_tie_break_is_explained_in_german(api: Api) -> None:
    desk = Desk(api, api.player("Ola", "arbiter"))
    desk.play_round()
    asked = f"{desk.path}/standings/explain?player={desk.players[0].id}&term="
    told = read(api, f"{asked}sonneborn-berger")
    assert told["term"] == "sonneborn-berger"
    assert told["rule"].startswith("C.07 9.1: die Punkte jedes Gegners")
    assert [part["note"] for part in told["parts"]] == [
        "die Punkte des Gegners, mal die erzielten Punkte"
    ]
    page = api.http.get(f"{desk.path}?player={desk.players[0].id}&term=buchholz", headers=GERMAN)
    assert "C.07 8.1: die Summe der Punkte der Gegner" in page.text
    assert "<td>die Punkte des Gegners</td>" in page.text


def test_a_capture_is_explained_in_german(api: Api) -> None:
    melee = scribed_melee(api, api.player("Ada"))
    told = read(api, f"{melee}/combat?from=d4&to=e4")
    assert (told["verdict"], told["detail"]) == ("too weak", WEAK)
    assert [one["detail"] for one in told["assaults"]] == [WEAK]
    assert told["assaults"][0]["attackers"][0]["piece"] == "Infantry"
    page = api.http.get(f"{melee}/combat?from=d4&to=e4", headers=GERMAN).text
    assert "d4 schlägt auf e4: zu schwach." in page
    assert "<td>Infanterist d4</td>" in page


def test_a_refused_capture_says_its_sums_in_german(api: Api) -> None:
    ada = api.player("Ada")
    melee = scribed_melee(api, ada)
    headers = {"Authorization": f"Bearer {ada.token.secret}", **GERMAN}
    answer = api.http.post(f"/api/v1{melee}/actions", json={"action": "Ixe4"}, headers=headers).json
    assert answer
    assert WEAK in answer["detail"]
    assert answer["combat"]["detail"] == WEAK


def test_the_verdicts_of_an_import_are_shown_in_german(api: Api) -> None:
    ada = api.player("Ada")
    sent = imported(api, ada, ILLEGAL)["id"]
    api.http.set_cookie(COOKIE, ada.token.secret)
    page = unescape(api.http.get(f"/imports/{sent}", headers=GERMAN).text)
    assert "Pd9: keine Schreibweise einer Aktion von Katruji <" in page
    assert re.search(r"\(Zeile \d+, Spalte \d+\)<", page)
    assert "Pd9: no form of a Katruji action" in unescape(api.http.get(f"/imports/{sent}").text)


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("the record ends without a result", "die Aufzeichnung endet ohne Ergebnis"),
        (
            "the game ended 1-0 by mate, the record says 0-1",
            "die Partie endete 1-0 durch Matt, die Aufzeichnung sagt 0-1",
        ),
        (
            "placement: row 3 has no piece 'x'",
            "placement: Reihe 3: es gibt keine Figur 'x'",
        ),
        (
            "from d4: attack 2 (Infantry d4 1 + Archer e5 1)"
            " < defence 3 (Hero e4 2 + Infantry e3 1)",
            WEAK,
        ),
        ("what somebody wrote", "what somebody wrote"),
        ("", ""),
    ],
)
def test_a_sentence_that_was_kept_in_english_is_said_in_german(kept: str, said: str) -> None:
    with use_language("de"):
        assert say_sentence(kept) == said
    assert say_sentence(kept) == kept


def test_the_refusal_of_a_position_says_why_in_german(api: Api) -> None:
    path = "/api/v1/variants/kerak/position?fen=5/6+r+-+0-0+19"
    answer = api.http.get(path, headers=GERMAN)
    assert answer.json
    assert answer.json["code"] == "bad-fen"
    assert answer.json["detail"] == "placement: 2 Reihen, erwartet 9"
