"""The outcomes of games: by result, and with their ratings."""

from __future__ import annotations

from dataclasses import dataclass, field

from service.projection.games.play import RESULTS


@dataclass(slots=True)
class Tally:
    """Games by result, and the sum of the ratings of those that have one."""

    results: dict[str, int] = field(default_factory=lambda: dict.fromkeys(RESULTS, 0))
    rating_sum: int = 0
    rated: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self.results.values())

    @property
    def rating(self) -> int | None:
        """The mean rating of the games that have one, rounded down."""
        return self.rating_sum // self.rated if self.rated else None

    def count(self, result: str, rating: int) -> None:
        """Add a game; a rating of 0 means none."""
        self.results[result] += 1
        if rating:
            self.rating_sum += rating
            self.rated += 1

    def add(self, other: Tally) -> None:
        """Add the games of another tally."""
        for result, games in other.results.items():
            self.results[result] += games
        self.rating_sum += other.rating_sum
        self.rated += other.rated
