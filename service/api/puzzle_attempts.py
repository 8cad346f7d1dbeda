"""`/api/v1/puzzles/{id}/attempts`, and players' ratings for their attempts at puzzles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from flask import Blueprint, Response

from service.api import request_data
from service.api.context import (
    check_same,
    find_bearer,
    get_service,
    read_receipt,
    require,
    require_owner_or_admin,
)
from service.api.puzzle_views import render_attempt, render_try
from service.api.responses import make_page, respond_json
from service.api.schemas.puzzles import AttemptListSchema, AttemptSchema
from service.log.errors import AlreadyDone
from service.log.values import Receipt
from service.player.scopes import PLAY
from service.projection.puzzles.attempt_list import ListedAttempt, RatingChange
from service.projection.puzzles.puzzle_list import ListedPuzzle, PuzzleSource
from service.projection.puzzles.ratings import SolverRating
from service.puzzles.attempts.commands import AttemptPuzzle, Help
from service.puzzles.attempts.state import Attempt
from service.puzzles.solving import Standing, Try, try_puzzle
from service.rating.glicko2 import Rating
from service.rating.puzzle_rating import rate_attempt

puzzle_attempts = Blueprint("puzzle_attempts", __name__, url_prefix="/api/v1")

ATTEMPT: Final = AttemptSchema()
ATTEMPTS: Final = AttemptListSchema()


class Unrated(StrEnum):
    """Why an attempt is not rated."""

    SIGNED_OUT = "signed-out"
    GUEST = "guest"
    TRIED_BEFORE = "tried-before"


@dataclass(frozen=True, slots=True)
class Solver:
    """The solver of a puzzle: a player whose attempts are rated, or the reason why they are not."""

    player: str | None
    unrated: Unrated | None = None


def find_solver() -> Solver:
    """The request's principal as a solver; raises BadToken."""
    who = find_bearer()
    if who is None:
        return Solver(None, Unrated.SIGNED_OUT)
    return Solver(None, Unrated.GUEST) if who.guest else Solver(who.actor.player)


@puzzle_attempts.post("/puzzles/<puzzle>/attempts")
def attempt(puzzle: str) -> Response:
    """Try a puzzle. A rated player is rated as soon as the first attempt is over."""
    solver = find_solver()
    if solver.player is not None:
        require(PLAY)
    # A malformed key is reported whether it is needed or not.
    asked = read_receipt(solver.player or "")
    wish = request_data.read_body(ATTEMPT)
    known = get_service().puzzle_list.find(puzzle)
    help = Help(wish["help"]) if wish["help"] else None
    actions = tuple(wish["actions"])
    command = AttemptPuzzle(puzzle=known.puzzle, actions=actions, help=help)
    tried = try_puzzle(known.puzzle, actions)
    is_over = tried.standing is not Standing.OPEN or help is not None
    made, unrated = (
        record(solver.player, known, command, asked)
        if solver.player is not None and is_over
        else find_attempt(solver, puzzle)
    )
    source = find_source(tried, made)
    return respond_json(render_try(tried, made, unrated, source, with_hint=help is Help.HINT))


def find_source(tried: Try, attempt: ListedAttempt | None) -> PuzzleSource | None:
    """The game that a puzzle is from, for a player who has solved it or whose attempt is over.

    Others would find there what was played.
    """
    if tried.standing is not Standing.SOLVED and attempt is None:
        return None
    return get_service().puzzle_list.find_source(tried.puzzle.id)


def record(
    player: str, known: ListedPuzzle, command: AttemptPuzzle, asked: Receipt | None
) -> tuple[ListedAttempt, Unrated | None]:
    """Record a finished attempt, and return it, or the earlier one that counts."""
    service = get_service()
    try:
        done = service.solvers.attempt(player, command, asked)
        state, is_first = done.state, bool(done.recorded)
    except AlreadyDone as error:
        check_same(error.receipt, asked or error.receipt)
        state, is_first = service.solvers.load(player), error.receipt.last >= error.receipt.first
    made = describe_attempt(player, state.attempts[known.puzzle.id])
    if is_first and made.player_rating is None:
        made = predict_ratings(player, known, made)
    return made, None if is_first else Unrated.TRIED_BEFORE


def find_attempt(solver: Solver, puzzle: str) -> tuple[ListedAttempt | None, Unrated | None]:
    """The attempt at a puzzle that counts, and why another one would not."""
    if solver.player is None:
        return None, solver.unrated
    state = get_service().solvers.find(solver.player)
    made = None if state is None else state.attempts.get(puzzle)
    if made is None:
        return None, None
    return describe_attempt(solver.player, made), Unrated.TRIED_BEFORE


def describe_attempt(player: str, attempt: Attempt) -> ListedAttempt:
    """An attempt in the log, with its effect on ratings as far as that is projected."""
    event = attempt.event
    listed = get_service().attempt_list.find(player, event.puzzle)
    return ListedAttempt(
        event.puzzle,
        event.variant,
        attempt.at,
        event.solved,
        event.help,
        event.actions,
        None if listed is None else listed.player_rating,
        None if listed is None else listed.puzzle_rating,
    )


def predict_ratings(player: str, known: ListedPuzzle, made: ListedAttempt) -> ListedAttempt:
    """The attempt with its effect on both ratings, as long as no other is rated before it."""
    rated = get_service().puzzle_ratings.of(player, made.at)
    own = rated.get(made.variant, SolverRating(Rating())).rating
    better, harder = rate_attempt(own, known.rating, solved=made.solved)
    return replace(
        made,
        player_rating=RatingChange(own.rating, better),
        puzzle_rating=RatingChange(known.rating.rating, harder),
    )


@puzzle_attempts.get("/players/<id:id>/puzzle-ratings")
def list_puzzle_ratings(id: str) -> Response:
    """A player's puzzle ratings, by variant."""
    request_data.read_query()
    get_service().players.load(id)
    found = get_service().puzzle_ratings.of(id, get_service().players.clock())
    ratings = {
        variant: {
            "rating": one.rating.rating,
            "deviation": one.rating.deviation,
            "volatility": one.rating.volatility,
            "attempts": one.attempts,
            "solved": one.solved,
        }
        for variant, one in found.items()
    }
    return respond_json({"player": id, "ratings": ratings})


@puzzle_attempts.get("/players/<id:id>/puzzle-attempts")
def list_attempts(id: str) -> Response:
    """A player's attempts at puzzles, newest first; only for the player and admins."""
    require_owner_or_admin(id)
    found = request_data.read_query(ATTEMPTS)
    page, cursor = get_service().attempt_list.page(
        id, found.get("variant"), found.get("cursor"), found["limit"]
    )
    return respond_json(make_page(list(map(render_attempt, page)), cursor))
