"""Knockout: a seeded bracket, played in rounds of one game a tie."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnockoutRules:
    """How a tie is decided.

    Two meet in `games` games with sides exchanged each time; more match points win, then, with
    `by_game_points`, more game points. A level tie has up to `deciders` further games, one a
    round; if it is still level, the better seed goes on. With `third_place` the losing
    semifinalists play as well.
    """

    games: int = 1
    by_game_points: bool = False
    deciders: int = 1
    third_place: bool = False
