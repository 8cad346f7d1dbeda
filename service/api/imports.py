"""`POST /api/v1/imports`: records in, a verdict a game out."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import islice
from typing import Any

from flask import Blueprint, Response, request

from notation.errors import BadAnnotation
from notation.game import Game
from notation.reader import Verdict, read
from service.api import bodies
from service.api.answers import PGN, TEXT, json_response
from service.api.context import check_same, receipt, require, service
from service.api.refusals import WrongMediaType
from service.errors import BadValue
from service.game.commands import Actor
from service.game.importing import import_command, players_in
from service.ids import derived_id, keyed_digest, new_id
from service.log.errors import AlreadyDone
from service.log.values import Append, Receipt, StreamId
from service.player.changes import check_recorded_name
from service.scopes import PLAY

imports = Blueprint("imports", __name__, url_prefix="/api/v1")

KIND = "import"
"""The kind of the streams that hold the receipts of imports, and no event."""
MOST_GAMES = 1000
"""Records in one request; a larger file is sent in parts."""


@imports.post("/imports")
def take_in() -> Response:
    """Read records and take in the good ones; the others are told with place and reason.

    The answer has one entry a game, in the file's order. With an Idempotency-Key a request that
    broke off is finished by sending it again.
    """
    actor = require(PLAY).actor
    bodies.parameters()
    if request.mimetype not in (PGN, TEXT):
        raise WrongMediaType([PGN, TEXT])
    verdicts = list(islice(read(io.BytesIO(request.get_data())), MOST_GAMES + 1))
    if len(verdicts) > MOST_GAMES:
        raise BadValue("body", f"more than {MOST_GAMES} games; send them in parts")
    asked = receipt(actor.player, 200)
    if asked is not None:
        claim(asked)
    items = [verdict_view(verdict, actor, asked) for verdict in verdicts]
    accepted = sum(item["status"] == "accepted" for item in items)
    counts = {"accepted": accepted, "quarantined": len(items) - accepted}
    return json_response({"counts": counts, "items": items})


def claim(asked: Receipt) -> None:
    """Note which body the key came with, before any of it is taken in; raises KeyReused."""
    stream = StreamId(KIND, derived_id(service().secret, KIND, asked.key))
    now = service().games.clock()
    try:
        service().log.append(
            Append(stream=stream, expected=0, events=(), at=now, by="", receipt=asked)
        )
    except AlreadyDone as error:
        check_same(error.receipt, asked)


def verdict_view(verdict: Verdict, actor: Actor, asked: Receipt | None) -> dict[str, Any]:
    """What became of one game of the file."""
    found: dict[str, Any] = {"number": verdict.number, "line": verdict.line}
    error = verdict.error
    if error is None:
        try:
            id = imported(verdict.game, verdict.number, actor, asked)
            return found | {"status": "accepted", "game": id}
        except (BadValue, BadAnnotation) as refused:
            return found | {
                "status": "quarantined",
                "code": refused.code,
                "detail": str(refused),
            }
    return found | {
        "status": "quarantined",
        "code": error.code,
        "detail": error.reason,
        "line": error.line,
        "column": error.column,
        "ply": error.ply,
        "token": error.token,
        "nearest": list(error.nearest),
    }


def imported(game: Game, number: int, actor: Actor, asked: Receipt | None) -> str:
    """Take in one game and return its id; a request sent again finds the id it made.

    Raises BadValue or BadAnnotation, and then has changed nothing.
    """
    names = players_in(game)
    for name in names:
        if name is not None:
            check_recorded_name(name)
    command = import_command(game, None, None)
    first, second = (
        None if name is None else service().players.unclaimed(name, actor.player) for name in names
    )
    command = replace(command, first=first, second=second)
    if asked is None:
        id, own = new_id(), None
    else:
        id = derived_id(service().secret, KIND, asked.key, str(number))
        digest = keyed_digest(service().secret, "part", asked.key, str(number))
        own = Receipt(digest, asked.fingerprint, asked.status, 0, 0)
    try:
        service().games.create(id, command, actor, own)
    except AlreadyDone as error:
        assert asked is not None
        check_same(error.receipt, asked)
    return id
