"""`/api/v1/merge-suggestions`, and the admins' decisions on them: one person, or two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from flask import Blueprint, Response

from service.api import request_data
from service.api.context import get_service, require
from service.api.players import render_player
from service.api.responses import make_page, respond_json
from service.api.schemas.players import MergeSchema
from service.api.schemas.queries import PageSchema
from service.api.views import render_person
from service.player.names.shown import ShownName
from service.player.scopes import ADMIN
from service.projection.merge_suggestions import Candidate, Suggestion
from service.tournament import merging as mergers

merging = Blueprint("merging", __name__, url_prefix="/api/v1")

MERGE: Final = MergeSchema()
PAGE: Final = PageSchema()
CATCH_UP: Final = 1.0
"""Seconds for which a merger waits until the lists are as new as the log."""


@merging.get("/merge-suggestions")
def list_merge_suggestions() -> Response:
    """List players known from records who may be one person; for admins."""
    require(ADMIN)
    found = request_data.read_query(PAGE)
    page = get_service().merge_suggestions.page(found.get("cursor"), found["limit"])
    pairs = [(one.player.id, one.other.id) for one in page.suggestions]
    names = get_service().namesakes.shown(id for pair in pairs for id in pair)
    items = [render_suggestion(one, names) for one in page.suggestions]
    return respond_json(make_page(items, page.next_cursor))


@merging.post("/players/<id:id>/merge")
def merge(id: str) -> Response:
    """Merge a player known from records alone into another one; for admins.

    Refused where a tournament has entered both.
    """
    who = require(ADMIN)
    into = request_data.read_body(MERGE)["into"]
    among = list_tournaments_of(id)
    mergers.merge(
        get_service().players, get_service().tournaments, among, id, into, who.actor.player
    )
    return respond_json(render_player(get_service().players.load(id)))


def list_tournaments_of(player: str) -> Iterable[str]:
    """The ids of the tournaments that a player, or somebody merged into them, has entered.

    While the lists are behind the log, these are the ids of all tournaments, so that none is missed
    that was entered a moment ago.
    """
    heads = get_service().log.feed_positions()
    if get_service().checkpoints.wait_until(heads, CATCH_UP):
        return get_service().tournament_list.entered_by(player)
    return get_service().tournament_list.ids()


@merging.delete("/players/<id:id>/merge")
def part_players(id: str) -> Response:
    """Take a merger back."""
    request_data.read_query()
    who = require(ADMIN)
    get_service().players.part(id, who.actor.player)
    return respond_json(render_player(get_service().players.load(id)))


@merging.put("/players/<id:id>/distinct/<id:other>")
def distinguish_players(id: str, other: str) -> Response:
    """Note that two players are not one person, so that their merger is not suggested any more."""
    request_data.read_query()
    who = require(ADMIN)
    get_service().players.distinguish(id, other, who.actor.player)
    return Response(status=204)


def render_suggestion(one: Suggestion, names: Mapping[str, ShownName]) -> dict[str, Any]:
    """Two players with the evidence that they are one, and that against it."""
    return {
        "player": render_candidate(one.player, names),
        "other": render_candidate(one.other, names),
        "reason": one.reason,
        "likelihood": one.likelihood,
        "met": one.met,
    }


def render_candidate(one: Candidate, names: Mapping[str, ShownName]) -> dict[str, Any]:
    """One of two players who may be one person."""
    return {**render_person(one.id, names), "claimed": one.claimed, "games": one.games}
