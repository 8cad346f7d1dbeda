"""`POST /actions`: actions in many games, one on each line, and an answer line for each."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final

from flask import Blueprint, Response, request, stream_with_context
from marshmallow import ValidationError
from redis.exceptions import RedisError
from werkzeug.exceptions import InternalServerError

from service.api import request_data
from service.api.context import get_service, get_web, require_bearer
from service.api.errors import BadLine, LineTooLong, MalformedJson, TooManyLines, WrongMediaType
from service.api.expected_version import answer_conflict
from service.api.games import repeat_answer
from service.api.problem_statuses import STATUSES
from service.api.problems import (
    describe_error,
    describe_http_error,
    describe_outage,
    describe_validation_error,
)
from service.api.responses import NDJSON, choose_media_type, write_ndjson_line
from service.api.schemas.actions import ActionLineSchema, make_play
from service.errors import WrongExpectedVersion
from service.game.commands import Command
from service.game.repository import stream_of
from service.game.state import GameState
from service.ids import keyed_digest
from service.log.batch import Batch, Order
from service.log.chain import canonical, public_part
from service.log.errors import AlreadyDone
from service.log.repository import Done
from service.log.values import Receipt
from service.player.actor import Actor

action_lines = Blueprint("action_lines", __name__, url_prefix="/api/v1")
logger = logging.getLogger(__name__)

LINE = ActionLineSchema()
MOST_LINES: Final = 5000
LONGEST_LINE: Final = 64 * 1024
"""The most bytes of a line."""
LONGEST_NAME: Final = 40
"""The most characters repeated of a text given as a game's id."""
TOGETHER: Final = 64
"""The number of lines that are carried out together."""
PIECE: Final = 256 * 1024
"""The number of characters of answers that are enough to be sent."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the request: its number from 1, and its order, or what is wrong with it.

    `game` is the id that it names, if any.
    """

    number: int
    order: Order[Command] | Exception
    game: str | None = None


@action_lines.post("/actions")
def act_in_many_games() -> Response:
    """Play actions in the order of the lines; an answer for each, as soon as it is known."""
    actor = require_bearer().actor
    request_data.read_query()
    choose_media_type(NDJSON)
    if request.mimetype != NDJSON:
        raise WrongMediaType((NDJSON,))
    content = request_data.read_content()
    # Only now: who sends the body after the head has thought in between.
    received = get_service().games.clock()
    lines = list_lines(content)
    answers = stream_with_context(answer_lines(lines, actor, received))
    return Response(answers, headers={"Cache-Control": "no-store"}, mimetype=NDJSON)


def list_lines(content: bytes) -> Sequence[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1; raises TooManyLines."""
    lines = [(number, line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip()]
    if len(lines) > MOST_LINES:
        raise TooManyLines(MOST_LINES)
    return lines


def answer_lines(lines: Sequence[tuple[int, bytes]], actor: Actor, received: int) -> Iterator[str]:
    """Carry the lines out, several at a time, and yield the lines of the answer."""
    clock = get_service().games.clock
    reader = LineReader(actor, received)
    for answers in carry_out(lines, reader):
        answered = clock()
        yield answers
        # Who takes the answers slowly has thought in between.
        reader.received += clock() - answered


def carry_out(lines: Sequence[tuple[int, bytes]], reader: LineReader) -> Iterator[str]:
    """Carry the lines out, several at a time, and yield their answers in pieces."""
    batch = Batch(get_service().games, reader.actor)
    left = iter(lines)
    while part := list(islice(left, TOGETHER)):
        read = [reader.read(number, data) for number, data in part]
        orders = [line.order for line in read if isinstance(line.order, Order)]
        try:
            # All are carried out before the client can delay any of them.
            outcomes = iter(list(batch.execute(orders)))
            while read:
                yield write_piece(read, outcomes)
        except RedisError as error:
            # It is unknown whether any of these was carried out; the others are not tried.
            unknown = chain(read, (Line(number, error) for number, _ in left))
            yield "".join(write_unknown(line, error) for line in unknown)
            return


def write_piece(read: list[Line], outcomes: Iterator[Outcome]) -> str:
    """Take lines from the beginning of a list until their answers make a piece; return these."""
    answers: list[str] = []
    size = 0
    for line in read:
        answers.append(write_answer(line, find_outcome(line, outcomes)))
        size += len(answers[-1])
        if size >= PIECE:
            break
    del read[: len(answers)]
    return "".join(answers)


class LineReader:
    """Reads the lines of one request, each of which counts as a request for the rate limit.

    In games with clocks, actions count as received at `received`, in milliseconds since 1970 UTC:
    when the whole request was, plus the time for which the client has made the service wait since.
    """

    def __init__(self, actor: Actor, received: int) -> None:
        self.actor = actor
        self.received = received
        self._first = True

    def read(self, number: int, data: bytes) -> Line:
        """The order in a line, or what is wrong with it."""
        game = None
        try:
            self._count()
            if len(data) > LONGEST_LINE:
                raise LineTooLong(LONGEST_LINE)
            wish = parse_line(data)
            if isinstance(wish.get("game"), str):
                game = str(wish["game"])[:LONGEST_NAME]
            return Line(number, self._make_order(wish), game)
        except Exception as error:
            return Line(number, error, game)

    def _count(self) -> None:
        """Count a line; the first one was counted as the request."""
        limit = get_web().rate_limit
        if limit is not None and not self._first:
            limit.count()
        self._first = False

    def _make_order(self, wish: dict[str, Any]) -> Order[Command]:
        found = request_data.load_fields(LINE, wish)
        command = make_play(found, self.received)
        receipt = make_receipt(wish, self.actor) if found["key"] is not None else None
        return Order(found["game"], command, found["expected_version"], receipt)


def parse_line(data: bytes) -> dict[str, Any]:
    """The JSON object of a line; raises BadLine."""
    try:
        return request_data.parse_json(data)
    except MalformedJson as error:
        raise BadLine(error.reason.removeprefix("the body is ")) from error


def make_receipt(wish: dict[str, Any], actor: Actor) -> Receipt:
    """The receipt of a line with a key: for this player and this game."""
    secret = get_service().secret
    own = keyed_digest(secret, "key", actor.player, request.method, request.path, wish["key"])
    said = {name: value for name, value in wish.items() if name != "key"}
    return Receipt(own, keyed_digest(secret, "body", canonical(said)), 200, 0, 0)


Outcome = Done[GameState] | Exception


def find_outcome(line: Line, outcomes: Iterator[Outcome]) -> Outcome:
    """The outcome of a line; takes the next outcome for an order, and raises RedisError."""
    if not isinstance(line.order, Order):
        return line.order
    outcome = next(outcomes)
    if isinstance(outcome, RedisError):
        raise outcome
    if isinstance(outcome, AlreadyDone):
        try:
            return repeat_answer(line.order.id, outcome.receipt, line.order.receipt)
        except RedisError:
            raise
        except Exception as error:
            return error
    return outcome


def write_answer(line: Line, outcome: Outcome) -> str:
    """The line of the answer to a line."""
    if isinstance(outcome, Exception):
        return write_problem(line, outcome)
    state = outcome.state
    events = [public_part(stream_of(state.id), entry) for entry in outcome.recorded]
    body = {"line": line.number, "status": 200, "game": state.id, "version": state.version}
    return write_ndjson_line(body | {"events": events})


def write_problem(line: Line, error: Exception) -> str:
    """The answer line for a refused line: the problem that a request would get."""
    problem = describe(line, error).get_json()
    body = {"line": line.number, "status": problem["status"], "game": line.game}
    return write_ndjson_line(body | {"problem": problem})


def write_unknown(line: Line, error: RedisError) -> str:
    """The answer line for a line whose outcome is unknown, if it was an order."""
    return write_problem(line, error if isinstance(line.order, Order) else line.order)


def describe(line: Line, error: Exception) -> Response:
    """The problem for an error."""
    match error:
        case WrongExpectedVersion() if isinstance(line.order, Order):
            return answer_conflict(line.order.id, error, False)
        case ValidationError():
            return describe_validation_error(error)
        case RedisError():
            return describe_outage(error)
        case _ if type(error) in STATUSES:
            return describe_error(error)
    logger.error("line %s of a request for actions failed", line.number, exc_info=error)
    return describe_http_error(InternalServerError())
