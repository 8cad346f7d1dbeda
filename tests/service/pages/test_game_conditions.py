"""The terms that players agree on are set in forms, and shown before and after acceptance."""

from __future__ import annotations

import re
from html import unescape

import pytest

from service.pages import tournament_desk
from service.pages.api_reference import list_values
from service.player.repository import NewPlayer
from service.tournament import scheme
from service.tournament.standings import RankTerm
from service.tournament.table import TournamentKind
from tests.service.api.client import Api, error
from tests.service.api.tournaments import Desk
from tests.service.game.support import QUIET
from tests.service.pages.visitor import Visitor

KERAK = "niiai/1vivia/i1hcnai/8/9/8/IAAIAIV/NIIIVI/IH2N r ICi2 0-0 17"
KERD = "6k5/12/12/12/12/4P7/12/12/12/12/12/6K5 w - - - -/- 0 QT 40"
ASKED = [
    (
        {"variant": "kerak", "minutes": "15", "increment": "10", "ply_limit": "200"}
        | {"draw_by_points": "yes", "fen": KERAK},
        {"TimeControl": "900+10", "PlyLimit": "200", "DrawByPoints": "yes"},
        "15 minutes a side and 10 seconds per move; at most 200 actions; "
        "a draw goes to the side with more points; begins in a set-up position",
    ),
    (
        {"variant": "kerd", "infiltrators": "none", "fen": KERD, "minutes": "90"},
        {"TimeControl": "5400+0"},
        "1 hour 30 minutes a side; no infiltrators; begins in a set-up position",
    ),
    (
        {"variant": "kerd-draft", "infiltrators": "unknown"},
        {},
        "infiltrators chosen over the board, unknown here",
    ),
    ({"variant": "kerd"}, {}, "infiltrators chosen here in secret"),
    ({"variant": "katruji", "ply_limit": "80"}, {"PlyLimit": "80"}, "at most 80 actions"),
]


def told(page: str) -> list[str]:
    """The terms shown on a page, as plain text."""
    return [
        unescape(re.sub(r"<.*?>", "", one)).strip()
        for one in re.findall(r'class="(?:quiet )?terms">(.*?)</(?:p|span)>', page)
    ]


@pytest.mark.parametrize(("form", "tags", "words"), ASKED, ids=lambda value: str(value)[:30])
def test_the_terms_of_a_challenge_are_shown_before_and_after_accepting(
    api: Api,
    ada: NewPlayer,
    brahim: NewPlayer,
    form: dict[str, str],
    tags: dict[str, str],
    words: str,
) -> None:
    path = Visitor(api, ada).send("/games/new", **form).headers["Location"]
    made = api.get(path).json
    assert made
    assert tags.items() <= made["tags"].items()
    assert made["initial_fen"] == form.get("fen")
    api.project()
    opponent = Visitor(api, brahim)
    for accepted in (False, True):
        if accepted:
            assert opponent.send(f"{path}/commands", type="accept").status_code == 303
            api.project()
        # A position that the challenger sets up makes the game casual.
        rated = ["casual (not rated)"] if "fen" in form else [] if accepted else ["rated"]
        said = "; ".join([words, *rated])
        assert told(opponent.open(path)) == [f"Terms: {said}."]
        for listing in ("/", f"/games?variant={form['variant']}"):
            assert set(told(opponent.open(listing))) == {said}, (accepted, listing)


def test_a_challenge_without_terms_says_so_as_long_as_it_can_be_accepted(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = Visitor(api, ada).send("/games/new", variant="katruji").headers["Location"]
    usual = "Terms: standard rules, no time limit; rated."
    assert told(Visitor(api).open(path)) == [usual]
    api.command(path, brahim, "accept")
    assert told(Visitor(api).open(path)) == []


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("minutes", "soon", "Minutes for each side: A whole number."),
        ("increment", "1.5", "Seconds added per move: A whole number."),
        ("minutes", "0", "Minutes for each side: Enter how many minutes each side has."),
        ("days", "0", "Days per move: Enter a whole number, and leave minutes"),
        ("ply_limit", "soon", "not a whole number from 1"),
        ("draw_by_points", "yes", "DrawByPoints: not a rule of this game"),
        ("infiltrators", "none", "this game has no secret choices"),
        ("fen", "nonsense", "nonsense"),
    ],
)
def test_terms_that_cannot_be_are_explained_and_what_was_typed_stays(
    api: Api, ada: NewPlayer, arbiter: NewPlayer, field: str, value: str, said: str
) -> None:
    for player, path in ((ada, "/games/new"), (arbiter, "/tournaments/new")):
        form = {"variant": "katruji", "name": "Cup", "kind": "free", field: value}
        answer = Visitor(api, player).send(path, **form)
        assert answer.status_code == 422
        assert said in unescape(answer.text), path
        typed = rf'name="{field}"[^>]* (value="{value}"[^>]* checked|value="{value}")'
        assert re.search(rf'{typed}|<option value="{value}" selected', answer.text), path
        assert re.search("<details open><summary>(Terms|Details: time)", answer.text), path


def test_the_terms_of_a_tournament_are_those_of_its_games(api: Api, arbiter: NewPlayer) -> None:
    agreed = {"tags": {"TimeControl": "3600+0", "PlyLimit": "90"}, "fen": QUIET}
    words = "1 hour a side; at most 90 actions; begins in a set-up position"
    form = {"name": "Cup", "variant": "katruji", "kind": "round-robin", "fen": QUIET}
    form |= {"minutes": "60", "ply_limit": "90"}
    path = Visitor(api, arbiter).send("/tournaments/new", **form).headers["Location"]
    desk = Desk(api, arbiter, players=2, kind="round-robin", rounds=None, **agreed)
    for one in (path, desk.path):
        shown = api.get(one).json
        assert shown
        assert {name: shown[name] for name in agreed} == agreed
        said = f"Terms of the games: {words}; rated. Show the position"
        assert told(Visitor(api).open(one)) == [said]
    game = f"/games/{desk.pair()['pairings'][0]['game']}"
    shown = api.get(game).json
    assert shown
    assert shown["fen"] == shown["initial_fen"] == QUIET
    assert told(Visitor(api).open(game)) == [f"Terms: {words}."]


def test_a_tournament_cannot_begin_where_no_game_can(api: Api, arbiter: NewPlayer) -> None:
    wish = {"name": "Cup", "variant": "katruji", "kind": "free", "fen": "nonsense"}
    assert error(api.post("/tournaments", wish, arbiter)) == (422, "bad-fen")


def test_the_form_offers_every_scheme_kind_and_tie_break_there_is() -> None:
    assert [f"{name}/{version}" for name, version in scheme.SCHEMES] == list(
        tournament_desk.SCHEMES
    )
    assert list_values("TournamentKind") == list(TournamentKind)
    assert list_values("Term") == list(RankTerm)
