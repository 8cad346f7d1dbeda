"""Pairs of games between two players from one random opening, with sides swapped."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from random import Random

from engine.outcome import Outcome
from engine.position import Position
from engine.registry import find_variant
from engine.side import Side
from notation.agreement import Agreement, lost_on_time
from service.selfplay.opening import make_balanced_opening, make_opening
from service.selfplay.parent_watch import end_with_parent
from service.selfplay.player import Player, choose_timer, make_player
from service.selfplay.setting import Setting

SEATS = 2


@dataclass(frozen=True, slots=True)
class Match:
    """The terms of a match: `opening_plies` random actions first, a draw at `ply_limit` plies.

    With `most_chance` only openings are played that leave neither side a greater chance to win. If
    a game's draws may go to the side with more points, they do. Both players know what either has
    chosen in secret. The same match gives the same games if the limits are in nodes or depth.
    """

    variant: str
    players: tuple[Setting, Setting]
    seed: int = 0
    opening_plies: int = 8
    ply_limit: int = 400
    most_chance: float | None = None

    def make_opening(self, random: Random) -> Position:
        """An opening of a pair; raises `service.selfplay.errors.NoOpening`."""
        variant = find_variant(self.variant)
        if self.most_chance is None:
            return make_opening(variant, random, self.opening_plies)
        return make_balanced_opening(variant, random, self.opening_plies, self.most_chance)


@dataclass(frozen=True, slots=True)
class GameScore:
    """One game: the first player's score, from 0 to 1, its length, and how it ended."""

    points: float
    plies: int
    termination: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two games from one opening; nodes and seconds are what each player used.

    The seconds are those of `choose_timer`, except that a level's are always processor time.
    """

    games: tuple[GameScore, GameScore]
    nodes: tuple[int, int]
    seconds: tuple[float, float]

    @property
    def share(self) -> float:
        """The first player's share of the two points."""
        return sum(game.points for game in self.games) / SEATS


def play_game(
    position: Position, players: tuple[Player, Player], agreed: Agreement
) -> tuple[Outcome, int]:
    """Play on to the end, `players` in order of the sides; returns outcome and plies.

    A player whose time has run out has lost.
    """
    plies = 0
    while (outcome := agreed.outcome(position, plies)) is None:
        side = position.side
        clock = players[side].clock
        action = players[side].choose(position)
        if clock is not None and clock.has_fallen:
            flagged = lost_on_time(position, Side(side))
            return agreed.settle_draw(flagged, position.points()), plies
        position.play(action)
        if position.side != side:
            plies += 1
            if clock is not None:
                clock.press()
    return outcome, plies


def play_pair(match: Match, number: int) -> Pair:
    """The pair of games with this number, from 0; raises as `Match.make_opening` does."""
    variant = find_variant(match.variant)
    random = Random(f"{match.seed} {number}")
    begun = match.make_opening(random)
    agreed = Agreement(match.ply_limit, variant.draw_by_points)
    timer = choose_timer(match.players)
    games: list[GameScore] = []
    nodes, seconds = [0, 0], [0.0, 0.0]
    for first in range(SEATS):
        players = [
            make_player(variant, match.players[seat], random.getrandbits(32), timer)
            for seat in range(SEATS)
        ]
        try:
            outcome, plies = play_game(begun.copy(), (players[first], players[1 - first]), agreed)
        finally:
            for player in players:
                player.close()
        for seat, player in enumerate(players):
            nodes[seat] += player.nodes
            seconds[seat] += player.seconds
        points = 0.5 if outcome.winner is None else float(outcome.winner == first)
        games.append(GameScore(points, plies, outcome.termination))
    return Pair((games[0], games[1]), (nodes[0], nodes[1]), (seconds[0], seconds[1]))


def play(match: Match, pairs: int, processes: int) -> Iterator[Pair]:
    """The pairs of a match, in order, as `processes` processes play them.

    When the caller stops asking for pairs, games that are being played are given up. The processes
    end with this one.
    """
    if processes == 1:
        yield from (play_pair(match, number) for number in range(pairs))
        return
    others = multiprocessing.active_children()
    with ProcessPoolExecutor(processes, initializer=end_with_parent) as pool:
        numbers = iter(range(pairs))
        running: list[Future[Pair]] = []
        try:
            running += [pool.submit(play_pair, match, n) for n in islice(numbers, 2 * processes)]
            while running:
                done = running.pop(0).result()
                running += [pool.submit(play_pair, match, n) for n in islice(numbers, 1)]
                yield done
        except BaseException:  # GeneratorExit as well
            for process in multiprocessing.active_children():
                if process not in others:
                    process.kill()
            raise
