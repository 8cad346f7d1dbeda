"""What pages show, and what they let a browser do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from service.pages import game as game_page
from service.pages.session import COOKIE
from service.player.repository import NewPlayer
from tests.service.api.client import PROBLEM, Api
from tests.service.api.tournaments import Desk
from tests.service.game.support import QUIET

STATIC = Path(__file__).parents[3] / "service" / "pages" / "static"
PATHS = (
    *("/", "/games", "/games/new", "/explorer", "/analysis", "/imports", "/tournaments", "/api"),
    *("/players", "/ratings", "/rules", "/rules/rulings", "/lobby", "/search"),
)


@pytest.mark.parametrize("path", [*PATHS, "/sign-in"])
def test_a_page_can_run_and_load_nothing_but_the_services_own(api: Api, path: str) -> None:
    answer = api.http.get(path)
    assert answer.status_code == 200
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert not re.search(r"<(script|style)>|\son\w+=|\sstyle=", answer.text)
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", answer.text)
    assert answer.headers.getlist("Vary") == ["Accept-Language, Cookie", "Accept-Encoding"]


def test_scripts_import_each_other_and_nothing_else() -> None:
    for file in STATIC.rglob("*.js"):
        for name in re.findall(r'from "(.*?)"', file.read_text()):
            assert (file.parent / name).exists(), (file.name, name)


def test_what_is_not_there_is_a_page_too(api: Api) -> None:
    answer = api.http.get(f"/games/{'a' * 16}")
    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert "Not found" in answer.text


def test_what_people_wrote_is_only_text(api: Api, ada: NewPlayer) -> None:
    seats = {"first": {"name": "<script>alert(1)</script>"}, "second": {"name": '"><img src=x>'}}
    path = api.scribed(ada, players=seats, tags={"Event": "<b>Cup</b>"})
    text = api.http.get(path).text
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "&lt;b&gt;Cup" in text


def test_a_game_shows_what_was_captured(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    api.play(path, ada, "c3d4", "d6d4")
    assert "North has captured" not in api.http.get(path, query_string={"ply": 1}).text
    assert "North has captured" in api.http.get(path).text


def test_a_player_has_a_page_with_results_and_is_found_by_name(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    api.command(path, brahim, "resign")
    api.project()
    text = api.http.get(f"/players/{ada.id}").text
    row = r'Katruji</a></th><td class="number">1</td><td class="number">1</td>'
    assert re.search(row + r'<td class="number">0</td><td class="number">0</td>', text)
    assert "Longest streak, winning: <strong>1</strong>, now <strong>1</strong>" in text
    assert "No player has that name." in api.http.get("/players?name=x").text


def test_a_game_shows_each_position(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    api.play(path, ada, "c2d1", "b6a7")
    for ply, turn in enumerate(["South to act, move 1", "North to act, move 1"]):
        text = api.http.get(path, query_string={"ply": ply}).text
        assert f'data-ply="{ply}"' in text
        assert f'<strong class="whose">{turn}</strong>' in text
    assert api.http.get(path, query_string={"ply": 3}).status_code == 400


def test_the_page_of_a_long_game_lists_a_part_and_leads_to_the_others(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_page, "LISTED", 4)
    monkeypatch.setattr(game_page, "AHEAD", 1)
    path = api.scribed(ada)
    api.play(path, ada, *("Sd1", "Sa8", "Sc1", "Sb8") * 2)
    for ply, shown, links in (
        (0, [1, 2, 3, 4], ["?ply=5"]),
        (5, [3, 4, 5, 6], ["?ply=2", "?ply=7"]),
        (8, [5, 6, 7, 8], ["?ply=4"]),
    ):
        text = api.http.get(path, query_string={"ply": ply}).text
        listed = re.findall(r'<li class="\w+"><a href="\?ply=(\d+)"', text)
        assert [int(one) for one in listed] == shown
        assert re.findall(r'class="more-moves"><a href="(.*?)"', text) == links


def test_actions_are_numbered_as_records_number_them(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada, fen=QUIET)
    api.play(path, ada, "Kyan", "Sd1", "Sa8", "Sc1")
    text = api.http.get(path).text
    assert re.findall(r'<span class="quiet">([\d.]+)</span> (\w+)</a>', text) == [
        *(("5.", "Kyan"), ("5.", "Sd1"), ("6.", "Sc1"))
    ]


def test_the_end_of_a_game_is_told_with_the_limit_that_it_reached(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada, tags={"PlyLimit": "2"})
    api.play(path, ada, "Sd1", "Sa8")
    text = api.http.get(path).text
    assert text.count("adjudication</") == 1
    assert text.count("adjudication, limit of 2 plies</span>") == 1
    assert '<strong class="whose">Draw: adjudication</strong>' in text
    assert 'data-open=""' in text


def test_only_who_acts_is_told_what_may_be_played(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    texts: dict[NewPlayer | None, str] = {}
    for by in (ada, brahim, None):
        if by is not None:
            api.http.set_cookie(COOKIE, by.token.secret)
        texts[by] = api.http.get(path).text
        api.http.delete_cookie(COOKIE)
    assert 'id="act"' in texts[ada]
    # Without the quotes, it might occur in a key or a digest by chance.
    action = '"c2d1"'
    assert action in texts[ada]
    assert action not in texts[brahim] + texts[None]
    assert "Offer a draw" in texts[brahim]
    assert "Offer a draw" not in texts[None]


def test_an_infiltrator_is_shown_to_its_owner_alone(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim, variant="kerd")
    for owner, square in ((ada, "f11"), (brahim, "f2")):
        api.command(path, owner, "choose", square=square)
    seen: dict[NewPlayer | None, int] = {}
    for by in (ada, brahim, None):
        if by is not None:
            api.http.set_cookie(COOKIE, by.token.secret)
        page = api.http.get(path).text
        key = page[page.index('<details class="legend">') :].partition("</details>")[0]
        seen[by] = page.count('class="mark"') - key.count('class="mark"')
        api.http.delete_cookie(COOKIE)
    assert seen == {ada: 1, brahim: 1, None: 0}


def test_the_page_of_the_api_has_every_operation(api: Api) -> None:
    text = api.http.get("/api").text
    assert text.count('class="operation"') > 30
    assert "Play an action" in text


def test_a_position_that_cannot_be_is_explained(api: Api) -> None:
    answer = api.http.get("/analysis", query_string={"variant": "kerak", "fen": "nonsense"})
    assert answer.status_code == 422
    assert "nonsense" in answer.text


@pytest.mark.parametrize("path", ["/analysis", "/explorer"])
def test_start_is_the_first_position(api: Api, path: str) -> None:
    first = api.http.get(path, query_string={"variant": "kerd", "fen": "start"})
    assert first.status_code == 200
    unnamed = api.http.get(path, query_string={"variant": "kerd"})
    boards = [re.findall(r"<svg.*?</svg>", page.text, re.DOTALL) for page in (first, unnamed)]
    assert boards[0]
    assert boards[0] == boards[1]


def test_a_search_that_cannot_be_is_explained(api: Api) -> None:
    answer = api.http.get("/games?since=yesterday")
    assert answer.status_code == 400
    assert "since: a day as 1999.12.31" in answer.text
    assert "No games match." not in answer.text


def test_the_form_of_another_game_begins_at_its_start(api: Api) -> None:
    page = api.http.get("/analysis?variant=kerd").text
    shown = re.search(r'name="shown" value="kerd (.*?)"', page)
    assert shown
    asked = {"variant": "katruji", "fen": shown[1], "shown": f"kerd {shown[1]}"}
    answer = api.http.get("/analysis", query_string=asked)
    assert answer.status_code == 200
    assert "South to act" in answer.text
    assert api.http.get("/analysis", query_string=asked | {"shown": ""}).status_code == 422


def test_what_is_wrong_with_a_part_of_a_form_is_told(api: Api, ada: NewPlayer) -> None:
    api.http.set_cookie(COOKIE, ada.token.secret)
    csrf = re.search(r'name="csrf" value="(.*?)"', api.http.get("/games/new").text)
    assert csrf
    form = {"csrf": csrf[1], "variant": "katruji", "mode": "scribe", "first_name": "x" * 300}
    answer = api.http.post("/games/new", data=form)
    assert answer.status_code == 422
    assert "<li>First side&#39;s name: 1 to 255 characters." in answer.text


def test_a_knockouts_stages_are_named_by_their_ties(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, players=4, name="Cup", kind="knockout", rounds=None)
    pairings = desk.pair()["pairings"]
    assert re.findall(r"<h3>(.*?)</h3>", api.http.get(desk.path).text) == ["Semifinals"]
    for one in pairings:
        desk.play(one)
    desk.work()
    page = api.http.get(desk.path).text
    assert re.findall(r"<h3>(.*?)</h3>", page) == ["Semifinals", "Final"]


def test_a_cross_table_shows_each_game_under_its_round(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, players=3, name="Cup", kind="knockout", rounds=None)
    desk.play_round()
    final = desk.pair()["pairings"][0]["game"]
    table = api.http.get(desk.path).text.partition('<h2 id="cross-table">Cross table</h2>')[2]
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in table.split("</tr>")[2:-1]]
    assert [len(cells) for cells in rows] == [2, 2, 2]
    assert sum(final in cells[1] for cells in rows) == 2
    assert sum(cells[0] == "" for cells in rows) == 1


def test_a_wrong_action_leaves_the_position(api: Api) -> None:
    fen = "1SOO/1PSO/1PPS/4/4/SPP1/OS2/OOSP n 0-0 - 1 1"
    query = {"variant": "katruji", "fen": fen}
    answer = api.http.get("/analysis", query_string={**query, "action": "Pd9"})
    assert answer.status_code == 422
    assert "nearest: " in answer.text
    shown = api.http.get("/analysis", query_string=query).text
    for part in ("14 legal actions", f'FEN: <code id="fen">{fen}</code>'):
        assert part in answer.text
        assert part in shown


def test_an_action_leads_on_from_any_position(api: Api) -> None:
    answer = api.http.get("/analysis", query_string={"variant": "katruji", "action": "Pd4"})
    assert answer.status_code == 303
    assert "north" not in answer.headers["Location"]
    assert "North to act" in api.http.get(answer.headers["Location"]).text


@pytest.mark.parametrize(
    "path", ["/nothing", "/analysis?variant=chess", "/static/nothing", "/games/nothing"]
)
def test_what_a_browser_is_refused_is_a_page_that_can_do_nothing(api: Api, path: str) -> None:
    answer = api.http.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
    assert (answer.status_code // 100, answer.mimetype) == (4, "text/html")
    assert "Go to the games" in answer.text
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert api.http.get(path).mimetype == PROBLEM
    assert api.http.get("/api/v1/nothing", headers={"Accept": "text/html"}).mimetype == PROBLEM


def test_the_pages_break_with_a_page(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(api.app.view_functions, "pages.show_imports", lambda: 1 // 0)
    api.app.config["PROPAGATE_EXCEPTIONS"] = False
    answer = api.http.get("/imports", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.mimetype) == (500, "text/html")
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


def test_the_explorer_begins_at_the_start_where_no_position_is_given(api: Api) -> None:
    answer = api.http.get("/explorer", query_string={"variant": "kerak", "fen": ""})
    assert answer.status_code == 200
    # No game was played from there, except by the computer against itself.
    assert '<details id="self-play" open>' in answer.text


def test_the_explorer_counts_the_games_that_its_form_asks_for(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    for loser in (ada, brahim):
        path = api.running(ada, brahim)
        api.play(path, ada, "Pd1")
        api.command(path, loser, "resign")
    api.project()
    everything, apart, computer = api.http.get("/explorer").text.partition(
        '<details id="self-play">'
    )
    assert apart
    assert "The computer against itself" in computer
    assert everything.count('<rect class="first"') == everything.count('<rect class="second"') == 1
    won = api.http.get("/explorer", query_string={"player": ada.id, "result": "1-0"}).text
    assert '<rect class="second"' not in won
    assert "self-play" not in won
    assert f'name="player" value="{ada.id}"' in won
    # The links onward count the same games, and so does the list.
    assert len(re.findall(rf'href="/(?:explorer|games)\?player={ada.id}&amp;result=1-0&', won)) == 4


@pytest.mark.slow
def test_a_finished_game_tells_where_it_left_the_archive(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    paths = [api.running(ada, brahim) for _ in range(3)]
    for path, action in zip(paths, ("Pd1", "Pd1", "Sd1"), strict=True):
        api.play(path, ada, action)
        assert "earlier" not in api.http.get(path).text
        api.command(path, ada, "resign")
    api.project()
    first, second, third = (" ".join(api.http.get(path).text.split()) for path in paths)
    position = r'<a href="/explorer\?variant=katruji&amp;fen=[^"]+">'
    assert re.search(
        rf"1\. Pd1</a>: no earlier game here had reached {position}the position", first
    )
    assert re.search(rf"had come up before: 1 earlier game had reached {position}the last", second)
    assert f'<a href="{paths[0]}">Ada – Brahim</a>' in second
    assert re.search(rf"1\. Sd1</a>: 2 earlier games had reached {position}", third)
    link = re.search(r'<a href="(/explorer[^"]+)">the position before', third)
    assert link is not None
    assert "Pd1" in api.http.get(link[1].replace("&amp;", "&")).text


@pytest.mark.parametrize(
    "field",
    [
        {"expected_version": "9" * 5000},
        {"type": "offer-retraction", "plies": "9" * 5000},
        {"key": "two\nlines", "action": "nonsense"},
    ],
)
def test_fields_that_no_number_and_no_header_can_have_are_refused(
    api: Api, ada: NewPlayer, brahim: NewPlayer, field: dict[str, str]
) -> None:
    path = api.running(ada, brahim)
    api.http.set_cookie(COOKIE, ada.token.secret)
    found = re.search(r'name="csrf-token" content="(\w+)"', api.http.get("/").text)
    assert found
    where = "commands" if "type" in field else "actions"
    answer = api.http.post(f"{path}/{where}", data={"csrf": found[1], "action": "c2d1"} | field)
    assert (answer.status_code, answer.mimetype) == (422, "text/html")
