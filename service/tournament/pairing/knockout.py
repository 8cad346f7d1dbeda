"""Knockout: a seeded bracket, played in rounds of one game per tie.

Nothing is kept besides the table: two entrants meet in at most one tie, so their meetings show how
it stands, and the ties of a stage determine who meets in the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import inf
from typing import Final

from engine.side import Side
from service.errors import BadValue
from service.tournament.pairing.board import PairedBoard, PairedRound, require_results
from service.tournament.pairing.bracket import Bracket, Decision, Tie
from service.tournament.pairing.errors import NothingToPair, TooFewEntrants
from service.tournament.scheme import ScoringScheme
from service.tournament.table import EntrantId, Mark, Meeting, Table

STAYED: Final = inf
"""The round from which an entrant who has not withdrawn no longer plays."""


@dataclass(frozen=True, slots=True)
class KnockoutRules:
    """How a tie is decided.

    The two play `games` games with sides swapped each time; more match points win, then, with
    `by_game_points`, more game points, those of forfeits included. A level tie has up to `deciders`
    further games, one per round; if it is still level, the better seed advances. A player who
    withdraws before that loses the tie; if both withdraw, the first to do so loses. With
    `third_place` the losing semifinalists play as well. Raises `BadValue` for fewer than one game
    or a negative number of deciders.
    """

    games: int = 1
    by_game_points: bool = False
    deciders: int = 1
    third_place: bool = False

    def __post_init__(self) -> None:
        if self.games < 1:
            raise BadValue("knockout.games", "a tie has at least one game")
        if self.deciders < 0:
            raise BadValue("knockout.deciders", "cannot be negative")


def pair_knockout(table: Table, scheme: ScoringScheme, rules: KnockoutRules) -> PairedRound:
    """The boards of round `table.rounds + 1`: one game for every undecided tie.

    In a tie's first game the first side goes to the player who has had it less often, else to the
    better seed; then they swap sides. `resting` are those who advance without a game, named in the
    stage's first round. Raises `UnfinishedRound`, `TooFewEntrants`, and `NothingToPair` once all is
    decided.
    """
    require_results(table)
    drawn = bracket(table, scheme, rules)
    if not drawn.open:
        raise NothingToPair
    begun = any(tie.meetings for tie in drawn.stages[-1])
    resting = [
        tie.winner
        for tie in drawn.stages[-1]
        if tie.decision is Decision.WALKOVER and tie.winner and not begun
    ]
    return PairedRound(tuple(_board(table, tie) for tie in drawn.open), tuple(resting))


def bracket(table: Table, scheme: ScoringScheme, rules: KnockoutRules) -> Bracket:
    """The bracket as far as it is known: a stage is drawn once the one before is decided.

    The first is drawn by seed, 1 against the last and so on; if the number of entrants is not a
    power of two, the best seeds have no opponent in it. Raises `TooFewEntrants`.
    """
    entrants = sorted(
        (each for each in table.entrants if table.withdrawn.get(each.id, 2) > 1),
        key=lambda entrant: entrant.seed,
    )
    if len(entrants) < 2:
        raise TooFewEntrants(len(entrants))
    judge = _Judge(table, scheme, rules, [each.id for each in entrants])
    order = _draw(1 << (len(entrants) - 1).bit_length())
    line: list[EntrantId | None] = [
        entrants[seed - 1].id if seed <= len(entrants) else None for seed in order
    ]
    stages: list[tuple[Tie, ...]] = []
    while True:
        stage = tuple(judge.tie(line[at], line[at + 1]) for at in range(0, len(line), 2))
        stages.append(stage)
        if len(stage) == 1 or any(tie.decision is None for tie in stage):
            break
        line = [tie.winner for tie in stage]
    third = None
    if rules.third_place and len(stages[-1]) == 1 and len(stages) > 1:
        losers = [next(iter(tie.losers), None) for tie in stages[-2]]
        third = judge.tie(losers[0], losers[1])
    return Bracket(tuple(stages), third)


def _draw(size: int) -> list[int]:
    """Seeds down the bracket's first column, so that the best meet as late as possible.

    >>> _draw(8)
    [1, 8, 4, 5, 2, 7, 3, 6]
    """
    order = [1]
    while len(order) < size:
        order = [each for seed in order for each in (seed, 2 * len(order) + 1 - seed)]
    return order


class _Judge:
    """Determines how a tie stands, from the meetings of its two entrants."""

    def __init__(
        self, table: Table, scheme: ScoringScheme, rules: KnockoutRules, by_seed: list[EntrantId]
    ) -> None:
        soon = table.rounds + 1
        self._scheme = scheme
        self._rules = rules
        self._seeds = {entrant: seed for seed, entrant in enumerate(by_seed)}
        self._left = {
            entrant: since if (since := table.withdrawn.get(entrant, STAYED)) <= soon else STAYED
            for entrant in by_seed
        }
        self._meetings: dict[frozenset[EntrantId], list[Meeting]] = {}
        for meeting in sorted(table.meetings, key=lambda meeting: (meeting.round, meeting.board)):
            pair = frozenset((meeting.first, meeting.second))
            self._meetings.setdefault(pair, []).append(meeting)

    def tie(self, one: EntrantId | None, other: EntrantId | None) -> Tie:
        """The tie of these two as it stands."""
        there = sorted((each for each in (one, other) if each), key=self._seeds.__getitem__)
        if len(there) < 2:
            lone = there[0] if there else None
            return Tie(lone, None, winner=lone, decision=Decision.WALKOVER)
        high, low = there
        meetings = tuple(self._meetings.get(frozenset((high, low)), ()))
        marks = [(_mark(meeting, high), _mark(meeting, low)) for meeting in meetings]
        worth = self._scheme.match
        tie = Tie(
            high,
            low,
            meetings,
            (
                sum((worth[mark] for mark, _ in marks if mark), Decimal(0)),
                sum((worth[mark] for _, mark in marks if mark), Decimal(0)),
            ),
            (self._game_points(meetings, high), self._game_points(meetings, low)),
        )
        return self._decided(tie, high, low)

    def _game_points(self, meetings: Sequence[Meeting], entrant: EntrantId) -> int:
        return sum(
            self._scheme.count_game_points(meeting.result, meeting.points)[_side(meeting, entrant)]
            for meeting in meetings
            if meeting.result
        )

    def _decided(self, tie: Tie, high: EntrantId, low: EntrantId) -> Tie:
        if any(meeting.result is None for meeting in tie.meetings):
            return tie
        left = self._rules.games - len(tie.meetings)
        lead = tie.score[0] - tie.score[1]
        reach = max(left, 0) * self._scheme.largest_difference
        if abs(lead) > reach:
            winner = high if lead > 0 else low
            return replace(tie, winner=winner, decision=Decision.MATCH_POINTS)
        more = tie.game_points[0] - tie.game_points[1]
        if left <= 0 and self._rules.by_game_points and more:
            winner = high if more > 0 else low
            return replace(tie, winner=winner, decision=Decision.GAME_POINTS)
        if left + self._rules.deciders <= 0:
            return replace(tie, winner=high, decision=Decision.SEED)
        if self._left[high] == self._left[low] == STAYED:
            return tie
        longer = max(self._left[high], self._left[low])
        stayed = [each for each in (high, low) if self._left[each] == longer]
        winner_or_none = stayed[0] if len(stayed) == 1 else None
        return replace(tie, winner=winner_or_none, decision=Decision.WITHDRAWAL)


def _board(table: Table, tie: Tie) -> PairedBoard:
    assert tie.high  # an open tie has both
    assert tie.low
    if tie.meetings:
        last = tie.meetings[-1]
        return PairedBoard(last.second, last.first)
    firsts = [meeting.first for meeting in table.meetings]
    if firsts.count(tie.high) > firsts.count(tie.low):
        return PairedBoard(tie.low, tie.high)
    return PairedBoard(tie.high, tie.low)


def _mark(meeting: Meeting, entrant: EntrantId) -> Mark | None:
    return meeting.result.mark(_side(meeting, entrant)) if meeting.result else None


def _side(meeting: Meeting, entrant: EntrantId) -> Side:
    return Side.FIRST if meeting.first == entrant else Side.SECOND
