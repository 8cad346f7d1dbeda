"""Games on a log: loading, commands, retries, caches, races."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import fakeredis
import pytest

from notation.errors import IllegalMove, NotationError
from notation.reader import read_game
from service.composition.service import CODEC
from service.errors import NotFound, ServiceError, WrongExpectedVersion
from service.game.annotation_size import EVENT
from service.game.commands import (
    AcceptChallenge,
    AcceptDraw,
    AnnotateAction,
    Annotation,
    CloseGame,
    CorrectResult,
    CreateGame,
    OfferDraw,
    PlayAction,
    Resign,
    Retract,
)
from service.game.errors import NotRunning, NotYourTurn
from service.game.evolve import fold
from service.game.importing import import_command
from service.game.repository import ACTION, BASE, CACHED, Games, audience, stream_of, weigh_game
from service.game.state import GameState
from service.game.values import Ending, GameStatus, Mode
from service.log.errors import AlreadyDone, Overtaken, UnknownEvent
from service.log.interface import EventLog
from service.log.memory import MemoryEventLog
from service.log.redis import RedisEventLog
from service.log.repository import TRIES
from service.log.state_cache import StateCache
from service.log.values import Append, Receipt
from service.player.actor import Actor
from service.player.events import PlayerRenamed
from tests.service.game.support import (
    ID,
    NO_TOURNAMENTS,
    NORTH,
    REFEREE,
    SCRIBE,
    SOUTH,
    STRANGER,
    new_game,
)
from tests.service.redis_server import RedisServer


@pytest.fixture(params=["memory", "fakeredis"])
def log(request: pytest.FixtureRequest) -> EventLog:
    if request.param == "memory":
        return MemoryEventLog(CODEC)
    return RedisEventLog(fakeredis.FakeRedis(version=(6, 2)), CODEC)


def clock() -> int:
    return 5000


@pytest.fixture
def games(log: EventLog) -> Games:
    return Games(log, clock, NO_TOURNAMENTS)


@pytest.fixture
def other(log: EventLog) -> Games:
    """The games as another process sees them."""
    return Games(log, clock, NO_TOURNAMENTS)


def receipt(key: str, fingerprint: str = "f") -> Receipt:
    return Receipt(key, fingerprint, 200, 0, 0)


def begun(games: Games, id: str = ID) -> Games:
    games.create(id, new_game(Mode.CHALLENGE), SOUTH)
    games.execute(id, AcceptChallenge(), NORTH)
    return games


def test_a_game_that_is_none_is_not_found(games: Games) -> None:
    for ask in (
        lambda: games.load(ID),
        lambda: games.at_version(ID, 1),
        lambda: games.execute(ID, Resign(), SOUTH),
    ):
        with pytest.raises(NotFound, match="no game has the id") as error:
            ask()
        assert (error.value.kind, error.value.id) == ("game", ID)


def test_a_game_is_created_and_played(games: Games, other: Games) -> None:
    done = games.create(ID, new_game(Mode.CHALLENGE), SOUTH)
    assert [entry.version for entry in done.recorded] == [1]
    games.execute(ID, AcceptChallenge(), NORTH)
    done = games.execute(ID, PlayAction(token="Sd1"), SOUTH)
    assert (done.state.version, len(done.recorded)) == (3, 1)
    assert list(done.recorded) == games.log.read(stream_of(ID), 2)
    seen = other.load(ID)
    assert (seen.version, [played.san for played in seen.played]) == (3, ["Sd1"])


def test_an_id_is_taken_once(games: Games) -> None:
    games.create(ID, new_game(Mode.CHALLENGE), SOUTH)
    with pytest.raises(WrongExpectedVersion):
        games.create(ID, new_game(Mode.SCRIBE), SCRIBE)


def test_a_state_at_an_earlier_version(games: Games, other: Games) -> None:
    begun(games).execute(ID, PlayAction(token="Sd1"), SOUTH)
    for asked in (games, other):
        assert asked.at_version(ID, 1).status is GameStatus.OFFERED
        assert asked.at_version(ID, 2).played == ()
        assert asked.at_version(ID, 3).version == 3
        with pytest.raises(NotFound):
            asked.at_version(ID, 4)
        with pytest.raises(NotFound):
            asked.at_version(ID, 0)


def test_the_feed_names_whom_a_game_concerns(games: Games) -> None:
    games.create(ID, new_game(Mode.SCRIBE), SCRIBE)
    (pointer,) = games.log.feed(games.log.partition(stream_of(ID)))
    assert pointer.audience == ("south", "north", "scribe")
    mine = CreateGame(variant="katruji", mode="challenge", first=None, second="north")
    assert audience(games.create("h" * 16, mine, NORTH).state) == ("north",)


def test_what_another_process_played_is_noticed(games: Games, other: Games) -> None:
    begun(games)
    other.load(ID)
    games.execute(ID, PlayAction(token="Sd1"), SOUTH)
    # The other's cache still says that it is South's turn.
    other.execute(ID, PlayAction(token="Sa8"), NORTH)
    assert games.execute(ID, PlayAction(token="Sc2"), SOUTH).state.version == 5


def test_a_refusal_is_never_that_of_an_old_state(games: Games, other: Games) -> None:
    begun(games)
    other.load(ID)
    games.execute(ID, OfferDraw(), SOUTH)
    assert other.execute(ID, AcceptDraw(), NORTH).state.status is GameStatus.FINISHED
    with pytest.raises(NotYourTurn):
        begun(games, "h" * 16).execute("h" * 16, PlayAction(token="Sa8"), NORTH)


def test_a_command_without_effect_is_never_that_of_an_old_state(games: Games, other: Games) -> None:
    begun(games).execute(ID, Resign(), SOUTH)
    forfeit = CorrectResult(result="1-0", termination="forfeit", reason="why")
    abandoned = CorrectResult(result="0-1", termination="abandoned", reason="why")
    games.execute(ID, forfeit, REFEREE)
    other.execute(ID, abandoned, REFEREE)
    assert games.execute(ID, forfeit, REFEREE).recorded
    assert other.load(ID).ending == Ending("1-0", "forfeit")


def test_a_command_without_effect_appends_nothing(games: Games) -> None:
    begun(games).execute(ID, PlayAction(token="Sd1"), SOUTH)
    heads = games.log.feed_positions()
    done = games.execute(ID, AnnotateAction(ply=1, annotation=Annotation()), SOUTH)
    assert (done.recorded, done.state.version) == ([], 3)
    assert games.log.feed_positions() == heads


@pytest.mark.parametrize("fresh", [True, False], ids=["fresh", "stale"])
def test_only_the_expected_version_is_changed(games: Games, other: Games, fresh: bool) -> None:
    begun(games)
    asked = other if fresh else games
    begun_at = games.load(ID).version
    (games if fresh else other).execute(ID, PlayAction(token="Sd1"), SOUTH)
    for command in (PlayAction(token="Sa8"), PlayAction(token="rubbish"), Resign()):
        with pytest.raises(WrongExpectedVersion) as error:
            asked.execute(ID, command, NORTH, expected=begun_at)
        assert (error.value.expected, error.value.actual) == (2, 3)
    with pytest.raises(WrongExpectedVersion):
        asked.execute(ID, Resign(), NORTH, expected=99)
    assert asked.execute(ID, PlayAction(token="Sa8"), NORTH, expected=3).state.version == 4


def test_a_version_expected_before_this_process_knew_it(games: Games, other: Games) -> None:
    begun(games)
    other.load(ID)
    games.execute(ID, PlayAction(token="Sd1"), SOUTH)
    assert other.execute(ID, PlayAction(token="Sa8"), NORTH, expected=3).state.version == 4


def test_a_request_made_again_is_answered_with_its_receipt(games: Games, other: Games) -> None:
    begun(games)
    done = games.execute(ID, PlayAction(token="Sd1"), SOUTH, expected=2, receipt=receipt("k"))
    other.execute(ID, PlayAction(token="Sa8"), NORTH)
    # By now the same request would be refused for its action and for its expected version.
    for again in (games, other, Games(games.log, clock, NO_TOURNAMENTS)):
        for token, expected in (("Sd1", 2), ("Sd1", None), ("rubbish", None), ("Sc2", None)):
            with pytest.raises(AlreadyDone) as error:
                again.execute(ID, PlayAction(token=token), SOUTH, expected, receipt("k"))
            assert error.value.receipt == Receipt("k", "f", 200, 3, 3)
    assert games.at_version(ID, 3).played == done.state.played
    assert games.load(ID).version == 4


def test_a_creation_made_again_is_answered_with_its_receipt(games: Games, other: Games) -> None:
    games.create(ID, new_game(Mode.CHALLENGE), SOUTH, receipt("k"))
    games.execute(ID, AcceptChallenge(), NORTH)
    for again in (games, other):
        with pytest.raises(AlreadyDone) as error:
            again.create(ID, new_game(Mode.CHALLENGE), SOUTH, receipt("k"))
        assert error.value.receipt.last == 1


def test_a_refused_request_leaves_no_receipt(games: Games) -> None:
    begun(games)
    with pytest.raises(IllegalMove):
        games.execute(ID, PlayAction(token="Sa1"), SOUTH, receipt=receipt("k"))
    assert games.log.receipt(stream_of(ID), "k") is None
    assert games.execute(ID, PlayAction(token="Sd1"), SOUTH, receipt=receipt("k")).recorded


def test_a_request_without_effect_is_remembered(games: Games) -> None:
    begun(games).execute(ID, PlayAction(token="Sd1"), SOUTH)
    nothing = AnnotateAction(ply=1, annotation=Annotation())
    assert not games.execute(ID, nothing, SOUTH, receipt=receipt("k")).recorded
    with pytest.raises(AlreadyDone) as error:
        games.execute(ID, nothing, SOUTH, receipt=receipt("k"))
    assert (error.value.receipt.first, error.value.receipt.last) == (4, 3)


def test_a_game_with_an_unknown_event_is_not_guessed_at(games: Games, other: Games) -> None:
    begun(games)
    games.log.append(Append(stream_of(ID), 2, [PlayerRenamed()], 0, "x"))
    with pytest.raises(TypeError, match="not an event after a game's first"):
        other.load(ID)


def test_a_log_error_is_not_retried(games: Games, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(games)

    def broken(request: Append) -> int:
        raise UnknownEvent("x/9")

    monkeypatch.setattr(games.log, "append", broken)
    with pytest.raises(UnknownEvent):
        games.execute(ID, Resign(), SOUTH)


def test_a_command_that_is_overtaken_is_decided_again(
    games: Games, other: Games, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(games)
    append = games.log.append

    def overtaken(request: Append) -> int:
        monkeypatch.undo()
        other.execute(ID, OfferDraw(), SOUTH)
        return append(request)

    monkeypatch.setattr(games.log, "append", overtaken)
    done = games.execute(ID, OfferDraw(), NORTH)
    assert done.state.ending == Ending("1/2-1/2", "agreement")


def test_a_command_that_is_overtaken_for_ever_gives_up(
    games: Games, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(games)
    turns = iter(range(1000))

    def overtaken(request: Append) -> int:
        monkeypatch.undo()
        annotate = AnnotateAction(ply=1, annotation=Annotation(nags=(next(turns) % 2,)))
        Games(games.log, clock, NO_TOURNAMENTS).execute(ID, annotate, SOUTH)
        monkeypatch.setattr(games.log, "append", overtaken)
        raise WrongExpectedVersion(str(request.stream), request.expected, request.expected + 1)

    games.execute(ID, PlayAction(token="Sd1"), SOUTH)
    monkeypatch.setattr(games.log, "append", overtaken)
    with pytest.raises(Overtaken) as error:
        games.execute(ID, Resign(), SOUTH)
    assert (error.value.stream, error.value.tries) == (f"game:{ID}", TRIES)
    assert str(error.value).endswith("send the request again")
    monkeypatch.undo()
    assert games.load(ID).status is GameStatus.RUNNING


@pytest.mark.parametrize("read_first", [True, False])
def test_a_store_that_has_lost_events_is_believed(games: Games, read_first: bool) -> None:
    begun(games).execute(ID, PlayAction(token="Sd1"), SOUTH)
    behind = MemoryEventLog(CODEC)
    for entry in games.log.read(stream_of(ID), limit=2):
        behind.append(Append(stream_of(ID), entry.version - 1, [entry.event], entry.at, entry.by))
    games.log = behind
    if read_first:
        assert games.load(ID).played == ()
    assert games.execute(ID, PlayAction(token="a3b3"), SOUTH).state.version == 3
    assert [played.san for played in games.load(ID).played] == ["Sab3=O"]


def test_a_store_with_another_history_is_believed(games: Games) -> None:
    begun(games).execute(ID, PlayAction(token="Sd1"), SOUTH)
    elsewhere = Games(MemoryEventLog(CODEC), clock, NO_TOURNAMENTS)
    begun(elsewhere).execute(ID, PlayAction(token="a3b3"), SOUTH)
    games.log = elsewhere.log
    done = games.execute(ID, PlayAction(token="Sa8"), NORTH)
    assert [played.san for played in done.state.played] == ["Sab3=O", "Sa8"]
    recorded = games.log.read(stream_of(ID))
    assert [entry.previous for entry in recorded[1:]] == [e.hash for e in recorded[:-1]]
    assert done.state.head == recorded[-1].hash == games.log.head(stream_of(ID))


def test_time_does_not_go_back() -> None:
    log = MemoryEventLog(CODEC)
    ahead = Games(log, lambda: 9000, NO_TOURNAMENTS)
    behind = Games(log, lambda: 1000, NO_TOURNAMENTS)
    begun(ahead)
    assert behind.execute(ID, PlayAction(token="Sd1"), SOUTH).state.updated_at == 9000
    assert [entry.at for entry in log.read(stream_of(ID))] == [9000] * 3


def test_the_cache_is_bounded_and_nothing_is_lost_with_it(
    games: Games, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CACHED >= 1000 * (BASE + 80)
    cache = StateCache[GameState](3 * BASE, weigh_game)
    monkeypatch.setattr(games, "_cache", cache)
    ids = [str(n) * 16 for n in range(2, 8)]
    for id in ids:
        begun(games, id)
    assert [cache.get(id) is not None for id in ids] == [False] * 3 + [True] * 3
    for id in ids:
        assert games.execute(id, PlayAction(token="Sd1"), SOUTH).state.version == 3


def test_annotations_weigh_in_the_cache(games: Games) -> None:
    """A game with half a megabyte of comments once weighed no more than one without."""
    before = begun(games).execute(ID, PlayAction(token="Sd1"), SOUTH).state
    annotation = Annotation(after=("x" * 4000,) * 16)
    after = games.execute(ID, AnnotateAction(ply=1, annotation=annotation), SOUTH).state
    assert weigh_game(before) == BASE + 1
    assert weigh_game(after) == BASE + 1 + (EVENT + 16 * 4000) // ACTION
    text = '[Variant "katruji"]\n\n{' + "x" * 1000 + "}\n1. Sd1 {" + "x" * 2000 + "} *\n"
    imported = games.create("i" * 16, import_command(read_game(text), "south", None), SOUTH).state
    assert weigh_game(imported) == BASE + 1 + 3000 // ACTION


def test_an_imported_record_is_a_finished_game(games: Games, other: Games) -> None:
    text = '[Variant "katruji"]\n[Termination "resignation"]\n\n1. Sd1 {so} Sa8 0-1\n'
    done = games.create(ID, import_command(read_game(text), "south", None), SOUTH)
    state = other.load(ID)
    assert (state.status, state.mode, state.seats) == (
        GameStatus.FINISHED,
        Mode.IMPORT,
        ("south", None),
    )
    assert (state.ending, state.played) == (Ending("0-1", "resignation"), done.state.played)
    with pytest.raises(NotRunning, match="the game is finished"):
        games.execute(ID, CloseGame(), REFEREE)


def race(games: list[Games], id: str, tokens: tuple[str, str], actor: Actor) -> list[str]:
    """Let two clients play the same turn of a game at once; whether each won or was late."""
    start = Barrier(2)

    def play(service: Games, token: str) -> str:
        start.wait()
        try:
            service.execute(id, PlayAction(token=token), actor)
        except (NotYourTurn, WrongExpectedVersion):
            return "late"
        return "won"

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(play, games, tokens))


@pytest.mark.slow
@pytest.mark.parametrize("store", ["memory", "redis"])
def test_of_two_clients_at_one_turn_exactly_one_wins(
    store: str, request: pytest.FixtureRequest
) -> None:
    logs: list[EventLog]
    if store == "memory":
        logs = [MemoryEventLog(CODEC)] * 2
    else:
        server: RedisServer = request.getfixturevalue("redis_server")
        logs = [RedisEventLog(server.client(), CODEC) for _ in range(2)]
    processes = [Games(log, clock, NO_TOURNAMENTS) for log in logs]
    for turn in range(500):
        id = f"{turn:a>16}"
        begun(processes[turn % 2], id)
        assert sorted(race(processes, id, ("Sd1", "Pd1"), SOUTH)) == ["late", "won"]
        assert sorted(race(processes, id, ("Sa8", "Pa8"), NORTH)) == ["late", "won"]
        state = fold(id, processes[0].log.read(stream_of(id)))
        assert state is not None
        assert (state.version, len(state.played)) == (4, 2)


def test_many_actors_at_once_leave_one_history(redis_server: RedisServer) -> None:
    processes = [
        Games(RedisEventLog(redis_server.client(), CODEC), clock, NO_TOURNAMENTS) for _ in range(4)
    ]
    begun(processes[0])
    actors = [SOUTH, NORTH, REFEREE, STRANGER]
    commands = [
        PlayAction(token="Sd1"),
        PlayAction(token="Sa8"),
        Retract(plies=1),
        AnnotateAction(ply=1, annotation=Annotation(nags=(1,))),
    ]

    def storm(n: int) -> int:
        made = 0
        for turn in range(40):
            try:
                done = processes[n].execute(
                    ID, commands[(turn * 7 + n) % len(commands)], actors[(turn + n) % 4]
                )
                made += len(done.recorded)
            except Exception as error:
                assert isinstance(error, ServiceError | NotationError)
        return made

    with ThreadPoolExecutor(4) as pool:
        made = sum(pool.map(storm, range(4)))
    recorded = processes[0].log.read(stream_of(ID))
    assert len(recorded) == 2 + made > 10
    replayed = fold(ID, recorded)
    assert replayed is not None
    for games in processes:
        state = games.load(ID)
        assert state.position.key() == replayed.position.key()
        assert (state.version, state.played) == (replayed.version, replayed.played)
