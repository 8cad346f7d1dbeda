"""Ratings: Glicko-2 by variant, from the finished games of each closed period.

Periods have one length and begin with 1970 UTC; a game belongs to the one it ended in. Rated is
what two different players have played here, in challenges, for arbiters and in tournaments, and
not records and scribes' games, which anybody could make up: it has a winner or is drawn, did not
end by forfeit, and both had moved. A corrected result counts in the period in which the game
ended, and all periods from there on are computed anew; a reopened game counts in none until it ends
again (Ruling R35).

    rated:<variant>     sorted set: the rated games by when they ended
    ratings:<variant>   hash: period → player → what they had at its end, of those who played
    latest:<variant>    hash: player → what they had at the end of the last of their periods
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import redis
from redis.client import Pipeline

from engine.outcome import Termination
from engine.registry import VARIANTS
from service.game.state import GameState
from service.game.values import Mode
from service.projection.generation import Current
from service.projection.sorted_lists import Line, Lines
from service.rating.glicko2 import RatedGame, Rating, rate_period

MODES: Final = frozenset({Mode.CHALLENGE, Mode.ARBITER, Mode.TOURNAMENT})
SCORES: Final = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
BOTH_MOVED: Final = 2
REOPENED: Final = "reopened"
"""What is remembered of a game that counts nothing and was reopened: it may have counted before."""
CHUNK: Final = 5000
TAKE: Final = """
local least = redis.call('HGET', KEYS[1], ARGV[1])
local taken = redis.call('HGET', KEYS[1], 'taken ' .. ARGV[1])
if least and taken then least = math.min(tonumber(least), tonumber(taken)) end
least = least or taken
if not least then return false end
redis.call('HSET', KEYS[1], 'taken ' .. ARGV[1], least)
redis.call('HDEL', KEYS[1], ARGV[1])
return tostring(least)
"""
"""Take the mark of what has changed; until the work is done it stands as taken."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A player's rating at the end of a period in which they played so many `games`."""

    period: int
    rating: Rating
    games: int


def line(state: GameState) -> Line:
    """What a game counts for the ratings; a line in no set if nothing."""
    first, second = state.seats
    score = SCORES.get(state.ending.result) if state.ending else None
    counts = (
        state.mode in MODES
        and state.ending is not None
        and state.ending.termination != Termination.FORFEIT
        and state.plies >= BOTH_MOVED
        and first != second
    )
    if not counts or None in (first, second, score) or state.ended_at is None:
        return Line(state.id, state.version, text=REOPENED if state.reopened else "")
    text = f"{state.id} {first} {second} {score}"
    return Line(state.id, state.version, f"rated:{state.variant}", state.ended_at, text)


class Ratings:
    """The ratings in a store; periods are `length` milliseconds long."""

    def __init__(self, store: redis.Redis, length: int) -> None:
        self.store = store
        self.length = length
        self.lines = Lines(store, "rated-games")
        self._current = Current(store)
        self._take = store.register_script(TAKE)

    def write(self, states: Iterable[GameState], generation: int | None = None) -> None:
        """Write what these games count; see `Lines.write`."""
        counted = (
            state
            for state in states
            if state.mode in MODES and (state.ended_at is not None or state.reopened)
        )
        self.lines.write(map(line, counted), generation)

    def close(self, now: int, generation: int | None = None) -> None:
        """Compute what has changed of the periods that are over at `now`."""
        base = self.lines.base(generation)
        for variant in VARIANTS:
            name = f"rated:{variant}"
            least: Any = self._take(keys=[f"{base}changed"], args=[name])
            if least is not None:
                self._compute(base, variant, int(float(least)) // self.length, now // self.length)
                self.store.hdel(f"{base}changed", f"taken {name}")

    def _compute(self, base: str, variant: str, first: int, current: int) -> None:
        """Compute the periods from `first` up to the `current` one, which is not over."""
        key = f"{base}ratings:{variant}"
        periods = _periods(self.store.hgetall(key))
        gone = [str(period) for period in periods if period >= first]
        table: dict[str, Rated] = {}
        for period, players in sorted(periods.items()):
            if period < first:
                table.update(players)
        made: dict[str, str] = {}
        games = self._games(f"{base}rated:{variant}", first * self.length, current * self.length)
        for period, of_period in groupby(games, key=lambda one: one[0]):
            result = rated(table, period, [game for _, game in of_period])
            table.update(result)
            made[str(period)] = _json(result)
        pipeline = self.store.pipeline()
        if gone:
            pipeline.hdel(key, *gone)
        for period_told, text in made.items():
            pipeline.hset(key, period_told, text)
        latest = f"{base}latest:{variant}"
        pipeline.delete(latest)
        if table:
            pipeline.hset(latest, mapping={player: _latest(table[player]) for player in table})
        pipeline.sadd(f"{base}keys", f"ratings:{variant}", f"latest:{variant}")
        pipeline.execute()
        self._mark_open(base, variant, current * self.length)

    def _mark_open(self, base: str, variant: str, since: int) -> None:
        """Games of the period that is not over are still to be counted."""
        name = f"rated:{variant}"
        key = f"{base}{name}"
        found: Any = self.store.zrangebyscore(key, since, "+inf", 0, 1, withscores=True)
        if found:
            self.store.hsetnx(f"{base}changed", name, int(found[0][1]))

    def _games(self, key: str, since: int, until: int) -> Iterator[tuple[int, RatedGame]]:
        """The games that ended in a time, with their periods, in the order of these."""
        start = 0
        while True:
            found: Any = self.store.zrangebyscore(
                key, since, f"({until}", start, CHUNK, withscores=True
            )
            for member, ended in found:
                id, first, second, score = member.decode().split()
                yield int(ended) // self.length, RatedGame(id, first, second, float(score))
            if len(found) < CHUNK:
                return
            start += CHUNK

    def current(self, variant: str, now: int) -> dict[str, Rated]:
        """What everybody has at the end of the last closed period, by player."""
        [stored] = self._current.fetch(lambda ask, base: ask.hgetall(f"{base}latest:{variant}"))
        return {
            player.decode(): self._as_of(_read_latest(text), now) for player, text in stored.items()
        }

    def of(self, players: Sequence[str], now: int) -> dict[str, dict[str, Rated]]:
        """What these players have then, by player and variant."""
        found: dict[str, dict[str, Rated]] = {player: {} for player in players}
        if not players:
            return found

        def ask(pipeline: Pipeline, base: str) -> None:
            for variant in VARIANTS:
                pipeline.hmget(f"{base}latest:{variant}", list(players))

        for variant, texts in zip(VARIANTS, self._current.fetch(ask), strict=True):
            for player, text in zip(players, texts, strict=True):
                if text is not None:
                    found[player][variant] = self._as_of(_read_latest(text), now)
        return found

    def _as_of(self, one: Rated, now: int) -> Rated:
        """A rating at the end of the last period that is closed."""
        last = now // self.length - 1
        return Rated(one.period, idle(one.rating, last - one.period), one.games)

    def history(self, variant: str, player: str) -> list[Rated]:
        """A player's ratings after each period in which they played, oldest first."""
        [found] = self._current.fetch(lambda ask, base: ask.hgetall(f"{base}ratings:{variant}"))
        stored = _periods(found)
        return [players[player] for _, players in sorted(stored.items()) if player in players]


def rated(table: Mapping[str, Rated], period: int, games: Sequence[RatedGame]) -> dict[str, Rated]:
    """The ratings of those who played in a period, from what everybody had after their last."""
    # Whatever order the games came in, they are counted in this one.
    ordered = sorted(games, key=lambda game: game.id)
    players = sorted({player for game in ordered for player in (game.first, game.second)})
    before = {
        player: idle(table[player].rating, period - table[player].period - 1)
        for player in players
        if player in table
    }
    after = rate_period(before, ordered)
    count = {p: sum(p in (game.first, game.second) for game in ordered) for p in players}
    return {player: Rated(period, after[player], count[player]) for player in players}


def idle(rating: Rating, periods: int) -> Rating:
    """A rating after so many periods without a game: less and less certain."""
    for _ in range(periods):
        waited = rate_period({"": rating}, ())[""]
        if waited == rating:
            break
        rating = waited
    return rating


def _latest(one: Rated) -> str:
    return json.dumps([one.period, *_numbers(one)], separators=(",", ":"))


def _read_latest(text: bytes) -> Rated:
    period, rating, deviation, volatility, games = json.loads(text)
    return Rated(period, Rating(rating, deviation, volatility), games)


def _numbers(one: Rated) -> list[float]:
    return [one.rating.rating, one.rating.deviation, one.rating.volatility, one.games]


def _json(players: Mapping[str, Rated]) -> str:
    values = {player: _numbers(one) for player, one in players.items()}
    return json.dumps(values, sort_keys=True, separators=(",", ":"))


def _periods(stored: Any) -> dict[int, dict[str, Rated]]:
    """The stored ratings by period and player."""
    return {int(period): _from_json(int(period), text) for period, text in stored.items()}


def _from_json(period: int, text: bytes) -> dict[str, Rated]:
    return {
        player: Rated(period, Rating(rating, deviation, volatility), games)
        for player, (rating, deviation, volatility, games) in json.loads(text).items()
    }
