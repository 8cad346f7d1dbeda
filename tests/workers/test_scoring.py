from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
import redis

from engine.position import Action, Position
from engine.registry import VARIANTS
from notation.game import Game
from notation.reader import read
from notation.registry import find_dialect
from service.composition.service import Service
from service.errors import MissingScope
from service.game.commands import PlayAction, Retract, ScoreGame
from service.game.importing import GAME_TAG, import_command
from service.game.record import make_record
from service.game.repository import Games
from service.game.shown_annotations import WHOLE
from service.game.state import GameState
from service.jobs.errors import LeaseLost
from service.jobs.job_kinds import SCORING
from service.records.export import Unsigned, prepare_record
from service.records.record_cache import PREFIX, Settled
from tests.service.projection.support import (
    SCRIBE,
    correct,
    create,
    end,
    memory_games,
    play,
    spoil,
)
from tests.workers.support import ended_games, everything, scores, task
from workers.errors import Incomplete
from workers.job_games import list_named_games
from workers.scoring import score, score_game


def test_every_ended_game_that_is_named_is_scored(service: Service) -> None:
    ids = ended_games(service, 3)
    work = task(service, SCORING, everything(service))
    assert score(work) == {"scored": 3, "left": 0, "tallied": 0}
    for id in ids:
        state = service.games.load(id)
        (scored,) = scores(service, id)
        assert (scored.result, scored.termination) == ("1-0", "adjudication")
        assert scored.points == state.position.points()
    assert work.jobs.get("job").progress == (3, 3)


def test_records_of_scored_games_are_there_before_anybody_exports_them(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = ended_games(service, 2)
    create(service.games, "running")
    play(service.games, "running", 4)
    score(task(service, SCORING, everything(service)))
    kept = {key.decode() for key in service.store.scan_iter(match=f"{PREFIX}*")}
    assert kept == {f"{PREFIX}{id}" for id in ids}

    def refuse(*given: object) -> None:
        raise AssertionError(given)

    with monkeypatch.context() as patched:
        patched.setattr("service.records.record_cache.fold", refuse)
        found = service.records.of(ids, WHOLE, None)
    for id, one in zip(ids, found, strict=True):
        assert isinstance(one, Settled)
        state = service.games.load(id)
        names = service.players.names(state.seats)
        assert one.written(names) == prepare_record(make_record(state, names))


def test_scoring_again_changes_nothing(service: Service) -> None:
    (id,) = ended_games(service, 1)
    arguments = everything(service)
    assert score(task(service, SCORING, arguments))["scored"] == 1
    version = service.games.load(id).version
    assert score(task(service, SCORING, arguments, "again")) == {
        "scored": 0,
        "left": 1,
        "tallied": 0,
    }
    assert service.games.load(id).version == version


def test_a_job_of_an_older_version_scores_the_games_of_its_stretch(service: Service) -> None:
    first, second, third = ended_games(service, 3)
    positions = [p.position for p in service.log.feed(0)]
    # Each game has six pointers; the range has only the second game's.
    feed_range = {"partition": 0, "after": positions[5], "upto": positions[11]}
    work = task(service, SCORING, feed_range)
    assert list_named_games(work) == [second]
    score(work)
    assert [len(scores(service, id)) for id in (first, second, third)] == [0, 1, 0]


def test_a_long_stretch_is_read_whole(service: Service) -> None:
    ids = ended_games(service, 130, plies=2)
    assert len(service.log.feed(0, limit=1000)) == 520
    feed_range = {"partition": 0, "after": "0-0", "upto": service.log.feed_positions()[0]}
    assert list_named_games(task(service, SCORING, feed_range)) == ids


def test_a_corrected_result_is_scored_anew() -> None:
    games = memory_games()
    create(games, "a")
    play(games, "a", 3)
    end(games, "a", "1-0")
    assert score_game(games, "a")
    state = correct(games, "a", "0-1")
    assert state.score is not None
    assert state.score.ending != state.ending
    assert score_game(games, "a")
    after = games.load("a")
    assert after.score is not None
    assert after.score.ending == after.ending
    assert not score_game(games, "a")


def test_a_result_corrected_while_it_is_scored_is_not_scored_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    games = memory_games()
    create(games, "a")
    end(games, "a", "1-0")
    before = games.load("a")
    correct(games, "a", "0-1")
    monkeypatch.setattr(Games, "load", lambda self, id: before)
    assert not score_game(games, "a")


def test_a_running_game_has_nothing_to_score() -> None:
    games = memory_games()
    create(games, "a")
    play(games, "a")
    assert not score_game(games, "a")


def test_points_are_those_of_the_board_after_all_that_stands() -> None:
    games = memory_games()
    create(games, "a")
    # The first possible capture, and then an action that is taken back.
    while max(points(games)) == 0:
        position = games.load("a").position
        played = max(position.legal(), key=lambda action: gain(position, action))
        token = find_dialect("katruji").coordinate(played)
        games.execute("a", PlayAction(token=token), SCRIBE)
    counted = points(games)
    play(games, "a")
    games.execute("a", Retract(plies=1), SCRIBE)
    end(games, "a", "1/2-1/2")
    score_game(games, "a")
    score = games.load("a").score
    assert score is not None
    assert score.points == counted


def points(games: Games) -> tuple[int, int]:
    """The current points of the game `a`."""
    found = games.load("a").position.points()
    assert found is not None
    return found


def gain(position: Position, action: Action) -> int:
    """The sum of both sides' points after an action."""
    after = position.copy()
    after.play(action)
    return sum(after.points() or ())


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_records_that_came_in_have_the_points_they_state(data: Path, name: str) -> None:
    games = memory_games()
    sides = VARIANTS[name].sides
    with (data / "records" / f"{name}.pgn").open("rb") as file:
        records = [verdict.game for verdict in islice(read(file), 5)]
    assert records
    for number, game in enumerate(records):
        games.create(f"g{number}", import_command(game, "ann", "bob"), SCRIBE)
        assert not score_game(games, f"g{number}")
        state = games.load(f"g{number}")
        assert state.score is not None
        assert state.score.ending == state.ending
        stated = tuple(int(game.tags[f"{s}Points"]) for s in sides if f"{s}Points" in game.tags)
        assert (state.score.points or ()) == stated


def test_one_bad_game_does_not_stop_the_others(service: Service) -> None:
    ids = ended_games(service, 3)
    spoil(service.log, ids[1])
    work = task(service, SCORING, everything(service))
    with pytest.raises(Incomplete, match="1 of 3 games cannot be scored") as caught:
        score(work)
    assert caught.value.outcome["scored"] == 2
    assert list(caught.value.outcome["errors"]) == [ids[1]]
    assert "UnreadableToken" in caught.value.outcome["errors"][ids[1]]
    assert [len(scores(service, id)) for id in ids] == [1, 0, 1]


def test_one_record_that_cannot_be_written_does_not_stop_the_others(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = ended_games(service, 3)
    spoil(service.log, ids[0])

    def failing(game: Game) -> Unsigned:
        if game.tags[GAME_TAG] == ids[1]:
            raise ValueError("a fault of the writer")
        return prepare_record(game)

    monkeypatch.setattr("service.records.record_cache.prepare_record", failing)
    with pytest.raises(Incomplete) as caught:
        score(task(service, SCORING, everything(service)))
    outcome = caught.value.outcome
    assert list(outcome["errors"]) == ids[:2]
    assert "a fault of the writer" in outcome["errors"][ids[1]]
    assert (outcome["scored"], outcome["left"]) == (1, 0)
    (kept,) = service.store.scan_iter(match=f"{PREFIX}*")
    assert kept.decode() == PREFIX + ids[2]


def test_a_store_that_goes_away_is_no_fault_of_a_game(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error is raised, so that another try writes the score."""
    arguments = {"games": ended_games(service, 2)}

    def away(id: str) -> GameState:
        raise redis.ConnectionError

    monkeypatch.setattr(service.games, "load", away)
    with pytest.raises(redis.ConnectionError):
        score(task(service, SCORING, arguments))


def test_records_are_kept_between_heartbeats(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Progress is reported between records, which together may take longer than a lease."""
    ids = ended_games(service, 3)
    monkeypatch.setattr("workers.scoring.REPORTED", 1)
    work = task(service, SCORING, everything(service))
    reached: list[int] = []

    def noted(game: Game) -> Unsigned:
        done, _ = work.jobs.get("job").progress
        reached.append(done)
        return prepare_record(game)

    monkeypatch.setattr("service.records.record_cache.prepare_record", noted)
    score(work)
    assert reached == list(range(len(ids)))


def test_a_cancelled_job_stops_at_the_next_game(service: Service) -> None:
    ids = ended_games(service, 2)
    work = task(service, SCORING, everything(service))
    work.jobs.cancel("job")
    with pytest.raises(LeaseLost):
        score(work)
    assert [len(scores(service, id)) for id in ids] == [0, 0]


def test_the_scorer_alone_may_score() -> None:
    games = memory_games()
    create(games, "a")
    end(games, "a", "1-0")
    command = ScoreGame(version=9, result="1-0", termination="adjudication", points=(9, 9))
    with pytest.raises(MissingScope):
        games.execute("a", command, SCRIBE)
