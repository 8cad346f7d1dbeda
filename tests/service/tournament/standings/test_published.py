"""Tie-breaks as published, and as derived by hand from the articles (tests/data/tiebreaks)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

from service.tournament.scheme import STANDARD
from service.tournament.standings import Edition, RankTerm, Regulations, explain, standings
from service.tournament.table import Bye, Entrant, EntrantId, Mark, Table, TournamentKind
from tests.service.tournament.standings.support import meetings

DATA: Final = Path(__file__).parents[3] / "data" / "tiebreaks"
FILES: Final = ("fide-exercises-swiss", "fide-exercises-round-robin")
KEYS: Final = {
    "source", "note", "kind", "edition", "rounds", "entrants", "withdrawn", "games", "byes",
    "values", "derived", "encounters",
}  # fmt: skip


def load(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text())
    assert data.keys() <= KEYS
    return data


def table_of(data: dict[str, Any]) -> Table:
    return Table(
        TournamentKind(data["kind"]),
        data["rounds"],
        tuple(
            Entrant(EntrantId(number), int(number), name, rating)
            for number, (name, rating) in data["entrants"].items()
        ),
        meetings(data["games"]),
        tuple(
            Bye(int(round), EntrantId(entrant), Mark(kind))
            for round, entrant, kind in map(str.split, data["byes"])
        ),
        data["withdrawn"],
    )


def cases() -> Iterator[tuple[str, str, str, str, str]]:
    for file in FILES:
        data = load(file)
        for term, values in data["values"].items():
            for entrant, value in values.items():
                yield file, data["edition"], term, entrant, value
        for edition, terms in data.get("derived", {}).items():
            for term, values in terms.items():
                for entrant, (value, _) in values.items():
                    yield file, edition, term, entrant, value


CASES: Final = list(cases())


def test_all_published_values_are_looked_at() -> None:
    assert {path.stem for path in DATA.glob("*.json")} == set(FILES)
    assert len(CASES) > 160


@pytest.mark.parametrize(("file", "edition", "term", "entrant", "value"), CASES)
def test_worked_examples(file: str, edition: str, term: str, entrant: str, value: str) -> None:
    regulations = Regulations(STANDARD, (RankTerm.MATCH_POINTS,), Edition(edition))
    found = explain(table_of(load(file)), regulations, EntrantId(entrant), RankTerm(term))
    assert found.value == Decimal(value), found


def test_the_points_of_direct_encounters_are_the_published_ones() -> None:
    data = load("fide-exercises-round-robin")
    order = (RankTerm.MATCH_POINTS, RankTerm.DIRECT_ENCOUNTER)
    regulations = Regulations(STANDARD, order, Edition(data["edition"]))
    for entrant, points in data["encounters"].items():
        found = explain(table_of(data), regulations, EntrantId(entrant), RankTerm.DIRECT_ENCOUNTER)
        assert sum(part.value for part in found.parts) == Decimal(points)
    ranked = standings(table_of(data), regulations)
    assert [(each.place, each.entrant) for each in ranked] == [
        (1, "1"), (2, "2"), (2, "3"), (4, "5"), (5, "6"), (6, "4"),
    ]  # fmt: skip
