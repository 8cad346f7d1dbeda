"""Players and matches between them."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from itertools import count
from random import Random

import pytest

from engine.position import Action, Position
from engine.registry import find_variant
from engine.search import Iteration, Limits, ScoredLine, Search
from notation.agreement import Agreement
from service.protocol.process import EngineProcess
from service.selfplay.clock import PlayerClock, read_clock
from service.selfplay.match import Match, play, play_game, play_pair
from service.selfplay.opening import make_opening
from service.selfplay.player import choose_timer, make_player
from service.selfplay.setting import BadPlayer, Setting, read_setting


def test_a_setting_is_read_from_words() -> None:
    setting = read_setting("nodes=900 seconds=0.5 table=2 without=killers+delta with=null_move")
    assert setting.limits == Limits(nodes=900, seconds=0.5)
    assert (setting.table_mebibytes, setting.command) == (2, None)
    techniques = setting.techniques(find_variant("katruji"))
    assert (techniques.killers, techniques.delta, techniques.null_move) == (False, False, True)
    assert read_setting("").limits == Limits(nodes=5_000)
    assert read_setting("engine='other engine' depth=3").command == "other engine"


@pytest.mark.parametrize(
    "text",
    [
        "fast",
        "nodes=",
        "nodes=0",
        "depth=99",
        "table=0",
        "threads=0",
        "threads=65",
        "without=luck",
        "set=luck:3",
        "set=futility_margin:much",
        "nodes=1 nodes=2",
        "clock=0",
        "clock=fast",
        "clock=1+",
        "clock=5 fraction=0.5",
        "fraction=20",
        "'",
    ],
)
def test_what_describes_no_player_is_refused(text: str) -> None:
    with pytest.raises(BadPlayer) as caught:
        read_setting(text)
    assert str(caught.value) == caught.value.reason != ""


def test_a_game_of_points_is_settled_by_them_at_the_limit() -> None:
    kerak = find_variant("kerak")
    position = make_opening(kerak, Random(3), 40)
    players = tuple(make_player(kerak, read_setting("nodes=30"), seed) for seed in range(2))
    outcome, plies = play_game(position, (players[0], players[1]), Agreement(12, True))
    assert plies == 12
    assert outcome.termination in ("points", "adjudication", "castle captured")
    assert all(player.nodes > 0 for player in players)


def test_a_pair_changes_sides_and_can_be_played_again() -> None:
    match = Match("katruji", (read_setting("nodes=60"), read_setting("depth=1")), 7, 4, 60)
    pair = play_pair(match, 2)
    assert [game.points in (0, 0.5, 1) for game in pair.games] == [True, True]
    assert pair.share == sum(game.points for game in pair.games) / 2
    assert play_pair(match, 2).games == pair.games
    assert pair.nodes[0] > 0 < pair.nodes[1]


def test_both_players_measure_the_same_time() -> None:
    own, other = read_setting("seconds=0.2"), read_setting("seconds=0.2 engine='other engine'")
    assert choose_timer((own, own)) is time.process_time
    assert choose_timer((own, other)) is choose_timer((other, own)) is time.monotonic


def test_a_search_is_limited_by_the_time_that_it_is_given() -> None:
    katruji = find_variant("katruji")
    ticks = count()
    player = make_player(katruji, read_setting("seconds=3 nodes=100000"), 1, lambda: next(ticks))
    player.choose(katruji.start())
    assert 0 < player.nodes < 100_000
    assert player.seconds >= 3


def test_parameters_are_set_against_the_variants_own() -> None:
    setting = read_setting("nodes=50 set=futility_margin:90+late_move_base:7")
    kerd = find_variant("kerd")
    assert setting.find_parameters(kerd) == replace(
        kerd.parameters, futility_margin=90, late_move_base=7
    )
    assert read_setting("").find_parameters(kerd) == kerd.parameters


def test_equal_players_share_the_points_of_a_pair() -> None:
    match = Match("katruji", (read_setting("depth=2"), read_setting("depth=2")), 1, 4, 60)
    # The seeds differ, but with one opening and no draws a pair is won, lost or shared.
    assert {pair.share for pair in play(match, 3, processes=1)} <= {0.0, 0.5, 1.0}


def test_processes_play_the_same_match() -> None:
    match = Match("katruji", (read_setting("nodes=50"), read_setting("nodes=25")), 3, 4, 40)
    alone = [pair.games for pair in play(match, 3, processes=1)]
    assert [pair.games for pair in play(match, 3, processes=2)] == alone


def test_another_engine_can_play() -> None:
    command = f"{sys.executable} -m service.cli engine"
    other = Setting(Limits(nodes=40), command=command)
    match = Match("katruji", (read_setting("nodes=40"), other), 0, 4, 8)
    pair = play_pair(match, 0)
    assert pair.nodes[1] > 0
    assert pair.seconds[1] > 0


@pytest.mark.slow
def test_a_player_may_search_on_several_cores() -> None:
    setting = read_setting("nodes=300 threads=2 table=1")
    assert setting.threads == 2
    command = f"{sys.executable} -m service.cli engine"
    other = read_setting(f"nodes=300 threads=2 table=1 engine='{command}'")
    pair = play_pair(Match("katruji", (setting, other), 3, 4, 12), 0)
    assert all(nodes > 0 for nodes in pair.nodes)


@pytest.mark.slow
def test_clocks_are_kept_and_a_fallen_flag_loses() -> None:
    managed, fixed = read_setting("clock=0.5+0.01"), read_setting("clock=0.5 fraction=20")
    assert managed.limits is None
    pair = play_pair(Match("katruji", (managed, fixed), 3, 4, 30), 0)
    assert {game.termination for game in pair.games} != {"time forfeit"}
    assert all(0 < seconds < 2 for seconds in pair.seconds)
    hopeless = read_setting("clock=0.001")
    pair = play_pair(Match("katruji", (hopeless, read_setting("nodes=5")), 3, 4, 30), 0)
    assert [(game.points, game.termination) for game in pair.games] == [(0.0, "time forfeit")] * 2


@pytest.mark.slow
def test_a_clock_beside_limits_and_another_engine_on_one() -> None:
    command = f"{sys.executable} -m service.cli engine"
    players = read_setting("nodes=50 clock=5"), read_setting(f"clock=10+0.1 engine='{command}'")
    pair = play_pair(Match("katruji", players, 3, 4, 6), 0)
    assert 0 < pair.nodes[0] <= 50 * 12
    assert pair.nodes[1] > pair.nodes[0]
    assert {game.termination for game in pair.games} == {"adjudication"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("clock=10 fraction=20", Limits(seconds=0.5)),
        ("clock=10 fraction=20 nodes=1000", Limits(nodes=1000, seconds=0.5)),
        ("clock=10 fraction=20 seconds=0.05", Limits(seconds=0.05)),
        ("clock=10 fraction=20 seconds=3 depth=4", Limits(depth=4, seconds=0.5)),
        ("clock=10 seconds=0.05 nodes=1000", Limits(nodes=1000, seconds=0.05)),
    ],
)
@pytest.mark.parametrize("engine", ["", " engine=other"])
def test_limits_hold_beside_a_clock(
    words: str, expected: Limits, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They do for both kinds of players; another engine divides a clock's time itself."""
    katruji, given = find_variant("katruji"), list[Limits]()

    def note(_: object, position: Position, limits: Limits, *time: object) -> Action:
        given.append(limits)
        return position.legal()[0]

    monkeypatch.setattr(EngineProcess, "__init__", lambda *_, **options: None)
    monkeypatch.setattr(EngineProcess, "choose", note)
    monkeypatch.setattr(EngineProcess, "nodes", 0, raising=False)
    monkeypatch.setattr(Search, "iterate", lambda *given: [one_line(note(*given))])
    player = make_player(katruji, read_setting(words + engine), 0)
    player.choose(katruji.start())
    assert [replace(limits, budget=None) for limits in given] == [expected]
    managed = "fraction" not in words and not engine
    assert (given[0].budget is not None) is managed


def one_line(action: Action) -> Iteration:
    """What a search that found only an action tells."""
    return Iteration(1, 1, 1, 0.0, (ScoredLine(0, (action,)),), True)


def test_a_fixed_fraction_is_taken_of_what_is_left() -> None:
    clock = PlayerClock(read_clock("8+0.4", "20"))
    katruji = find_variant("katruji")
    assert clock.find_limits(katruji, katruji.start()).seconds == pytest.approx(0.7)
    clock.spend(7.9)
    assert clock.find_limits(katruji, katruji.start()).seconds == pytest.approx(0.099)
    clock.press()
    assert clock.left == pytest.approx(0.5)
    assert not clock.has_fallen
    clock.spend(0.6)
    assert clock.has_fallen
