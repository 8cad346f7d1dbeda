"""Scoring schemes: what each outcome of a round is worth, under a name and a version.

Match points have one decimal place, as FIDE's reports write them. Game points are what the games
themselves count (captured piece values, points scored); a scheme only says how many an unplayed
round brings. A tournament's events contain its whole scheme, so a new version of a name changes no
old table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Final

from engine.phrase import phrase
from engine.side import Side
from service.errors import BadValue
from service.tournament.table import PLAYED, Mark, Result

LIMIT: Final = Decimal(100)
"""No result is worth more than this, nor less than its negative."""


@dataclass(frozen=True, slots=True)
class ScoringScheme:
    """The worth of a round by its mark: `match` has all nine, `game` the unplayed ones not 0."""

    name: str
    version: int
    match: Mapping[Mark, Decimal]
    game: Mapping[Mark, int] = field(default_factory=dict)

    @property
    def largest_difference(self) -> Decimal:
        """The most match points that one result gives a player more than the opponent.

        >>> THREE_POINTS.largest_difference
        Decimal('3')
        """
        return max(
            abs(self.match[result.mark(Side.FIRST)] - self.match[result.mark(Side.SECOND)])
            for result in Result
        )

    def count_game_points(self, result: Result, points: tuple[int, int] | None) -> tuple[int, int]:
        """The game points of both sides: the game's `points`, or the scheme's if it was unplayed.

        >>> ScoringScheme("own", 1, {}, {Mark.FORFEIT_WIN: 6}).count_game_points(
        ...     Result.SECOND_FORFEIT, None
        ... )
        (0, 6)
        """
        if result.played:
            return points or (0, 0)
        first, second = result.mark(Side.FIRST), result.mark(Side.SECOND)
        return self.game.get(first, 0), self.game.get(second, 0)


def _scheme(name: str, win: str, draw: str) -> ScoringScheme:
    won, drawn, nothing = Decimal(win), Decimal(draw), Decimal(0)
    match = {
        Mark.WIN: won,
        Mark.DRAW: drawn,
        Mark.LOSS: nothing,
        Mark.FORFEIT_WIN: won,
        Mark.FORFEIT_LOSS: nothing,
        Mark.PAIRING_BYE: won,
        Mark.FULL_BYE: won,
        Mark.HALF_BYE: drawn,
        Mark.ZERO_BYE: nothing,
    }
    return ScoringScheme(name, 1, match)


STANDARD: Final = _scheme("standard", "1", "0.5")
THREE_POINTS: Final = _scheme("three-points", "3", "1")

SCHEMES: Final[Mapping[tuple[str, int], ScoringScheme]] = {
    (scheme.name, scheme.version): scheme for scheme in (STANDARD, THREE_POINTS)
}
"""The schemes that are known by name and version; a tournament may bring its own."""


def text_of(points: Decimal) -> str:
    """Write points in canonical form: no exponent, no needless zeros.

    >>> text_of(Decimal("3.50")), text_of(Decimal("1E+1")), text_of(Decimal("-0"))
    ('3.5', '10', '0')
    """
    text = format(points.normalize(), "f")
    return "0" if text == "-0" else text


def scheme_to_json(scheme: ScoringScheme) -> dict[str, object]:
    """The scheme as JSON values: `name`, `version`, `match` (texts), `game` (integers)."""
    return {
        "name": scheme.name,
        "version": scheme.version,
        "match": {mark.value: text_of(scheme.match[mark]) for mark in Mark},
        "game": {mark.value: scheme.game[mark] for mark in Mark if scheme.game.get(mark)},
    }


def scheme_from_json(value: Mapping[str, object]) -> ScoringScheme:
    """The scheme that `scheme_to_json` turned into this; raises `BadValue` for anything else.

    Points may be texts or numbers.

    >>> scheme_from_json(scheme_to_json(THREE_POINTS)) == THREE_POINTS
    True
    """
    name, version = value.get("name"), value.get("version")
    if not isinstance(name, str) or not name:
        raise BadValue("scoring.name", "a scheme has a name")
    if type(version) is not int or version < 1:
        raise BadValue("scoring.version", "a scheme's version is at least 1")
    match = _marks(value.get("match"), "scoring.match")
    if missing := [mark.value for mark in Mark if mark not in match]:
        raise BadValue("scoring.match", phrase("lacks {missing}", missing=", ".join(missing)))
    game = _marks(value.get("game", {}), "scoring.game")
    if played := [mark.value for mark in Mark if mark in game and mark in PLAYED]:
        raise BadValue(
            "scoring.game",
            phrase("{played}: a played game has points of its own", played=", ".join(played)),
        )
    return ScoringScheme(
        name,
        version,
        {mark: _match_points(match[mark], mark) for mark in Mark},
        {mark: _game_points(game[mark], mark) for mark in Mark if game.get(mark)},
    )


def _marks(value: object, field: str) -> dict[Mark, object]:
    if not isinstance(value, Mapping):
        raise BadValue(field, "expected an object of marks and points")
    known = {mark.value for mark in Mark}
    if strange := [str(each) for each in value if each not in known]:
        raise BadValue(field, phrase("no such mark: {strange}", strange=", ".join(sorted(strange))))
    return {Mark(each): points for each, points in value.items()}


def _match_points(value: object, mark: Mark) -> Decimal:
    name = f"scoring.match.{mark}"
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadValue(name, "a number is needed")
    try:
        points = Decimal(str(value))
    except InvalidOperation as error:
        raise BadValue(name, "a number is needed") from error
    if not points.is_finite() or abs(points) > LIMIT:
        raise BadValue(name, phrase("points lie between -{limit} and {limit}", limit=LIMIT))
    if points != points.quantize(Decimal("0.1")):
        raise BadValue(name, "points have at most one decimal place")
    return points


def _game_points(value: object, mark: Mark) -> int:
    if type(value) is not int or abs(value) > LIMIT:
        raise BadValue(
            f"scoring.game.{mark}",
            phrase("expected a whole number from -{limit} to {limit}", limit=LIMIT),
        )
    return value
