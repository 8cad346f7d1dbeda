"""Players are notified in time and once about their games, and never about others'."""

from __future__ import annotations

import io
from collections import Counter

import pytest

from engine.side import Side
from notation.registry import find_dialect
from notation.section import split_sections
from service.composition.service import Service, now
from service.game import commands as c
from service.game.clock import SECOND
from service.game.terms import DAY
from service.game.values import Mode
from service.imports.events import ImportBegun
from service.imports.parsing import parse_sections
from service.imports.state import ImportMode, ImportState
from service.jobs.job_kinds import GAME_NEWS
from service.player.actor import Actor
from service.player.scopes import ARBITER, PLAY
from service.webhooks.webhook import (
    CHALLENGE,
    CLOCK_LOW,
    DRAW_OFFERED,
    GAME_FINISHED,
    YOUR_TURN,
)
from tests.service.imports.support import GOOD
from tests.service.unreadable import make_unreadable
from tests.workers.club import HOUR, Club
from workers.record_importer import Importer


@pytest.fixture
def club(service: Service) -> Club:
    return Club(service)


def test_both_are_told_of_a_challenge_with_its_terms(club: Club) -> None:
    for player in (club.ann, club.bob, club.eve):
        club.listen(player)
    root = club.service.players.register("Root", None, scopes=("admin",)).id
    club.listen(root, everybody=True)
    state = club.create(time_control="1/259200", rated=False, ply_limit=90)
    told = club.tell()
    assert {(owner, event) for owner, event, _ in told} == {
        (player, CHALLENGE) for player in (club.ann, club.bob, root)
    }
    data = told[0][2]
    assert (data["game"], data["challenger"], data["opponent"]) == (state.id, club.ann, club.bob)
    terms = data["terms"]
    assert (terms["time_control"], terms["rated"], terms["ply_limit"]) == ("1/259200", False, 90)
    private = club.create(visibility="private")
    assert {owner for owner, *_ in club.tell()} == {club.ann, club.bob}
    assert private.id != state.id


def test_an_open_challenge_says_which_side_is_free(club: Club) -> None:
    club.listen(club.ann)
    club.create(second=None)
    ((owner, event, data),) = club.tell()
    assert (owner, event) == (club.ann, CHALLENGE)
    assert (data["opponent"], data["open_side"]) == (None, "second")


def test_whoever_has_to_act_is_told_once_for_each_turn(club: Club) -> None:
    club.listen(club.ann, YOUR_TURN)
    club.listen(club.bob, YOUR_TURN)
    state = club.begin()
    for turn in range(1, 5):
        state = club.play(state)
        ((owner, event, data),) = club.tell()
        assert (owner, event) == ((club.ann, club.bob)[turn % 2], YOUR_TURN)
        assert (data["player"], data["plies"], data["to_do"]) == (owner, turn, "act")
        assert data["last_action"] == state.played[-1].san
        assert data["fen"] == find_dialect("katruji").write_fen(state.position.copy())
        assert club.tell() == []
    # Other events do not begin a new turn.
    club.do(state, club.ann, c.AnnotateAction(ply=1, annotation=c.Annotation(after=("good",))))
    club.do(state, club.ann, c.OfferRetraction(plies=1))
    assert club.tell() == []


def test_a_turn_that_has_passed_is_not_told_and_the_next_one_is(club: Club) -> None:
    club.listen(club.ann)
    club.listen(club.bob)
    state = club.begin()
    for _ in range(4):
        state = club.play(state)
    club.follow()
    state = club.play(state)
    ((owner, event, data),) = club.tell()
    assert (owner, event, data["plies"]) == (club.bob, YOUR_TURN, 5)


def test_what_is_followed_again_is_told_once(club: Club) -> None:
    """As after a restart midway: the projector goes back, and jobs are done again."""
    club.listen(club.bob)
    state = club.begin()
    club.play(state)
    club.follow()
    club._reached.clear()
    told = club.tell()
    assert [event for _, event, _ in told] == [YOUR_TURN]
    club._reached.clear()
    club.clock.now += HOUR
    for job in club.service.jobs.get_each(club.service.jobs.due([GAME_NEWS])):
        club.service.jobs.requeue(job.id)
    assert club.tell() == []


def test_a_retraction_and_a_reopening_make_it_somebodys_turn(club: Club) -> None:
    club.listen(club.ann, YOUR_TURN)
    state = club.play(club.begin())
    assert club.tell() == []
    state = club.do(state, club.ann, c.OfferRetraction(plies=1))
    state = club.do(state, club.bob, c.AcceptRetraction())
    ((_, event, data),) = club.tell()
    assert (event, data["plies"]) == (YOUR_TURN, 0)
    state = club.do(state, club.bob, c.Resign())
    assert club.tell() == []
    referee = Actor("referee", frozenset({ARBITER, PLAY}))
    club.service.games.execute(state.id, c.ReopenGame(reason="a slip"), referee)
    ((_, event, data),) = club.tell()
    assert (event, data["game"]) == (YOUR_TURN, state.id)


def test_the_other_player_is_told_of_a_draw_offer(club: Club) -> None:
    club.listen(club.ann)
    club.listen(club.bob)
    state = club.play(club.begin())
    club.tell()
    state = club.do(state, club.ann, c.OfferDraw())
    ((owner, event, data),) = club.tell()
    assert (owner, event, data["side"]) == (club.bob, DRAW_OFFERED, "second")
    state = club.do(state, club.bob, c.DeclineDraw())
    state = club.do(state, club.ann, c.OfferDraw())
    assert [event for _, event, _ in club.tell()] == [DRAW_OFFERED]
    club.do(state, club.ann, c.OfferRetraction(plies=1))
    assert club.tell() == []


def test_a_low_clock_is_told_once_in_time(club: Club) -> None:
    club.listen(club.bob)
    state = club.begin(time_control="1/259200")
    state = club.play(club.play(state))
    state = club.play(state)
    club.tell()
    turn = club.clock.now
    club.clock.now = turn + 3 * DAY - 18 * HOUR - 5 * SECOND
    assert club.tell() == []
    club.clock.now += 10 * SECOND
    ((owner, event, data),) = club.tell()
    assert (owner, event, data["player"]) == (club.bob, CLOCK_LOW, club.bob)
    assert data["low_ms"] == 18 * HOUR
    assert data["clocks"]["running"] == "second"
    club.clock.now += HOUR
    assert club.tell() == []


def test_a_clock_that_was_stopped_in_time_is_not_low(club: Club) -> None:
    club.listen(club.bob, CLOCK_LOW)
    club.listen(club.ann, CLOCK_LOW)
    state = club.play(club.play(club.begin(time_control="600")))
    club.tell()
    club.clock.now += 500 * SECOND
    state = club.play(state)
    club.clock.now += 45 * SECOND
    assert club.tell() == []
    # Ann now has 99 seconds left, Bob 10 minutes.
    state = club.play(state)
    club.tell()
    club.clock.now += 40 * SECOND
    ((owner, event, _),) = club.tell()
    assert (owner, event) == (club.ann, CLOCK_LOW)
    # Her next turn begins with a low clock, of which she has already been notified.
    state = club.play(club.play(state))
    club.clock.now += 30 * SECOND
    assert club.tell() == []


def test_an_arbiter_puts_a_low_clock_off(club: Club) -> None:
    club.listen(club.ann, CLOCK_LOW)
    state = club.play(club.play(club.begin(time_control="600")))
    club.tell()
    referee = Actor("referee", frozenset({ARBITER}))
    setting = c.SetClocks(first=1_200_000, second=1_200_000, reason="a late start")
    club.service.games.execute(state.id, setting, referee)
    club.tell()
    club.clock.now += 560 * SECOND
    assert club.tell() == []
    club.clock.now += 600 * SECOND
    assert [event for _, event, _ in club.tell()] == [CLOCK_LOW]


def test_nobody_is_told_of_what_happened_long_ago(club: Club) -> None:
    club.listen(club.bob)
    club.play(club.create(mode=Mode.ARBITER))
    club.clock.now += 2 * DAY
    assert club.tell() == []


def test_what_happened_long_ago_costs_nothing(club: Club) -> None:
    """A restored log is followed from its beginning."""
    club.listen(club.eve, CHALLENGE, everybody=True)
    club.create()
    club.feed_clock = lambda: now() + 2 * DAY
    club.follow()
    assert club.service.jobs.waiting([GAME_NEWS]).queued == 0


def test_a_kept_score_has_no_turns(club: Club) -> None:
    club.listen(club.ann)
    state = club.create(mode=Mode.SCRIBE)
    token = find_dialect("katruji").coordinate(state.position.copy().legal()[0])
    club.do(state, club.ann, c.PlayAction(token=token))
    assert club.tell() == []


def test_who_does_not_listen_costs_nothing(club: Club) -> None:
    club.listen(club.ann, GAME_FINISHED)
    club.listen(club.eve)
    club.play(club.begin())
    club.follow()
    assert club.service.jobs.waiting([GAME_NEWS]).queued == 0


def test_imported_games_are_no_news_even_to_who_listens_to_all(club: Club) -> None:
    club.listen(club.eve, CHALLENGE, everybody=True)
    club.follow()
    begun = ImportBegun(mode=ImportMode.QUARANTINE, size=1, sha256="0" * 64, packing="none")
    importer = Importer(club.service, ImportState("i" * 16, club.ann, 0, begun), lambda: None)
    importer.import_records(parse_sections(list(split_sections(io.StringIO(GOOD)))), 1)
    club.follow()
    assert club.service.jobs.waiting([GAME_NEWS]).queued == 0
    club.create()
    club.follow()
    assert club.service.jobs.waiting([GAME_NEWS]).queued == 1


def test_both_have_to_choose_in_secret_and_then_the_first_to_move(club: Club) -> None:
    club.listen(club.ann, YOUR_TURN)
    club.listen(club.bob, YOUR_TURN)
    state = club.create(variant="kerd")
    state = club.do(state, club.bob, c.AcceptChallenge())
    told = club.tell()
    assert {(owner, data["to_do"]) for owner, _, data in told} == {
        (club.ann, "choose"),
        (club.bob, "choose"),
    }
    state = club.do(state, club.ann, c.Choose(choice="b11", nonce="ab" * 16))
    assert club.tell() == []
    club.do(state, club.bob, c.Choose(choice="b2", nonce="cd" * 16))
    ((owner, _, data),) = club.tell()
    assert (owner, data["to_do"], data["side"]) == (club.ann, "act", "first")
    assert data["fen"].split(" ")[5] == "?/?"


def test_a_filter_is_asked_about_a_game_that_goes_on(club: Club) -> None:
    hooks = Counter[str]()
    for text in ("variant=katruji&speed=correspondence", "variant=kerd", "result=*"):
        hook = club.service.webhooks.register(
            club.bob, "https://example.org", (YOUR_TURN,), False, text
        )
        hooks[hook.id] = 0
    state = club.begin(time_control="1/259200")
    club.play(state)
    club.tell()
    told = {club.service.jobs.get(id).arguments["webhook"] for id in club.seen}
    assert told == {next(iter(hooks))}


def test_a_game_that_cannot_be_read_keeps_no_other_from_being_told_of(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    club.listen(club.bob)
    bad, good = club.create(mode=Mode.ARBITER), club.create(mode=Mode.ARBITER, first=club.eve)
    assert bad.seats[Side.SECOND] == good.seats[Side.SECOND] == club.bob
    club.play(bad)
    club.play(good)
    make_unreadable(club.service.games, bad.id, monkeypatch)
    ((_, _, data),) = club.tell()
    assert data["game"] == good.id
