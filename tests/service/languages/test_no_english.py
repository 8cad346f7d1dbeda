"""No page has untranslatable text: whatever a catalogue has is put into brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from gettext import NullTranslations
from typing import Final

import pytest

from service.boards import geometry, scene
from service.boards.registry import BOARDS
from service.pages.session import COOKIE
from service.player.repository import NewPlayer
from service.tournament.standings import RankTerm
from tests.engine.kerak_support import KERAK, at
from tests.pages.demo import WHOLE
from tests.pages.every_page import list_paths
from tests.service.api.client import Api
from tests.service.api.tournaments import Desk
from tests.service.imports.support import GOOD, ILLEGAL, imported
from tests.service.languages.page_texts import CLOSE, OPEN, find_unmarked
from tests.service.pages.conftest import ada, admin, api, arbiter, brahim, configured

__all__ = ["ada", "admin", "api", "arbiter", "brahim", "configured"]

OWN: Final = re.compile(
    # marks of names that look alike
    r"#[A-Z2-7]{4}\b|"
    r"\b(?:Ada|Brahim|Anna|Open Cup|Open|P\d|Movelog|Kerd Draft|Kerd|Kerak|Katruji|English|Deutsch|"
    # notation, and names from records and contracts
    r"API|Round:3|[PSO][a-d]?[a-d]\d|d1e3|a10b11|UTC|MB|kB)\b|mlg_"
)
"""Names, and what is the same in every language."""
WRITTEN: Final = ("/api", "/rules")
"""Pages whose text is the contract, or Markdown written in each language."""


class Brackets(NullTranslations):
    """A language in which every text is the English one in brackets."""

    def gettext(self, message: str) -> str:
        return f"{OPEN}{message}{CLOSE}"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        return self.gettext(message)


@pytest.fixture
def brackets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Use the language of brackets in place of every translation."""
    forget_squares()
    with monkeypatch.context() as patch:
        patch.setattr("service.languages.texts.load_translations", lambda language: Brackets())
        yield
    forget_squares()


def forget_squares() -> None:
    """Clear what boards and their geometry cache by language."""
    for board in BOARDS.values():
        getattr(board, "_rows", {}).clear()
    scene._map_cells.cache_clear()
    geometry._digest_geometry.cache_clear()


@pytest.mark.slow
def test_pages_have_no_text_that_no_catalogue_has(
    api: Api, ada: NewPlayer, brahim: NewPlayer, arbiter: NewPlayer, brackets: None
) -> None:
    examples = fill(api, ada, brahim, arbiter)
    found: dict[str, str] = {}
    for path in list_paths(examples):
        for reader in (None, ada, arbiter):
            if reader is not None:
                api.http.set_cookie(COOKIE, reader.token.secret)
            wanted = {"Accept": "text/html", "Accept-Language": "de"}
            answer = api.http.get(path, headers=wanted, follow_redirects=True)
            api.http.delete_cookie(COOKIE)
            text = answer.text if answer.mimetype == "text/html" else ""
            if path.startswith(WRITTEN):
                text = text.partition("<title")[0] + text.partition("</main>")[2]
            found |= dict.fromkeys(find_unmarked(OWN.sub(" ", text)), path)
    assert found == {}


def fill(api: Api, ada: NewPlayer, brahim: NewPlayer, arbiter: NewPlayer) -> dict[str, list[str]]:
    """Values for the parameters of page paths: games and tournaments of all kinds, and more."""
    running = api.running(ada, brahim, variant="kerak")
    over = api.running(ada, brahim, rated=False)
    api.play(over, ada, "c2d1")
    api.command(over, brahim, "offer-draw")
    api.command(over, ada, "accept-draw")
    choosing = api.running(ada, brahim, variant="kerd")
    offered = api.created({"variant": "katruji", "time_control": "900+10"}, ada)
    desk = Desk(api, arbiter)
    desk.play_round()
    desk.pair()
    knockout = Desk(api, arbiter, name="Open Cup", kind="knockout", rounds=None)
    knockout.play_round()
    melee = api.scribed(ada, variant="kerak", fen=KERAK.write_fen(at("Id4 he4 ie3 Ae5 Ia5")))
    sent = imported(api, ada, f"{GOOD}\n{ILLEGAL}")["id"]
    analysis = api.post("/analyses", {"variant": "kerak", "fen": "start"}, ada).json
    assert analysis
    api.project()
    return {
        "games": [path.rpartition("/")[2] for path in (running, over, choosing, offered)],
        "players": [ada.id, brahim.id],
        "against": [brahim.id],
        "tournaments": [desk.made["id"], knockout.made["id"]],
        "rounds": ["1", "2"],
        "imports": [sent],
        "analyses": [analysis["id"]],
        WHOLE: [
            *(f"{desk.path}?player={desk.players[0].id}&term={term}" for term in RankTerm),
            f"{melee}/combat?from=d4&to=e4",
        ],
    }
