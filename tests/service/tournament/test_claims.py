"""Two processes that claim the same name, or the same game, in the worst order."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

import fakeredis
import pytest
from redis.exceptions import ConnectionError

from engine.errors import UnknownVariant
from notation.errors import BadFen
from service.composition.service import CODEC
from service.errors import BadValue, ServiceError, WrongExpectedVersion
from service.game.commands import ImportRecord
from service.game.repository import Games
from service.game.state import GameState
from service.ids import derived_id
from service.log.errors import AlreadyDone, Overtaken
from service.log.interface import EventLog
from service.log.memory import MemoryEventLog
from service.log.redis import RedisEventLog
from service.log.repository import TRIES, Done
from service.log.values import Append
from service.player.actor import Actor
from service.player.repository import Players
from service.tournament.commands import Amend, Cancel, CreateTournament, Enter
from service.tournament.errors import CannotJoin, NameTaken
from service.tournament.repository import KIND, Tournaments
from tests.service.held_up import hold_up
from tests.service.log.support import at_once, receipt
from tests.service.player.support import SECRET, players_of
from tests.service.redis_server import RedisServer
from tests.service.tournament.support import CHIEF

A, B = "a" * 16, "b" * 16
GAME = "g" * 16


def clock() -> int:
    return 1_700_000_000_000


@dataclass(frozen=True)
class Process:
    """One process's view of the log."""

    log: EventLog
    players: Players
    tournaments: Tournaments
    games: Games


def process_on(log: EventLog) -> Process:
    players = players_of(log, clock)
    tournaments = Tournaments(log, clock, SECRET, players)
    return Process(log, players, tournaments, Games(log, clock, tournaments))


@pytest.fixture(params=["memory", "fakeredis", "redis"])
def processes(request: pytest.FixtureRequest) -> tuple[Process, Process]:
    """Two processes with log objects of their own, so that a test can hold up one of them."""
    if request.param == "memory":
        shared = MemoryEventLog(CODEC)
        logs: list[EventLog] = []
        for _ in range(2):
            view = MemoryEventLog(CODEC)
            view.__dict__.update(shared.__dict__)
            logs.append(view)
    elif request.param == "fakeredis":
        server = fakeredis.FakeServer(version=(6, 2))
        logs = [RedisEventLog(fakeredis.FakeRedis(server=server), CODEC) for _ in range(2)]
    else:
        redis_server: RedisServer = request.getfixturevalue("redis_server")
        logs = [RedisEventLog(redis_server.client(), CODEC) for _ in range(2)]
    return process_on(logs[0]), process_on(logs[1])


def open_tournament(process: Process, id: str, name: str = "Open") -> None:
    command = CreateTournament(
        name=name, variant="katruji", kind="free", scoring={"name": "standard"}
    )
    process.tournaments.create(id, command, CHIEF)


def named_open(process: Process) -> list[str]:
    """The ids of all tournaments, in tests where all are called Open."""
    return sorted(stream.id for stream in process.log.streams(KIND))


def test_a_tournament_that_is_renamed_or_cancelled_leaves_its_name_to_others(
    processes: tuple[Process, Process],
) -> None:
    one, other = processes
    open_tournament(one, A)
    one.tournaments.execute(A, Amend(changes={"name": "Spring"}), CHIEF)
    open_tournament(other, B)
    with pytest.raises(NameTaken):
        one.tournaments.execute(A, Amend(changes={"name": "open"}), CHIEF)
    assert one.tournaments.load(A).rules.name == "Spring"
    other.tournaments.execute(B, Cancel(), CHIEF)
    one.tournaments.execute(A, Amend(changes={"name": "Open"}), CHIEF)
    with pytest.raises(NameTaken):
        open_tournament(other, "c" * 16)


def test_a_slow_process_makes_no_second_tournament_of_a_name(
    processes: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = processes
    hold_up(slow.log, KIND, lambda _: open_tournament(quick, B), monkeypatch)
    with pytest.raises(NameTaken):
        open_tournament(slow, A)
    assert named_open(quick) == [B]
    with pytest.raises(NameTaken):
        open_tournament(slow, A, " open ")


def test_a_slow_process_has_its_name_after_all_if_the_quick_one_dies(
    processes: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = processes

    def die(_: Append) -> None:
        raise ConnectionError("killed")

    def claim_and_die(_: Append) -> None:
        hold_up(quick.log, KIND, die, monkeypatch)
        with pytest.raises(ConnectionError):
            open_tournament(quick, B)

    hold_up(slow.log, KIND, claim_and_die, monkeypatch)
    open_tournament(slow, A)
    assert named_open(slow) == [A]
    with pytest.raises(NameTaken):
        open_tournament(quick, B)


def test_a_name_that_is_taken_over_at_every_try_is_given_up(
    processes: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = processes
    append = slow.log.append
    taken = 0

    def die(_: Append) -> None:
        raise ConnectionError("killed")

    def overtake(request: Append) -> int:
        nonlocal taken
        if request.stream.kind == KIND and request.events:
            taken += 1
            with monkeypatch.context() as patch:
                hold_up(quick.log, KIND, die, patch)
                with pytest.raises(ConnectionError):
                    open_tournament(quick, B)
        return append(request)

    slow.log.append = overtake  # type: ignore[method-assign]
    with pytest.raises(Overtaken) as error:
        open_tournament(slow, A)
    assert (error.value.tries, taken) == (TRIES, TRIES)
    assert named_open(quick) == []


def test_a_name_claimed_for_a_tournament_of_another_name_is_free(
    processes: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_: Append) -> None:
        raise ConnectionError("killed")

    first, second = processes
    hold_up(first.log, KIND, die, monkeypatch)
    with pytest.raises(ConnectionError):
        open_tournament(first, A)
    open_tournament(first, A, "Closed")
    open_tournament(second, B)
    assert named_open(second) == [A, B]


def test_a_repeated_creation_claims_nothing_again(
    processes: tuple[Process, Process],
) -> None:
    first, second = processes
    command = CreateTournament(
        name="Open", variant="katruji", kind="free", scoring={"name": "standard"}
    )
    first.tournaments.create(A, command, CHIEF, receipt("k"))
    renamed = CreateTournament(
        name="Closed", variant="katruji", kind="free", scoring={"name": "standard"}
    )
    with pytest.raises(AlreadyDone):
        second.tournaments.create(A, renamed, CHIEF, receipt("k"))
    assert len(second.log.streams("claim")) == 1


def test_what_one_of_several_is_refused_for_stops_no_other(
    processes: tuple[Process, Process],
) -> None:
    first, _ = processes
    open_tournament(first, A)

    def command(name: str, kind: str = "free") -> CreateTournament:
        return CreateTournament(
            name=name, variant="katruji", kind=kind, scoring={"name": "standard"}
        )

    wished = {
        A: command("Another"),
        B: command("Closed"),
        "c" * 16: command("Open"),
        "d" * 16: command("Fourth", "swiss"),
        "e" * 16: replace(command("Fifth"), fen="no position"),
        "f" * 16: replace(command("Sixth"), variant="chess"),
    }
    made = first.tournaments.create_each(wished, CHIEF)
    assert list(made) == list(wished)
    assert [type(outcome) for outcome in made.values()] == [
        WrongExpectedVersion,
        Done,
        NameTaken,
        BadValue,
        BadFen,
        UnknownVariant,
    ]
    assert named_open(first) == [A, B]


def joinable(process: Process) -> GameState:
    """An ended game of two players who have entered two tournaments."""
    ana, bea = (process.players.unclaimed(name, "x") for name in ("Ana", "Bea"))
    for id, name in ((A, "Open"), (B, "Closed")):
        open_tournament(process, id, name)
        for player in (ana, bea):
            process.tournaments.execute(id, Enter(player=player), CHIEF)
    text = '[Variant "katruji"]\n[Termination "resignation"]\n\n1. Sd1 {so} Sa8 0-1\n'
    record = ImportRecord(
        variant="katruji",
        first=ana,
        second=bea,
        text=text,
        result="0-1",
        actions="c1d1 b8a8",
        tags={"Variant": "katruji", "Termination": "resignation"},
    )
    return process.games.create(GAME, record, Actor(CHIEF.player, frozenset({"play"}))).state


def joined(process: Process) -> list[str]:
    return [id for id in (A, B) if GAME in process.tournaments.load(id).boards]


def test_a_slow_process_lets_no_game_count_twice(
    processes: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = processes
    game = joinable(slow)
    hold_up(slow.log, KIND, lambda _: quick.tournaments.join(B, game, 1, CHIEF), monkeypatch)
    with pytest.raises(CannotJoin):
        slow.tournaments.join(A, game, 1, CHIEF)
    assert joined(quick) == [B]
    assert quick.tournaments.of_game(game) == B
    assert slow.tournaments.join(B, game, 1, CHIEF).recorded == []
    with pytest.raises(CannotJoin):
        slow.tournaments.join(A, game, 1, CHIEF)


def test_a_tournament_that_changes_while_its_claim_is_taken_over_is_looked_at_again(
    processes: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = processes
    game = joinable(slow)
    late = slow.players.unclaimed("Cem", "x")
    enter = slow.tournaments.execute

    def overtaken(_: Append) -> None:
        # The quick process bars the claim at a version that another arbiter has just passed.
        append = quick.log.append

        def change_first(request: Append) -> int:
            if request.stream.kind == KIND and not request.events:
                quick.log.append = append  # type: ignore[method-assign]
                enter(A, Enter(player=late), CHIEF)
            return append(request)

        quick.log.append = change_first  # type: ignore[method-assign]
        quick.tournaments.join(B, game, 1, CHIEF)

    hold_up(slow.log, KIND, overtaken, monkeypatch)
    with pytest.raises(CannotJoin):
        slow.tournaments.join(A, game, 1, CHIEF)
    assert joined(quick) == [B]
    assert late in quick.tournaments.load(A).entries


def test_a_refused_join_claims_nothing(processes: tuple[Process, Process]) -> None:
    first, _ = processes
    game = joinable(first)
    with pytest.raises(ServiceError):
        first.tournaments.join(A, game, 1000, CHIEF)
    assert len(first.log.streams("claim")) == 2
    assert first.tournaments.of_game(game) is None


def test_a_name_from_records_is_one_player_whoever_is_slow(
    processes: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = processes
    made: list[str] = []
    hold_up(
        slow.log, "player", lambda _: made.append(quick.players.unclaimed("Ana", "x")), monkeypatch
    )
    made.append(slow.players.unclaimed("Ana", "y"))
    monkeypatch.undo()
    made.append(slow.players.all_unclaimed(["Ana"], "z")["Ana"])
    assert len(set(made)) == 1
    assert len(quick.log.streams("player")) == 1


@pytest.mark.soak
def test_one_tournament_has_a_name_whoever_is_slow_or_dies(redis_server: RedisServer) -> None:
    chance = random.Random(14)
    counts: Counter[str] = Counter()

    def stumble(log: EventLog, luck: random.Random) -> None:
        """Delay a process before each append, and let it die there now and then."""
        append = log.append

        def append_late(request: Append) -> int:
            time.sleep(luck.expovariate(200))
            if luck.random() < 0.15:
                raise ConnectionError("killed")
            return append(request)

        log.append = append_late  # type: ignore[method-assign]

    def race(process: Process, id: str, name: str) -> str:
        try:
            open_tournament(process, id, name)
        except (NameTaken, Overtaken, ConnectionError) as error:
            return type(error).__name__
        return "created"

    steady = process_on(RedisEventLog(redis_server.client(), CODEC))
    processes = [process_on(RedisEventLog(redis_server.client(), CODEC)) for _ in range(6)]
    for process in processes:
        stumble(process.log, random.Random(chance.random()))
    for number in range(400):
        name = f"Open {number}"
        ids = [derived_id(SECRET, name, str(process)) for process in range(6)]
        racers = zip(processes, ids, strict=True)
        ended = at_once([partial(race, process, id, name) for process, id in racers])
        counts.update(ended)
        there = [id for id in ids if steady.tournaments.exists(id)]
        assert len(there) == ended.count("created") <= 1
        # A process that died keeps nobody out, and a tournament that has the name keeps all out.
        last = race(steady, derived_id(SECRET, name, "last"), name)
        assert last == ("NameTaken" if there else "created")
    print(dict(counts))
    assert counts["created"] > 100
    assert counts["ConnectionError"] > 100
