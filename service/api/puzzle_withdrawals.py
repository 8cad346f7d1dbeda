"""`/api/v1/puzzles/{id}/withdrawal`: puzzles withdrawn by admins, and restored."""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, Response

from service.api import request_data
from service.api.context import get_service, require
from service.api.responses import make_page, respond_json
from service.api.schemas.puzzles import WithdrawalSchema
from service.api.schemas.queries import PageSchema
from service.errors import NotFound
from service.log.chain import when
from service.player.scopes import ADMIN
from service.projection.puzzles.withdrawal_list import ListedWithdrawal
from service.puzzles.errors import WithdrawnPuzzle
from service.puzzles.puzzle import ID
from service.puzzles.withdrawals.commands import WithdrawPuzzle
from service.puzzles.withdrawals.state import Withdrawal

puzzle_withdrawals = Blueprint("puzzle_withdrawals", __name__, url_prefix="/api/v1/puzzles")

WITHDRAWAL: Final = WithdrawalSchema()
PAGE: Final = PageSchema()


@puzzle_withdrawals.get("/withdrawals")
def list_withdrawals() -> Response:
    """The withdrawn puzzles, newest withdrawal first; for admins."""
    require(ADMIN)
    found = request_data.read_query(PAGE)
    page = get_service().withdrawal_list.page(found.get("cursor"), found["limit"])
    return respond_json(make_page(list(map(render_listed, page.withdrawals)), page.next_cursor))


@puzzle_withdrawals.put("/<puzzle>/withdrawal")
def withdraw(puzzle: str) -> Response:
    """Withdraw a puzzle; for admins."""
    who = require(ADMIN)
    reason = request_data.read_body(WITHDRAWAL)["reason"]
    service = get_service()
    try:
        variant = service.puzzle_list.find(puzzle).puzzle.variant
    except WithdrawnPuzzle:
        variant = service.withdrawals.load(puzzle).variant
    command = WithdrawPuzzle(variant=variant, reason=reason)
    return respond_json(
        render_withdrawal(service.withdrawals.withdraw(puzzle, command, who.actor.player))
    )


@puzzle_withdrawals.delete("/<puzzle>/withdrawal")
def restore(puzzle: str) -> Response:
    """Restore a withdrawn puzzle; for admins."""
    request_data.read_query()
    who = require(ADMIN)
    if not ID.fullmatch(puzzle):
        raise NotFound("puzzle", puzzle)
    return respond_json(
        render_withdrawal(get_service().withdrawals.restore(puzzle, who.actor.player))
    )


def render_withdrawal(state: Withdrawal) -> dict[str, Any]:
    """A puzzle that is withdrawn, or was."""
    listed = ListedWithdrawal(state.id, state.variant, state.reason, state.updated_at)
    return {**render_listed(listed), "withdrawn": state.in_force}


def render_listed(one: ListedWithdrawal) -> dict[str, Any]:
    """A puzzle that is withdrawn."""
    return {
        "puzzle": one.puzzle,
        "variant": one.variant,
        "withdrawn": True,
        "reason": one.reason,
        "at": when(one.at),
    }
