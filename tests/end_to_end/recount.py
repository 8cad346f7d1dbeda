"""Recounts a tournament from what anybody can export: its records and its report.

No code here is the service's: the records' tags and the report's columns (TRF16) are read by their
published formats, and the numbers are computed by their definitions. Everybody must have played
every round.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

SIDES = {
    "kerd": ("White", "Black"),
    "kerd-draft": ("White", "Black"),
    "kerak": ("Red", "Blue"),
    "katruji": ("South", "North"),
}
POINTS = {"1": Fraction(1), "=": Fraction(1, 2), "0": Fraction(0)}
CODES = {"1-0": ("1", "0"), "0-1": ("0", "1"), "1/2-1/2": ("=", "=")}
TAG = re.compile(r'^\[(\w+) "(.*)"\]$', re.MULTILINE)


@dataclass
class Player:
    """A line of the report: the player's opponent, side and result in each round."""

    number: int
    name: str
    points: Fraction
    rank: int
    rounds: list[tuple[int, str, str]]
    game_points: int = 0
    won: list[Fraction] = field(default_factory=list)


def read_report(text: str) -> dict[int, Player]:
    """The players of a report by starting number."""
    players = {}
    for line in text.splitlines():
        if line.startswith("001"):
            number = int(line[4:8])
            cells = re.findall(r"(\d{4}|   \d|  \d\d| \d{3}) ([wb]) ([10=])", line[89:])
            players[number] = Player(
                number=number,
                name=line[14:47].strip(),
                points=Fraction(line[80:84].strip()),
                rank=int(line[85:89]),
                rounds=[(int(opponent), side, result) for opponent, side, result in cells],
            )
    return players


def read_records(text: str) -> list[dict[str, str]]:
    """The tags of each record."""
    return [dict(TAG.findall(part)) for part in re.split(r"\n\n(?=\[Event )", text)]


def count(records: str, report: str, *, game_points: bool) -> dict[str, tuple[Fraction, ...]]:
    """By name: match points, game points if wanted, Buchholz, Sonneborn-Berger, progressive, wins.

    Records and report must agree on every game.
    """
    players = read_report(report)
    check(players, read_records(records))
    for player in players.values():
        player.won = [POINTS[result] for _, _, result in player.rounds]
        assert sum(player.won) == player.points
    return {player.name: numbers(player, players, game_points) for player in players.values()}


def check(players: Mapping[int, Player], records: list[dict[str, str]]) -> None:
    """Check that report and records have the same games with the same results."""
    numbers = {player.name: player.number for player in players.values()}
    told = 0
    for tags in records:
        first, second = SIDES[tags["Variant"]]
        seats = players[numbers[tags[first]]], players[numbers[tags[second]]]
        index = int(tags["Round"]) - 1
        for own, other, side, code in zip(
            seats, seats[::-1], "wb", CODES[tags["Result"]], strict=True
        ):
            matching = (other.number, side, code)
            assert own.rounds[index] == matching, f"{own.name}, round {index + 1}: {tags}"
            told += 1
        for player, title in zip(seats, (first, second), strict=True):
            player.game_points += int(tags.get(f"{title}Points", "0"))
    assert told == sum(len(player.rounds) for player in players.values())


def numbers(
    player: Player, players: Mapping[int, Player], game_points: bool
) -> tuple[Fraction, ...]:
    """The numbers that a player is ranked by."""
    against = [
        (players[opponent].points, won)
        for (opponent, _, _), won in zip(player.rounds, player.won, strict=True)
    ]
    progressive = [sum(player.won[:n], Fraction(0)) for n in range(1, len(player.won) + 1)]
    return (
        player.points,
        *((Fraction(player.game_points),) if game_points else ()),
        sum((points for points, _ in against), Fraction(0)),
        sum((points * won for points, won in against), Fraction(0)),
        sum(progressive, Fraction(0)),
        Fraction(sum(won == 1 for won in player.won)),
    )
