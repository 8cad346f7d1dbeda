"""Strict imports that a test takes in step by step, and what readers see of their games."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

from notation.registry import find_dialect
from notation.section import Section, read_sections
from service.composition.projector import list_projections
from service.composition.service import Service
from service.ids import new_id
from service.imports.parsing import parse_sections
from service.imports.state import ImportEnding, ImportMode, ImportState
from service.projection.games.explorer import Explorer
from service.projection.games.query import Query
from service.projection.games.search import Search
from service.projection.player_reports import PlayerReports
from service.projection.projector import Projector
from service.projection.puzzles.puzzles import write_collection
from service.projection.strict_imports import StrictImports
from tests.service.imports.support import GOOD
from workers.record_importer import Importer

START = find_dialect("katruji").write_fen(find_dialect("katruji").start({}))
AT_START = Query(variant="katruji", fen=START)


def projector_of(service: Service, stopping: Callable[[], bool] = lambda: False) -> Projector:
    """A projector of the whole service, without reactions."""
    write_collection(service.database)
    return Projector(
        service.games,
        service.database,
        list_projections(service),
        stopping=stopping,
        strict=StrictImports(service.imports),
    )


def record(number: int) -> str:
    """A record of one action and a result, whose players depend on its number."""
    tags = f'[Round "{number}"]\n[SouthElo "{1500 + number}"]\n'
    players = GOOD.replace('"A"', f'"A {number % 5}"').replace('"B"', f'"B {number % 7}"')
    return tags + players


class StrictImport:
    """An import of games of Katruji, taken in some at a time; it is committed if it is strict."""

    def __init__(
        self, service: Service, games: int = 6, mode: ImportMode = ImportMode.STRICT
    ) -> None:
        self.service = service
        text = "\n\n".join(map(record, range(games)))
        with service.imports.uploads.receive(io.BytesIO(text.encode())) as received:
            self.id = service.imports.begin(new_id(), received, mode, "ann", None).id
        self._sections = [
            one for one in read_sections(io.StringIO(text)) if isinstance(one, Section)
        ]
        self._done = 0
        if mode is ImportMode.STRICT:
            service.imports.commit(self.state)

    @property
    def state(self) -> ImportState:
        return self.service.imports.load(self.id)

    def take_in(self, games: int) -> list[str]:
        """Take in the next games; returns their ids."""
        some = self._sections[self._done : self._done + games]
        importer = Importer(self.service, self.state, lambda: None)
        verdicts = importer.import_records(parse_sections(some), self._done + 1)
        self._done += len(some)
        return [verdict["game"] for verdict in verdicts]

    def take_all_in(self) -> list[str]:
        """Take in the rest, and end the import; returns their ids."""
        ids = self.take_in(len(self._sections))
        self.end(ImportEnding.DONE)
        return ids

    def end(self, ending: ImportEnding) -> None:
        """End the import in this way."""
        self.service.imports.end(self.state, ending, {}, "")


def count_seen(service: Service, ids: Sequence[str]) -> set[int]:
    """The numbers of these games that the ways of reading find; the archive has no other games.

    Each has enough time to look at all of them, even on a slow machine.
    """
    search, everything = Search(service.database, budget=60), Query(variant="katruji")
    explorer = Explorer(service.database, budget=60)
    reports = PlayerReports(service.database, budget=60)
    players = {player for id in ids for player in service.games.load(id).seats if player}
    filtered = Query(variant="katruji", fen=START, plies=(0, None))
    played = service.games.load(ids[0]).played[0].coordinate
    results = [sum(one) for who in players for one in service.game_list.results(who).values()]
    return {
        len(search.page(everything, limit=1000).games),
        len(list(search.ids(everything))),
        search.count(Query()).games,
        search.count(everything).games,
        len(search.page(AT_START, limit=1000).games),
        search.count(Query(variant="katruji", actions=(played,))).games,
        sum(one is not None for one in search.summaries(ids)),
        service.explorer.explore(AT_START).total.games,
        explorer.explore(filtered).total.games,
        sum(results) // 2,
        sum(count_games(reports, player) for player in players) // 2,
        sum(count_opponents(reports, player) for player in players) // 2,
    }


def count_games(reports: PlayerReports, player: str) -> int:
    """How many games a player's report counts."""
    scores = reports.report(player, ["all"]).scores["all"]
    return sum(score.games for score in scores.values())


def count_opponents(reports: PlayerReports, player: str) -> int:
    """How many games against somebody a player's report counts."""
    met = reports.opponents(player, limit=1000).opponents
    return sum(one.score.games for one in met)
