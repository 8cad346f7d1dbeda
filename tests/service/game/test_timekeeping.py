"""Games on clocks: what takes time, what comes too late, when flags fall, what is restored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.side import Side
from notation.errors import BadTimeControl, UnplayableTimeControl
from notation.reader import read_game
from notation.registry import find_dialect
from service.errors import BadValue, MissingScope
from service.game import commands, events
from service.game.commands import Annotation, Choose, FlagFall, PlayAction, SetClocks
from service.game.deadlines import find_alarm
from service.game.decide import create, decide
from service.game.errors import ClockStated, NoClocks, TimeIsUp
from service.game.evolve import at_ply, fold
from service.game.record import write_record
from service.game.state import GameState
from service.game.timekeeping import PATIENCE, TIMEKEEPER, Moment, Outage
from service.game.values import GameStatus, Mode
from service.log.chain import public_part
from service.log.codec import public_json
from service.log.values import Event, Recorded, StreamId
from service.player.actor import Actor
from service.verification.replaying import replay
from tests.clock_recount import recount
from tests.engine.kerak_support import at as kerak_at
from tests.service.game.support import ID, NORTH, REFEREE, SOUTH, new_game, running

KEEPER = Actor(TIMEKEEPER)
START = 1_700_000_000_000
NONCES = ("ab" * 16, "cd" * 16)


class Evening:
    """A game on clocks, at a time that the test sets."""

    def __init__(
        self,
        control: str | None = "180+2",
        variant: str = "katruji",
        mode: Mode = Mode.ARBITER,
        fen: str | None = None,
    ) -> None:
        self.now = START
        self.outages: list[Outage] = []
        self.alive: int | None = None
        self.log: list[Recorded] = []
        command = replace(new_game(mode, variant=variant), time_control=control, fen=fen)
        self.state: GameState = self.append(create(command, REFEREE), REFEREE)

    def append(self, made: Sequence[Event], by: Actor) -> GameState:
        known = [
            Recorded(version, event, self.now, by.player)
            for version, event in enumerate(made, len(self.log) + 1)
        ]
        self.log += known
        state = fold(ID, known, self.state if hasattr(self, "state") else None)
        assert state is not None
        return state

    def do(self, command: commands.Command, by: Actor, after: int = 0) -> Sequence[Event]:
        """Send a command this many milliseconds later."""
        self.now += after
        alive = self.now if self.alive is None else self.alive
        made = decide(command, self.state, by, Moment(self.now, self.outages, alive))
        self.state = self.append(made, by)
        return made

    def play(self, after: int = 0, lag: int = 0, token: str | None = None) -> Sequence[Event]:
        """Let the side to act play this many milliseconds later."""
        position = self.state.position.copy()
        texts = find_dialect(self.state.variant)
        token = token or texts.coordinate(position.legal()[0])
        by = (SOUTH, NORTH)[position.side]
        return self.do(PlayAction(token=token, lag=lag), by, after)

    def begin(self) -> Evening:
        """Let both sides play their first actions."""
        self.play(5_000)
        self.play(5_000)
        return self

    @property
    def left(self) -> tuple[int, int]:
        clock = self.state.clock
        assert clock is not None
        return clock.left(Side.FIRST, self.now), clock.left(Side.SECOND, self.now)

    def fall(self) -> Sequence[Event]:
        return self.do(FlagFall(), KEEPER)


def test_a_timed_action_says_when_it_came_and_what_it_took() -> None:
    game = Evening().begin()
    (played,) = game.play(10_250, lag=250)
    assert isinstance(played, events.TimedActionPlayed)
    assert played.stored_name == "action-played/2"
    assert (played.received, played.compensation) == (game.now, 250)
    assert (played.used, played.left) == (10_000, 172_000)
    assert game.left == (172_000, 180_000)
    assert game.state.clock is not None
    assert game.state.clock.running is Side.SECOND


def test_a_client_that_always_claims_the_most_lag_gains_little_by_it() -> None:
    game = Evening().begin()
    compensated = []
    for _ in range(8):
        (played,) = game.play(1_000, lag=500)
        assert isinstance(played, events.TimedActionPlayed)
        compensated.append(played.compensation)
        game.play(1_000)
    assert compensated == [500, 500, 500, 500, 400, 100, 100, 100]
    # Actions with less lag refill the quota.
    for _ in range(3):
        game.play(1_000, lag=20)
        game.play(1_000, lag=500)
    (played,) = game.play(1_000, lag=500)
    assert isinstance(played, events.TimedActionPlayed)
    assert played.compensation == 340


def test_a_retraction_gives_no_lag_back() -> None:
    game = Evening().begin()
    for _ in range(4):
        game.play(1_000, lag=500)
        game.play(1_000)
    game.do(commands.Retract(plies=4), REFEREE)
    (played,) = game.play(1_000, lag=500)
    assert isinstance(played, events.TimedActionPlayed)
    assert played.compensation == 400


def test_lag_beyond_the_quota_does_not_keep_a_flag_from_falling() -> None:
    game = Evening("10").begin()
    for _ in range(6):
        game.play(600, lag=500)
        game.play(600)
    left, _ = game.left
    game.now += left
    with pytest.raises(TimeIsUp):
        game.play(150, lag=500)


def test_an_action_counts_from_when_it_was_received() -> None:
    game = Evening().begin()
    token = find_dialect("katruji").coordinate(game.state.position.copy().legal()[0])
    early = PlayAction(token=token, received=game.now + 4_000)
    (played,) = game.do(early, SOUTH, 9_000)
    assert isinstance(played, events.TimedActionPlayed)
    assert played.used == 4_000
    assert game.state.clock is not None
    # The opponent does not pay for the 5 seconds that the service took.
    assert game.state.clock.since == game.now


def test_nobody_receives_an_action_later_than_now() -> None:
    game = Evening().begin()
    token = find_dialect("katruji").coordinate(game.state.position.copy().legal()[0])
    (played,) = game.do(PlayAction(token=token, received=game.now + 99_000), SOUTH, 1_000)
    assert isinstance(played, events.TimedActionPlayed)
    assert played.used == 1_000


def test_a_game_without_clocks_is_played_as_ever() -> None:
    game = Evening(None)
    game.play(5_000)
    (played,) = game.play(5_000)
    assert played.stored_name == "action-played/1"
    assert game.state.clock is None
    assert find_alarm(game.state) is None
    with pytest.raises(NoClocks) as error:
        game.do(SetClocks(first=1, second=1, reason="late"), REFEREE)
    assert error.value.code == "no-clocks"


def test_kerds_secret_choice_comes_before_the_clocks() -> None:
    game = Evening("60", variant="kerd")
    assert game.state.status is GameStatus.CHOOSING
    game.do(Choose(choice="b11", nonce=NONCES[0]), SOUTH, 500_000)
    game.do(Choose(choice="b2", nonce=NONCES[1]), NORTH, 500_000)
    assert find_alarm(game.state) == 0
    game.begin()
    assert game.left == (60_000, 60_000)
    game.play(9_000)
    assert game.left == (51_000, 60_000)


def test_keraks_placements_are_timed_like_moves() -> None:
    game = Evening("60+1", variant="kerak").begin()
    game.play(10_000)
    game.play(20_000)
    assert game.left == (51_000, 41_000)


def test_what_a_client_states_of_the_clock_is_refused() -> None:
    game = Evening().begin()
    token = find_dialect("katruji").coordinate(game.state.position.copy().legal()[0])
    for note in (Annotation(clock=1), Annotation(elapsed=0)):
        with pytest.raises(ClockStated) as error:
            game.do(PlayAction(token=token, annotation=note), SOUTH)
        with pytest.raises(ClockStated):
            game.do(commands.AnnotateAction(ply=1, annotation=note), SOUTH)
    assert error.value.code == "clock-stated"


def test_offers_do_not_stop_the_clock() -> None:
    """FIDE's laws, 9.1: a player who offers a draw or asks for anything uses their own time."""
    game = Evening("60").begin()
    game.do(commands.OfferDraw(), SOUTH, 5_000)
    game.do(commands.DeclineDraw(), NORTH, 5_000)
    game.do(commands.OfferRetraction(plies=1), SOUTH, 5_000)
    game.do(commands.DeclineRetraction(), NORTH, 5_000)
    game.play(5_000)
    assert game.left == (35_000, 60_000)


def test_a_retraction_restores_the_clocks_of_its_position() -> None:
    game = Evening("60+1").begin()
    game.play(10_000)
    before = game.left
    game.play(20_000)
    game.play(30_000)
    game.do(commands.OfferRetraction(plies=2), SOUTH, 3_000)
    game.do(commands.AcceptRetraction(), NORTH, 4_000)
    assert game.left == before
    assert game.state.clock is not None
    assert (game.state.clock.running, game.state.clock.since) == (Side.SECOND, game.now)
    game.play(2_000)
    assert game.left == (51_000, 59_000)


def test_a_retraction_to_the_start_stops_both_clocks() -> None:
    game = Evening("60").begin()
    game.play(10_000)
    game.do(commands.Retract(plies=3), REFEREE)
    assert game.left == (60_000, 60_000)
    assert find_alarm(game.state) == 0


def test_stages_are_counted_anew_after_a_retraction() -> None:
    game = Evening("2/60:10").begin()
    game.play(10_000)
    game.do(commands.Retract(plies=1), REFEREE)
    game.play(5_000)
    assert game.left == (65_000, 60_000)


def test_r35_clocks_go_on_as_they_stood_after_the_last_action() -> None:
    game = Evening("60").begin()
    game.play(10_000)
    game.do(commands.Resign(), NORTH, 20_000)
    assert game.left == (50_000, 40_000)
    game.now += 500_000
    assert game.left == (50_000, 40_000)
    game.do(commands.ReopenGame(reason="a slip"), REFEREE)
    assert game.left == (50_000, 60_000)
    game.play(1_000)
    assert game.left == (50_000, 59_000)


def test_r35_an_arbiter_sets_the_clocks() -> None:
    game = Evening("60").begin()
    game.play(10_000)
    game.play(10_000)
    game.do(SetClocks(first=90_000, second=30_000, reason="the clock stood still"), REFEREE, 7_000)
    assert game.left == (90_000, 30_000)
    game.play(1_000)
    game.play(1_000)
    assert game.left == (89_000, 29_000)
    game.do(commands.Retract(plies=2), REFEREE)
    assert game.left == (90_000, 30_000)
    game.do(commands.Retract(plies=1), REFEREE)
    assert game.left == (50_000, 60_000)
    for first in (0, 10**12):
        with pytest.raises(BadValue, match="first"):
            game.do(SetClocks(first=first, second=1, reason="x"), REFEREE)
    with pytest.raises(MissingScope):
        game.do(SetClocks(first=1, second=1, reason="x"), SOUTH)


def test_a_flag_falls_once_no_action_in_time_can_come() -> None:
    game = Evening("60").begin()
    clock = game.state.clock
    assert clock is not None
    due = game.now + 60_000
    assert clock.due == due
    assert find_alarm(game.state) == due + PATIENCE
    game.now = due + PATIENCE - 1
    assert game.fall() == ()
    game.now += 1
    (ended,) = game.fall()
    assert ended == events.GameEnded(result="0-1", termination="time forfeit")
    assert game.log[-1].by == TIMEKEEPER
    assert game.left == (0, 60_000)
    assert find_alarm(game.state) == 0
    assert game.fall() == ()


def test_a_game_of_three_days_a_move_in_simulated_time() -> None:
    day = 86_400_000
    game = Evening("1/259200").begin()
    for after in (3 * day - 1, day, 2 * day, 10_000, 3 * day - 1):
        (played,) = game.play(after)
        assert isinstance(played, events.TimedActionPlayed)
        assert (played.used, played.left) == (after, 3 * day)
    assert game.left == (3 * day, 3 * day)
    game.now += 3 * day + PATIENCE - 1
    assert game.fall() == ()
    game.now += 1
    assert game.fall() == (events.GameEnded(result="1-0", termination="time forfeit"),)


def test_a_flag_does_not_fall_while_the_service_may_be_down() -> None:
    game = Evening("60").begin()
    due = game.now + 60_000
    game.now, game.alive = due + 3_000, due - 1
    assert game.fall() == ()
    game.alive = due
    assert len(game.fall()) == 1


def test_only_the_service_lets_flags_fall() -> None:
    game = Evening("60").begin()
    with pytest.raises(MissingScope, match=TIMEKEEPER):
        game.do(FlagFall(), REFEREE, 99_000)


@pytest.mark.parametrize(
    "command",
    [
        commands.OfferDraw(),
        commands.Resign(),
        commands.OfferRetraction(plies=1),
    ],
)
@pytest.mark.parametrize("by", [SOUTH, NORTH])
def test_what_comes_after_the_flag_comes_too_late(command: commands.Command, by: Actor) -> None:
    game = Evening("60").begin()
    game.now += 60_000
    with pytest.raises(TimeIsUp, match="South has no time left") as error:
        game.do(command, by)
    assert error.value.code == "time-is-up"
    game.now -= 1
    assert game.do(command, by)


def test_an_action_in_time_counts_until_the_flags_event() -> None:
    game = Evening("60").begin()
    due = game.now + 60_000
    token = find_dialect("katruji").coordinate(game.state.position.copy().legal()[0])
    with pytest.raises(TimeIsUp):
        game.do(PlayAction(token=token), SOUTH, 60_000)
    with pytest.raises(TimeIsUp):
        game.do(PlayAction(token=token, received=due + 200, lag=200), SOUTH, 200)
    game.now = due + 550
    (played,) = game.do(PlayAction(token=token, received=due + 199, lag=200), SOUTH)
    assert isinstance(played, events.TimedActionPlayed)
    assert (played.used, played.left) == (59_999, 1)


def test_arbiters_may_rule_on_a_game_whose_flag_has_fallen() -> None:
    game = Evening("60").begin()
    game.do(commands.Adjudicate(result="1/2-1/2", termination="adjudication"), REFEREE, 99_000)
    assert game.state.status is GameStatus.FINISHED


def test_r36_a_flag_falls_to_a_draw_where_the_other_side_cannot_win() -> None:
    fen = find_dialect("kerak").write_fen(kerak_at("Ie5 Vd5 vc7"))
    game = Evening("60", variant="kerak", fen=fen).begin()
    game.play(1_000)
    game.play(1_000)
    game.now += 99_000
    (ended,) = game.fall()
    assert ended == events.GameEnded(result="1/2-1/2", termination="time forfeit")


def test_an_outage_is_credited_once_to_the_running_clock() -> None:
    game = Evening("60").begin()
    turn = game.now
    game.outages = [Outage(turn - 90_000, turn - 80_000), Outage(turn + 10_000, turn + 30_000)]
    credit, played = game.play(35_000)
    assert credit == events.OutageCredited(
        side=0, begun=turn + 10_000, ended=turn + 30_000, credited=20_000
    )
    assert isinstance(played, events.TimedActionPlayed)
    assert (played.used, game.left) == (15_000, (45_000, 60_000))
    assert len(game.play(1_000)) == 1


def test_an_outage_is_credited_before_a_flag_falls() -> None:
    game = Evening("60").begin()
    turn = game.now
    game.outages = [Outage(turn + 10_000, turn + 62_000)]
    game.now += 62_000
    (credit,) = game.fall()
    assert isinstance(credit, events.OutageCredited)
    assert find_alarm(game.state) == turn + 60_000 + 52_000 + PATIENCE
    assert game.fall() == ()
    game.now = turn + 112_000 + PATIENCE
    assert [type(event) for event in game.fall()] == [events.GameEnded]


def test_records_carry_the_clocks() -> None:
    game = Evening("180+2").begin()
    game.play(10_250, lag=250)
    game.play(62_500)
    text = " ".join(write_record(game.state, {}).split())
    assert '[TimeControl "180+2"]' in text
    assert "{[%clk 0:03:00] [%emt 0:00:00]}" in text
    assert "{[%clk 0:02:52] [%emt 0:00:10]}" in text
    assert "{[%clk 0:01:59.5] [%emt 0:01:02.5]}" in text
    assert len(read_game(write_record(game.state, {})).moves) == 4


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"time_control": "fast"}, BadTimeControl),
        ({"time_control": "0+2"}, UnplayableTimeControl),
        ({"time_control": "-"}, UnplayableTimeControl),
        ({"time_control": "60", "tags": {"TimeControl": "61"}}, BadValue),
        ({"time_control": "60", "mode": Mode.SCRIBE}, BadValue),
    ],
)
def test_no_game_is_created_on_clocks_that_cannot_be(
    changes: dict[str, object], error: type[Exception]
) -> None:
    command = replace(new_game(Mode.ARBITER), **changes)  # type: ignore[arg-type]
    with pytest.raises(error):
        create(command, Actor("referee", frozenset({"arbiter", "play"})))


def test_a_tag_may_say_the_same() -> None:
    command = replace(new_game(Mode.ARBITER, tags={"TimeControl": "60"}), time_control="060+0")
    created, agreed = create(command, REFEREE)
    assert isinstance(created, events.GameCreated)
    assert created.tags == {"TimeControl": "60"}
    assert agreed == events.TimeControlAgreed(control="60")


def test_a_command_to_a_game_with_clocks_needs_a_time() -> None:
    game = Evening("60")
    with pytest.raises(TypeError, match="at some time"):
        decide(commands.Resign(), game.state, SOUTH)


def test_a_tag_alone_is_no_clock() -> None:
    game = running(tags={"TimeControl": "60"})
    assert game.state.clock is None


def test_the_game_as_it_stood_has_the_clocks_of_then() -> None:
    game = Evening("60").begin()
    game.play(10_000)
    game.play(10_000)
    earlier = at_ply(game.state, 3).clock
    assert earlier is not None
    assert [side.left for side in earlier.sides] == [50_000, 60_000]
    assert earlier.running is Side.SECOND


@given(
    st.sampled_from(["3+2", "5d2", "4+0+3(2)", "2/5+1:3", "1/86400"]),
    st.sampled_from(["katruji", "kerak"]),
    st.lists(st.tuples(st.integers(0, 6_000), st.integers(0, 900), st.integers(0, 9)), max_size=24),
)
def test_a_log_is_counted_again_to_the_millisecond(
    control: str, variant: str, actions: list[tuple[int, int, int]]
) -> None:
    game = Evening(control, variant=variant)
    lags = []
    for after, lag, chance in actions:
        if chance == 0:
            game.outages.append(Outage(game.now + 1, game.now + 5_001))
            game.now += 5_002
        try:
            game.play(after, lag)
        except TimeIsUp:
            break
        lags.append(lag)
        if game.state.status is not GameStatus.RUNNING:
            break
    told = [(entry.event.stored_name, entry.at, public_json(entry.event)) for entry in game.log]
    counted = recount(variant, None, told, lags)
    stored = [
        (e.event.compensation, e.event.used, e.event.left)
        for e in game.log
        if isinstance(e.event, events.TimedActionPlayed)
    ]
    assert counted.times == stored
    assert len(set(counted.credits)) == len(counted.credits)
    clock = game.state.clock
    assert clock is not None
    if game.state.status is GameStatus.RUNNING:
        assert clock.due == counted.due
    assert replay(ID, chained(game.log)).clock == clock


def chained(log: list[Recorded]) -> list[Recorded]:
    """The same events; each must have a public part."""
    assert all(public_part(StreamId("game", ID), entry) for entry in log)
    return log
