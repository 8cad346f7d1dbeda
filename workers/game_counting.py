"""Counting finished games for their tournaments."""

from __future__ import annotations

from service.game.permissions import SCORER
from service.game.state import GameState
from service.game.values import Mode
from service.player.actor import Actor
from service.tournament.commands import CountGame
from service.tournament.counted_games import summarise_game
from service.tournament.errors import CannotJoin, NotTheArbiter, TournamentOver
from service.tournament.joining import read_round
from service.tournament.repository import Tournaments


def count_for_tournament(tournaments: Tournaments, game: GameState) -> bool:
    """Count an ended and scored game if it belongs to a tournament; returns whether that changed.

    A reopened game does not count until it ends again (Ruling R35). Doing it again changes nothing,
    and an older state of a game never replaces a newer one.
    """
    id = tournaments.of_game(game)
    if id is None:
        return game.mode is Mode.IMPORT and join(tournaments, game)
    return bool(
        tournaments.execute(id, CountGame(game=summarise_game(game)), Actor(SCORER)).recorded
    )


def join(tournaments: Tournaments, game: GameState) -> bool:
    """Let an imported game count where its tags say so (`service.tournament.joining`)."""
    id = tournaments.named(game)
    if id is None:
        return False
    round = read_round(game.tags, tournaments.load(id).rules.kind)
    if round is None:
        return False
    try:
        return bool(tournaments.join(id, game, round, Actor(game.creator), record=True).recorded)
    except (CannotJoin, NotTheArbiter, TournamentOver):
        return False
