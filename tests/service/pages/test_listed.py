"""Lists of games: whose turn it is, who plays, what the clocks show, how it ended."""

from __future__ import annotations

import re

from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.pages.visitor import Visitor


def rows(page: str) -> dict[str, str]:
    """The text of each game's row on a page, by the game's id."""
    found = re.findall(r'<tr data-game="(\w+)".*?</tr>', page, re.DOTALL)
    cells = re.findall(r'<tr data-game="\w+".*?</tr>', page, re.DOTALL)
    texts = (" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in cells)
    return dict(zip(found, texts, strict=True))


def test_lists_tell_turns_and_results_by_names(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    going, over, drawn = (api.running(ada, brahim) for _ in range(3))
    offered = api.created({"variant": "katruji"}, ada)
    asked = api.created({"variant": "katruji", "opponent": brahim.id}, ada)
    choosing = api.running(ada, brahim, variant="kerd")
    api.command(choosing, ada, "choose", square="f11")
    api.command(over, ada, "resign")
    api.command(drawn, ada, "offer-draw")
    api.command(drawn, brahim, "accept-draw")
    api.project()
    said = rows(Visitor(api).open("/games"))
    assert "Ada to act" in said[going[7:]]
    assert "South Ada 0 North Brahim 1 0-1" in said[over[7:]]
    assert "Brahim won: resignation" in said[over[7:]]
    assert "South Ada ½ North Brahim ½ ½-½" in said[drawn[7:]]
    assert "draw: by agreement" in said[drawn[7:]]
    for page in (drawn, f"/embed{drawn}", "/explorer?variant=katruji"):
        text = re.sub("<script.*?</script>|<.*?>", "", Visitor(api).open(page), flags=re.DOTALL)
        assert "½-½" in text
        assert "1/2" not in text, page
    assert "waiting for an opponent" in said[offered[7:]]
    assert "waiting for an answer" in said[asked[7:]]
    assert "Brahim to choose in secret" in said[choosing[7:]]
    own = rows(Visitor(api, ada).open("/games"))
    assert "Your turn" in own[going[7:]]
    assert "Brahim to choose in secret" in own[choosing[7:]]
    assert "Your secret choice" in rows(Visitor(api, brahim).open("/games"))[choosing[7:]]


def test_lists_show_both_clocks(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = api.running(ada, brahim, time_control="5400+30")
    api.project()
    shown = rows(Visitor(api).open("/games"))[path[7:]]
    assert re.search(r"South Ada 1:(30:00|29:\d\d) North Brahim 1:30:00", shown)


def test_names_from_right_to_left_keep_to_themselves(api: Api, brahim: NewPlayer) -> None:
    dalia = api.player("דליה")
    api.running(dalia, brahim)
    api.project()
    assert "<bdi>דליה</bdi> to act" in Visitor(api).open("/games")
