"""Tournaments without a manual: presets, entries, results typed into one list, and printing."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from service.pages.tournament_desk import MOST_NAMES
from service.pages.tournament_presets import PRESETS
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.conftest import Clock, Configured
from tests.service.api.tournaments import Desk
from tests.service.pages.visitor import Visitor


@pytest.fixture
def organiser(api: Api) -> NewPlayer:
    """A player with an ordinary token."""
    return api.player("Olga")


@pytest.fixture
def desk(api: Api, organiser: NewPlayer) -> Desk:
    """A Swiss tournament of four players known by name, with one round paired."""
    desk = Desk(api, organiser, players=0, name="Evening", rated=False)
    for name in ("Ada", "Brahim", "Carla", "Dan"):
        desk.do("enter", name=name)
    desk.pair()
    return desk


def set_up(api: Api, by: NewPlayer, **form: str) -> dict[str, Any]:
    """Create a tournament by the form; returns its JSON."""
    answer = Visitor(api, by).send("/tournaments/new", name="Cup", variant="kerak", **form)
    assert answer.status_code == 303, told(answer.text)
    made: dict[str, Any] | None = api.get(answer.headers["Location"]).json
    assert made is not None
    return made


def told(page: str) -> str:
    """The text of a refusal on a page."""
    found = re.search(r'<div class="problem" role="alert">(.*?)</div>', page, re.DOTALL)
    return " ".join(unescape(re.sub("<.*?>", " ", found[1])).split()) if found else ""


@pytest.mark.parametrize("preset", PRESETS)
def test_each_preset_makes_a_tournament_with_nothing_else_filled_in(
    api: Api, organiser: NewPlayer, preset: str
) -> None:
    made = set_up(api, organiser, preset=preset)
    fields = PRESETS[preset].fields
    assert made["kind"] == fields["kind"]
    assert str(made["rounds"] or "") == fields.get("rounds", "")
    assert made["self_entry"] is ("self_entry" in fields)
    assert made["terms"]["rated"] is False
    kept = made["terms"]["time_control"] is not None and "TimeControl" not in made["tags"]
    assert kept is (fields["played"] == "here")


def test_what_is_filled_in_takes_the_place_of_the_presets(api: Api, organiser: NewPlayer) -> None:
    made = set_up(api, organiser, preset="club-evening", rounds="3", minutes="20", self_entry="yes")
    assert (made["rounds"], made["self_entry"]) == (3, True)
    assert made["tags"]["TimeControl"] == "1200+0"
    other = {"name": "Other", "preset": "knockout", "kind": "round-robin", "played": "here"}
    answer = Visitor(api, organiser).send("/tournaments/new", variant="kerak", **other)
    made = api.get(answer.headers["Location"]).json or {}
    assert (made["kind"], made["terms"]["time_control"]) == ("round-robin", "1500+10")


def test_only_arbiters_hold_rated_tournaments(
    api: Api, organiser: NewPlayer, arbiter: NewPlayer
) -> None:
    assert set_up(api, arbiter, preset="correspondence")["terms"]["rated"] is True
    form = {"name": "Mine", "variant": "kerak", "preset": "correspondence", "rated": "yes"}
    assert Visitor(api, organiser).send("/tournaments/new", **form).status_code == 403
    assert 'name="rated"' not in Visitor(api, organiser).open("/tournaments/new")


def test_strangers_are_asked_to_sign_in_before_they_hold_one(api: Api) -> None:
    page = Visitor(api).open("/tournaments/new")
    assert "Sign in or register" in page
    assert '<form class="sheet"' not in page


def test_a_list_that_is_too_long_enters_nobody_and_stays_in_the_form(
    api: Api, organiser: NewPlayer
) -> None:
    made = set_up(api, organiser, preset="club-evening")
    visitor, path = Visitor(api, organiser), f"/tournaments/{made['id']}"
    before = api.snapshot()
    names = "\n".join(f"Player {number}" for number in range(MOST_NAMES + 1))
    answer = visitor.send(f"{path}/commands", type="enter", names=names)
    assert answer.status_code == 422
    assert f"At most {MOST_NAMES} at a time" in answer.text
    assert f"Player {MOST_NAMES}" in answer.text
    assert api.snapshot() == before


def test_each_name_of_a_list_counts_as_a_request(
    configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No hour begins meanwhile.
    monkeypatch.setattr("service.api.rate_limits.time", Clock())
    api = configured(MOVELOG_RATE_LIMIT="40/hour")
    olga = api.player("Olga")
    made = set_up(api, olga, preset="club-evening")
    names = "\n".join(f"Player {number}" for number in range(60))
    path = f"/tournaments/{made['id']}/commands"
    assert Visitor(api, olga).send(path, type="enter", names=names).status_code == 429
    assert 0 < len(api.service.tournaments.load(made["id"]).entries) < 40


def test_a_list_of_names_is_entered_and_who_is_not_is_told(api: Api, organiser: NewPlayer) -> None:
    made = set_up(api, organiser, preset="club-evening")
    visitor, path = Visitor(api, organiser), f"/tournaments/{made['id']}"
    names = "Ada, 1850\n\nLovelace, Ada\nAda\nBrahim, 99999"
    answer = visitor.send(f"{path}/commands", type="enter", names=names)
    assert answer.status_code == 422
    assert "Ada:" in told(answer.text)
    assert "Brahim:" in told(answer.text)
    players = (api.get(path).json or {})["players"]
    assert [(one["name"], one["rating"]) for one in players] == [
        ("Ada", 1850),
        ("Lovelace, Ada", None),
    ]


def test_a_name_that_looks_like_a_field_is_told_like_any_other(
    api: Api, organiser: NewPlayer
) -> None:
    made = set_up(api, organiser, preset="club-evening")
    path = f"/tournaments/{made['id']}/commands"
    names = "results.0.a\nresults.0.a"
    answer = Visitor(api, organiser).send(path, type="enter", names=names)
    assert answer.status_code == 422
    assert "results.0.a:" in told(answer.text)


def test_players_enter_and_withdraw_on_the_page(api: Api, organiser: NewPlayer) -> None:
    made = set_up(api, organiser, preset="online-evening")
    path = f"/tournaments/{made['id']}"
    assert "Sign in</a> to enter" in Visitor(api).open(path)
    ada = api.player("Ada")
    visitor = Visitor(api, ada)
    assert "Enter the tournament" in visitor.open(path)
    visitor.send(f"{path}/commands", type="enter", player=ada.id)
    assert "You have entered" in visitor.open(path)
    visitor.send(f"{path}/commands", type="withdraw", player=ada.id)
    assert "Enter the tournament" in visitor.open(path)
    Visitor(api, organiser).send(f"{path}/commands", type="close-self-entry")
    assert "Enter the tournament" not in visitor.open(path)


def fill(**typed: str) -> dict[str, str]:
    """A form of results: `b1="1"` is board 1's result, `why1` a reason, `was1` the old result."""
    names = {"b": "result", "was": "was", "why": "reason", "p": "points"}
    found = {"type": "results", "round": "1"}
    for name, value in typed.items():
        field, board = re.fullmatch(r"([a-z]+)(\d)", name).groups()  # type: ignore[union-attr]
        found[f"{names[field]}.{board}"] = value
    return found


def test_results_are_typed_in_one_list(api: Api, desk: Desk, organiser: NewPlayer) -> None:
    visitor = Visitor(api, organiser)
    answer = visitor.send(f"{desk.path}/commands", **fill(b1="1", b2="½"))
    assert answer.headers["Location"] == desk.path
    found = desk.get("/rounds/1")["pairings"]
    assert [one["result"] for one in found] == ["1-0", "1/2-1/2"]
    page = visitor.open(desk.path)
    assert "Correct result<" in page
    assert "Next:</strong> pair round 2" in page


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"b1": "2"}, "Board 1: “2” is not a result. Type one of 1 0 = + - x"),
        ({}, "Results: Nothing new was typed"),
        ({"b1": " "}, "Results: Nothing new was typed"),
        ({"b9": "1"}, "9"),
        ({"b1": "1", "p1": "many"}, "points"),
    ],
)
def test_what_is_no_result_is_told(
    api: Api, desk: Desk, organiser: NewPlayer, typed: dict[str, str], said: str
) -> None:
    answer = Visitor(api, organiser).send(f"{desk.path}/commands", **fill(**typed))
    assert answer.status_code in (404, 422)
    assert said in told(answer.text)
    assert [one["result"] for one in desk.get("/rounds/1")["pairings"]] == ["*", "*"]


def test_a_refused_list_keeps_what_was_typed_and_says_why_beside_its_field(
    api: Api, desk: Desk, organiser: NewPlayer
) -> None:
    visitor = Visitor(api, organiser)
    visitor.send(f"{desk.path}/commands", **fill(b1="1"))
    wrong = fill(b1="0", was1="1", b2="=", p2="3-1")
    page = visitor.send(f"{desk.path}/commands", **wrong).text
    first, second = find_row(page, 1), find_row(page, 2)
    assert 'value="0" data-result' in first
    assert '<details class="correct" open>' in first
    assert re.search(
        r'name="reason.1"[^>]*aria-describedby="public-1 wrong-1"[^>]*autofocus', first
    )
    assert re.search(r'id="wrong-1">It has a result already: say why you are changing it', first)
    assert "Board 1: It has a result already: say why you are changing it." in told(page)
    # The form says, before a reason is typed, that everybody can read it.
    assert re.search(r'Why <span class="quiet">\(required\)</span>', first)
    assert re.search(r'id="public-1">Everybody can read why, here and in print.', first)
    assert 'value="=" data-result' in second
    assert "wrong-2" not in second
    assert 'name="points.2" value="3-1"' in page
    page = visitor.send(f"{desk.path}/commands", **fill(b2="7")).text
    assert 'value="7" data-result' in find_row(page, 2)
    assert "“7” is not a result" in find_row(page, 2)


def test_other_refused_forms_keep_what_was_typed(
    api: Api, desk: Desk, organiser: NewPlayer
) -> None:
    visitor = Visitor(api, organiser)
    names = "Ada\nEva, 1700\nBrahim, 99999"
    page = visitor.send(f"{desk.path}/commands", type="enter", names=names).text
    kept = re.search(r'<textarea name="names"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    assert kept is not None
    assert kept[1] == "Ada\nBrahim, 99999"
    ruling = {"type": "rule", "pairing": "1.2", "result": "0-1", "points": "9", "reason": "late"}
    page = visitor.send(f"{desk.path}/commands", **ruling).text
    assert '<option value="1.2" selected>' in page
    assert '<option value="0-1" selected>0–1</option>' in page
    assert 'name="reason" value="late"' in page


def find_row(page: str, board: int) -> str:
    """The rows of a board in the list of results: its result, and the correction of it."""
    _, _, results = page.partition('id="results"')
    correction = r'(?:<tr class="remark correction">.*?</tr>)?'
    row = rf'<tr><td class="number">{board}</td>.*?</tr>{correction}'
    found = re.search(row, results, re.DOTALL)
    assert found is not None
    return found[0]


def test_after_the_last_round_the_next_step_is_to_finish(api: Api, organiser: NewPlayer) -> None:
    desk = Desk(api, organiser, players=0, name="Short", rated=False, rounds=1)
    for name in ("Ada", "Brahim"):
        desk.do("enter", name=name)
    visitor = Visitor(api, organiser)
    assert "pair round 1 of 1 when" in visitor.open(desk.path)
    desk.pair()
    page = visitor.open(desk.path)
    assert "This is the last round: then the tournament can be finished." in page
    assert "Then round 2" not in page
    visitor.send(f"{desk.path}/commands", **fill(b1="1"))
    page = visitor.open(desk.path)
    assert "The only round is played." in page
    assert "Pair round" not in page
    visitor.send(f"{desk.path}/commands", type="finish")
    assert "The tournament is finished." in visitor.open(desk.path)


def test_a_round_robin_tells_how_many_rounds_it_has(api: Api, organiser: NewPlayer) -> None:
    desk = Desk(api, organiser, players=0, name="All", rated=False, kind="round-robin", rounds=None)
    assert desk.get()["planned_rounds"] is None
    for name in ("Ada", "Brahim", "Carla"):
        desk.do("enter", name=name)
    assert (desk.get()["planned_rounds"], desk.get()["last_round"]) == (3, False)
    desk.pair()
    page = Visitor(api, organiser).open(desk.path)
    assert "Results are missing in round 1; they can be entered later." in page
    desk.pair()
    desk.pair()
    assert desk.get()["last_round"] is True
    assert "enter the results of round 1" in Visitor(api, organiser).open(desk.path)


@pytest.mark.parametrize("kind", ["round-robin", "free"])
def test_two_organisers_pair_a_round_once(api: Api, organiser: NewPlayer, kind: str) -> None:
    desk = Desk(api, organiser, players=0, name="All", rated=False, kind=kind, rounds=None)
    names = ("Ada", "Brahim", "Carla")
    players = [desk.do("enter", name=name)["players"][-1]["id"] for name in names]
    page = Visitor(api, organiser).open(desk.path)
    pairing = re.search(r'<form[^>]*>(?:(?!</form>).)*value="pair">.*?</form>', page, re.DOTALL)
    assert pairing is not None
    assert '<input type="hidden" name="round" value="1">' in pairing[0]
    boards = [{"first": players[0], "second": players[1]}] if kind == "free" else None
    desk.pair(boards=boards, round=1)
    form = {"type": "pair", "round": "1"}
    if kind == "free":
        form |= {"first": players[0], "second": players[1]}
    answer = Visitor(api, organiser).send(f"{desk.path}/commands", **form)
    assert answer.status_code == 422
    assert "the next round to pair is 2" in told(answer.text)
    assert len(desk.get("/rounds")["rounds"]) == 1


@pytest.mark.parametrize(
    ("kind", "shown"),
    [("swiss", "Byes and withdrawals"), ("free", "Withdrawals"), ("knockout", "Withdrawals")],
)
def test_only_a_swiss_has_byes_to_grant(
    api: Api, organiser: NewPlayer, kind: str, shown: str
) -> None:
    rounds = 3 if kind == "swiss" else None
    desk = Desk(api, organiser, players=0, name="Cup", rated=False, kind=kind, rounds=rounds)
    desk.do("enter", name="Ada")
    page = Visitor(api, organiser).open(desk.path)
    assert f"<summary>{shown}</summary>" in page
    assert ('value="grant-bye"' in page) is (kind == "swiss")
    assert 'value="withdraw"' in page


def test_a_decided_knockout_has_no_further_round(api: Api, organiser: NewPlayer) -> None:
    desk = Desk(api, organiser, players=0, name="Cup", rated=False, kind="knockout", rounds=None)
    for name in ("Ada", "Brahim"):
        desk.do("enter", name=name)
    desk.pair()
    assert desk.get()["last_round"] is False
    desk.do("rule", round=1, board=1, result="1-0")
    assert desk.get()["last_round"] is True
    assert "The knockout is decided." in Visitor(api, organiser).open(desk.path)


@pytest.mark.parametrize("names", [[], ["Ada"]])
def test_a_new_knockouts_page_enters_its_first_players(
    api: Api, organiser: NewPlayer, names: list[str]
) -> None:
    made = set_up(api, organiser, preset="knockout")
    visitor, path = Visitor(api, organiser), f"/tournaments/{made['id']}"
    if names:
        visitor.send(f"{path}/commands", type="enter", names="\n".join(names))
    page = visitor.open(path)
    assert 'name="names"' in page
    assert 'id="bracket"' not in page
    answer = visitor.send(f"{path}/commands", type="enter", names="Brahim\nCarla")
    assert answer.status_code == 303, told(answer.text)
    assert 'id="bracket"' in visitor.open(path)


@pytest.mark.parametrize("paired", [False, True])
def test_a_knockouts_page_opens_after_everybody_withdrew(
    api: Api, organiser: NewPlayer, paired: bool
) -> None:
    desk = Desk(api, organiser, players=0, name="Cup", rated=False, kind="knockout", rounds=None)
    entered = [desk.do("enter", name=name)["players"][-1]["id"] for name in ("Ada", "Brahim")]
    if paired:
        desk.pair()
    for player in entered:
        desk.do("withdraw", player=player)
    page = Visitor(api, organiser).open(desk.path)
    assert ('id="bracket"' in page) is paired
    assert ('name="names"' in page) is not paired


@pytest.mark.slow
def test_a_correction_takes_a_reason_and_tells_what_it_changed(
    api: Api, desk: Desk, organiser: NewPlayer
) -> None:
    visitor = Visitor(api, organiser)
    visitor.send(f"{desk.path}/commands", **fill(b1="1", b2="="))
    desk.work()
    wrong = fill(b1="0", was1="1", b2="=", was2="=")
    answer = visitor.send(f"{desk.path}/commands", **wrong)
    assert "say why you are changing it" in told(answer.text)
    answer = visitor.send(f"{desk.path}/commands", **wrong, **{"reason.1": "the wrong way round"})
    page = visitor.open(answer.headers["Location"])
    assert "What the correction in round 1 changed" in page
    assert "instead of" in page
    assert "No round has been paired since" in page
    desk.pair()
    again = fill(b2="1", was2="=", why2="seen on the sheet")
    answer = visitor.send(f"{desk.path}/commands", **again)
    page = visitor.open(answer.headers["Location"])
    assert "Round 2 was paired with the old result" in page
    assert visitor.open(f"{desk.path}/rounds/1").count("seen on the sheet") == 1


def test_pairings_tables_and_score_sheets_are_pages(api: Api, desk: Desk) -> None:
    desk.do("rule", round=1, board=1, result="1-0")
    visitor = Visitor(api)
    for path, shown in (
        ("/rounds/1", ">South</th>"),
        ("/standings", "Buchholz"),
        ("/cross-table", "Round 1"),
        ("/rounds/1/boards", "board.svg"),
    ):
        page = visitor.open(desk.path + path)
        assert all(name in page for name in ("Evening", "Ada", "Dan", shown)), path
    sheets = visitor.open(f"{desk.path}/rounds/1/score-sheets")
    assert sheets.count('<article class="score-sheet"') == 2
    assert sheets.count('<th scope="row">40</th>') == 2


def test_a_games_score_sheet_has_its_moves(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = api.running(ada, brahim)
    for player, action in ((ada, "Pc4"), (brahim, "Scb7=O"), (ada, "Pb4")):
        api.play(path, player, action)
    page = Visitor(api).open(f"{path}/score-sheet")
    rows = re.findall(r'<th scope="row">(\d+)</th><td>(.*?)</td><td>(.*?)</td>', page)
    assert rows == [("1", "Pc4", "Scb7=O"), ("2", "Pb4", "")]
