"""What other sites show of this one: boards in frames, and previews of links."""

from __future__ import annotations

import re
from html import unescape

import pytest
from werkzeug.test import TestResponse

from service.pages.session import COOKIE
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.tournaments import Desk
from tests.service.pages.visitor import Visitor

START = "/embed/position?variant=kerd"


def assert_framed(answer: TestResponse, script: str | None = None) -> None:
    """Fail unless every site may frame the answer, which can do nothing but run this script."""
    policy = answer.headers["Content-Security-Policy"]
    assert "frame-ancestors *" in policy
    assert "default-src 'none'" in policy
    sources = [part.strip() for part in policy.split(";") if "script-src" in part]
    assert sources == ([] if script is None else ["script-src 'self'"])
    assert "form-action 'none'" in policy
    assert "X-Frame-Options" not in answer.headers
    assert "Set-Cookie" not in answer.headers
    assert "Cookie" not in answer.headers.getlist("Vary")
    scripts = re.findall(r"<script[^>]*>[^<]*", answer.text)
    assert len(scripts) == (0 if script is None else 1)
    assert all(re.search(rf'src="/static/[0-9a-f]+/{script}">\s*$', one) for one in scripts)
    assert not re.search(r"<(form|input|button)\b|\son\w+=|\sstyle=", answer.text)


def test_a_game_is_shown_in_frames_of_all_sites(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    api.play(path, ada, "c2d1")
    newest = api.http.get(f"/embed{path}")
    assert newest.status_code == 200
    assert_framed(newest, "embed/game.js")
    assert 'data-ply="1"' in newest.text
    assert "Brahim" in newest.text
    before = api.http.get(f"/embed{path}?ply=0&below=second")
    assert 'data-ply="0"' in before.text
    assert before.text.index("Ada") < before.text.index("Brahim") or "rotate(180" in before.text
    links = re.findall(r'href="(\?[^"]*)"', before.text)
    assert [unescape(link) for link in links] == [
        f"?ply={ply}&below=second" for ply in ("0", "0", "1", "1")
    ] + ["?ply=0&below=first"]


def test_a_position_is_shown_in_frames_of_all_sites(api: Api) -> None:
    answer = api.http.get(START)
    assert answer.status_code == 200
    assert_framed(answer)
    assert answer.text.count("data-piece=") == 52


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"/embed/games/{'a' * 16}", 404),
        ("/embed/position?variant=chess", 422),
        ("/embed/position?variant=kerd&fen=%3Cscript%3E", 422),
    ],
)
def test_a_frame_says_why_it_has_no_board(api: Api, path: str, status: int) -> None:
    answer = api.http.get(path, headers={"Accept": "text/html"})
    assert (answer.status_code, answer.mimetype) == (status, "text/html")
    assert "frame-ancestors *" in answer.headers["Content-Security-Policy"]
    assert "<script" not in answer.text


def test_a_bad_ply_is_told_in_the_frame(api: Api, ada: NewPlayer) -> None:
    answer = api.http.get(f"/embed{api.scribed(ada)}?ply=7")
    assert answer.status_code == 400
    assert_framed(answer)


def test_nobody_is_signed_in_in_a_frame(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    """Not even the owner of an infiltrator sees it there."""
    path = api.running(ada, brahim, variant="kerd")
    for by, square in ((ada, "f11"), (brahim, "f2")):
        assert api.command(path, by, "choose", square=square).status_code == 200
    assert 'class="mark"' in Visitor(api, ada).open(path)
    stranger = api.http.get(f"/embed{path}").text
    api.http.set_cookie(COOKIE, ada.token.secret)
    assert api.http.get(f"/embed{path}").text == stranger
    assert 'class="mark"' not in stranger


def test_names_are_only_text_in_a_frame(api: Api, ada: NewPlayer) -> None:
    seats = {"first": {"name": "<script>alert(1)</script>"}, "second": {"name": '"><img src=x>'}}
    answer = api.http.get(f"/embed{api.scribed(ada, players=seats)}")
    assert_framed(answer, "embed/game.js")
    assert "&lt;script&gt;" in answer.text


def read_preview(text: str) -> dict[str, str]:
    """What messengers read from a page."""
    found = re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)">', text)
    return {name: unescape(value) for name, value in found}


def test_a_link_to_a_game_is_previewed(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    api.play(path, ada, "c2d1")
    preview = read_preview(api.http.get(f"{path}?ply=1", base_url="https://club.example").text)
    assert preview["og:title"].startswith("Katruji: Ada – Brahim")
    assert preview["twitter:card"] == "summary_large_image"
    assert preview["og:url"] == f"https://club.example{path}"
    assert preview["og:image"].startswith(f"https://club.example/api/v1{path}/board.png?ply=1&")
    picture = api.http.get(preview["og:image"].removeprefix("https://club.example"))
    assert (picture.status_code, picture.mimetype) == (200, "image/png")
    width, height = (int(preview[f"og:image:{side}"]) for side in ("width", "height"))
    assert picture.data[16:24] == width.to_bytes(4) + height.to_bytes(4)


def test_links_to_players_and_tournaments_are_previewed(
    api: Api, ada: NewPlayer, arbiter: NewPlayer
) -> None:
    api.project()
    desk = Desk(api, arbiter)
    for path, title in ((f"/players/{ada.id}", "Ada"), (desk.path, "Open")):
        preview = read_preview(api.http.get(path).text)
        assert title in preview["og:title"]
        picture = api.http.get(preview["og:image"].removeprefix("http://localhost"))
        assert (picture.status_code, picture.mimetype) == (200, "image/png")


def test_addresses_are_those_behind_a_trusted_proxy(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    page = api.http.get(path, base_url="https://club.example:8443").text
    assert f'value="https://club.example:8443{path}?ply=0&amp;below=first"' in page
    assert f'src="https://club.example:8443/embed{path}?ply=0&amp;below=first"' in unescape(page)


def test_a_hostile_host_is_only_text(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    answer = api.http.get(path, headers={"Host": 'a"><script>alert(1)</script>'})
    assert "<script>alert" not in answer.text
