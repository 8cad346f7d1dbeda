"""The scoring job: replays ended games, records the points, tallies them for tournaments."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Final

import redis
from rq.timeouts import BaseTimeoutException

from engine.replay import replay
from service.game.commands import ScoreGame
from service.game.importing import first_position
from service.game.permissions import SCORER
from service.game.repository import Games
from service.player.actor import Actor
from workers.errors import Incomplete
from workers.game_counting import count_for_tournament
from workers.job_games import list_named_games
from workers.round_job import end_uncounted
from workers.task import Task

log = logging.getLogger(__name__)

REPORTED: Final = 10
"""Games between two reports: a report is a write, and a game takes milliseconds."""


def score(task: Task) -> dict[str, Any]:
    """Score and tally each ended game that the job names; a repeat changes nothing.

    Their records are kept for exports, which then need not fold the games.

    Returns how many games were `scored`, how many are as they should be (`left`) and how many were
    `tallied` for a tournament. A game that cannot be replayed, or whose record cannot be written,
    does not stop the others: then Incomplete is raised, whose outcome also has `errors`, which maps
    games to reasons.
    """
    games = task.service.games
    named = list_named_games(task)
    scored = tallied = 0
    errors: dict[str, str] = {}
    for done, id in enumerate(named):
        if done % REPORTED == 0:
            task.report_progress(done, len(named))
        try:
            fresh = score_game(games, id)
            state = games.load(id)
            if state.ending is not None or state.reopened:
                tallied += count_for_tournament(task.service.tournaments, state)
                if state.ending is None:
                    end_uncounted(task.service.tournaments, games, state)
                task.service.records.keep_played(state)
            scored += fresh
        except (redis.RedisError, BaseTimeoutException):
            raise
        except Exception as error:
            log.exception("game %s cannot be scored", id)
            errors[id] = f"{type(error).__name__}: {error}"
    look_for_puzzles(task, [id for id in named if id not in errors])
    task.report_progress(len(named), len(named))
    outcome: dict[str, Any] = {"scored": scored, "left": len(named) - scored - len(errors)}
    outcome["tallied"] = tallied
    if errors:
        outcome["errors"] = errors
        raise Incomplete(f"{len(errors)} of {len(named)} games cannot be scored", outcome)
    return outcome


def look_for_puzzles(task: Task, games: Sequence[str]) -> None:
    """Have puzzles looked for in the games that were analysed before they were over."""
    try:
        task.service.puzzle_jobs.submit_ended(games)
    except (redis.RedisError, BaseTimeoutException):
        raise
    except Exception:
        # The games are scored, whatever is wrong with an analysis.
        log.exception("no puzzles are looked for in some games")


def score_game(games: Games, id: str) -> bool:
    """Score one game if it has ended and has no score for this ending; returns whether it did.

    The actions that were not taken back are replayed from the first position by the rules alone.
    Raises whatever replaying raises if the game cannot be replayed.
    """
    state = games.load(id)
    if state.ending is None or state.is_scored:
        return False
    first = first_position(state.variant, state.fen, state.tags)
    last = replay(first, (played.action for played in state.played))
    command = ScoreGame(
        version=state.version,
        result=state.ending.result,
        termination=state.ending.termination,
        points=last.points(),
    )
    return bool(games.execute(id, command, Actor(SCORER)).recorded)
