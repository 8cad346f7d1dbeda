"""The pages of the rules: complete, linked, and with a picture for each example."""

from __future__ import annotations

import re
from html import unescape

import pytest

from engine.registry import VARIANTS
from service.boards.registry import find_board
from service.pages.rule_book import NAMES, load_page, read_text
from service.pages.session import COOKIE
from service.player.repository import NewPlayer
from tests.service.api.client import Api


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_page_shows_all_of_its_markdown(api: Api, variant: str) -> None:
    text = api.http.get(f"/rules/{variant}").text
    markdown = read_text(variant)
    assert text.count('<figure class="example') == markdown.count("```example") > 0
    for heading in re.findall(r"^##+ (.*)$", markdown, re.MULTILINE):
        assert f">{heading}</h" in unescape(text)
    assert "```" not in text
    assert "&lt;" not in text


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_picture_of_a_page_can_be_drawn(api: Api, variant: str) -> None:
    text = api.http.get(f"/rules/{variant}").text
    pictures = [unescape(one) for one in re.findall(r'<img src="(/api/v1/board[^"]+)"', text)]
    assert len(pictures) >= 4
    for picture in pictures:
        answer = api.http.get(picture)
        assert (answer.status_code, answer.mimetype) == (200, "image/svg+xml")
        assert answer.text.count("data-target=") == picture.count("%2C") + ("targets" in picture)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_lines_of_an_example_lead_to_the_analysis_board(api: Api, variant: str) -> None:
    text = api.http.get(f"/rules/{variant}").text
    (path, *_) = re.findall(r'<a class="try" data-play="[^"]+" href="([^"]+)"', text)
    assert api.http.get(unescape(path)).status_code == 200


def test_a_link_of_the_rules_leads_somewhere(api: Api) -> None:
    """Links between the pages, and links to headings."""
    ids = {name: {heading.id for heading in load_page(name).contents} for name in NAMES}
    followed = 0
    for name in NAMES:
        text = api.http.get(f"/rules/{name}").text
        for path, fragment in re.findall(r'<a href="(?:/rules/([\w-]+))?(?:#([\w-]+))?"', text):
            if fragment and fragment != "main":
                assert fragment in ids[path or name], (name, path, fragment)
                followed += 1
            elif path:
                assert path in NAMES, (name, path)
    assert followed > 40


def test_no_heading_of_a_page_has_the_address_of_another() -> None:
    for name in NAMES:
        ids = [heading.id for heading in load_page(name).contents]
        assert len(set(ids)) == len(ids)
        assert all(ids)


def test_the_list_of_rules_names_every_game(api: Api) -> None:
    text = api.http.get("/rules").text
    for variant in VARIANTS:
        page = load_page(variant)
        assert f'<a href="/rules/{variant}">{page.title}</a>' in text
        assert page.lead in unescape(text)


def test_there_are_no_other_rules(api: Api) -> None:
    assert api.http.get("/rules/chess").status_code == 404
    assert api.http.get("/rules/..%2Fapi").status_code == 404


def test_who_is_about_to_play_finds_the_rules(api: Api, ada: NewPlayer) -> None:
    api.http.set_cookie(COOKIE, ada.token.secret)
    for path in ("/", "/games/new"):
        _, _, main = api.http.get(path).text.partition("<main")
        assert 'href="/rules' in main


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_piece_of_a_game_is_shown_in_its_table(api: Api, variant: str) -> None:
    board = find_board(variant)
    text = api.http.get(f"/rules/{variant}").text
    shown = set(
        re.findall(r'<svg class="board [\w-]+" viewBox="0 0 40 40".*?href="#([\w-]+)"', text)
    )
    wanted = {board.read_figure(letter, None).symbol for letter in board.letters}
    assert shown == (wanted if "| piece |" in read_text(variant) else set())
    assert all(f'<symbol id="{symbol}"' in text for symbol in wanted)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_in_the_readers_language_where_it_has_been_translated(
    api: Api, name: str
) -> None:
    german = {"Accept-Language": "de"}
    text = unescape(api.http.get(f"/rules/{name}", headers=german).text)
    page = load_page(name, "de")
    assert '<html lang="de">' in text
    assert page.lead in re.sub("<[^>]+>", "", text).replace("\n", " ")
    assert f'<article class="rules-text {name}">' in text
    for heading in page.contents:
        assert f'id="{heading.id}">{heading.text}</h' in re.sub("</?(?:em|code)>", "", text)
    pictures = [
        re.findall(r'<span class="drawn">.*?</span>', one)
        for one in (text, unescape(api.http.get(f"/rules/{name}").text))
    ]
    assert pictures[0] == pictures[1]


def test_the_german_list_of_rules_is_german(api: Api) -> None:
    text = unescape(api.http.get("/rules", headers={"Accept-Language": "de"}).text)
    for variant in VARIANTS:
        assert load_page(variant, "de").lead in text


def test_who_plays_the_computer_from_the_rules_chooses_a_side_by_its_name(api: Api) -> None:
    for variant, names in (("kerak", ("Red", "Blue")), ("katruji", ("South", "North"))):
        page = api.http.get(f"/rules/{variant}").text
        form = page.partition('<form class="computer"')[2].partition("</form>")[0]
        assert [f"({name})" in form for name in names] == [True, True]
        assert "White" not in form
