"""Backups made while tournaments are played and files imported: what is restored fits together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.side import Side
from service.composition.service import Service
from service.game.commands import CorrectResult, Resign
from service.game.values import GameStatus
from service.ids import new_id
from service.imports.state import ImportMode
from service.jobs.job_kinds import ROUNDS
from service.log.values import StreamId
from service.operations import backup
from service.operations.restore import restore
from service.player.actor import Actor
from service.player.scopes import ARBITER, PLAY
from service.settings import Settings
from service.tournament import commands as c
from service.tournament.values import Pairing
from tests.service.imports.archive import write_archive
from tests.service.imports.support import work
from tests.workers.support import task
from workers.game_counting import count_for_tournament
from workers.round_job import carry_on
from workers.scoring import score_game

TOURNAMENT = "t" * 16

Restored = Callable[[Callable[[StreamId], None]], Service]


@pytest.fixture
def restored(
    service: Service,
    emptied: Callable[[], Settings],
    compose: Callable[[Settings], Service],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Restored:
    """A function that backs up, calls a function after each copied stream, and restores."""

    def restored(copied: Callable[[StreamId], None]) -> Service:
        real = backup.stream_line

        def copy(log: Any, stream: StreamId) -> Any:
            line = real(log, stream)
            copied(stream)
            return line

        monkeypatch.setattr(backup, "stream_line", copy)
        backup.back_up(service.settings, tmp_path / "backup.gz", lambda done, total: None)
        settings = emptied()
        restore(settings, tmp_path / "backup.gz", lambda done, total: None)
        return compose(settings)

    return restored


@pytest.fixture
def arbiter(service: Service) -> Actor:
    """The arbiter of a free tournament of two players."""
    arbiter = Actor(
        service.players.register("Anna", None, scopes=(ARBITER,)).id, frozenset({ARBITER})
    )
    command = c.CreateTournament(
        name="Open", variant="katruji", kind="free", scoring={"name": "standard"}
    )
    service.tournaments.create(TOURNAMENT, command, arbiter)
    for name in ("Bo", "Cy"):
        player = service.players.register(name, None).id
        service.tournaments.execute(TOURNAMENT, c.Enter(player=player), arbiter)
    return arbiter


def begin_round(service: Service, arbiter: Actor) -> Pairing:
    """Pair the first round and begin its only game."""
    first, second = service.tournaments.load(TOURNAMENT).entries
    service.tournaments.execute(TOURNAMENT, c.PairRound(boards=[(first, second)]), arbiter)
    run_job(service)
    return find_pairing(service)


def run_job(service: Service) -> None:
    """Carry out the job that a restored feed submits again for the request of the round."""
    carry_on(task(service, ROUNDS, {"tournament": TOURNAMENT, "version": 4}, new_id()))


def find_pairing(service: Service) -> Pairing:
    (pairing,) = service.tournaments.load(TOURNAMENT).rounds[0].pairings
    return pairing


def finish_game(service: Service, pairing: Pairing, loser: Side) -> None:
    """Resign a game, score it and count it."""
    id, player = pairing.game or "", (pairing.first, pairing.second)[loser]
    service.games.execute(id, Resign(side=loser), Actor(player, frozenset({PLAY})))
    score_game(service.games, id)
    count_for_tournament(service.tournaments, service.games.load(id))


@pytest.mark.parametrize("moment", ["game", "tournament"])
def test_a_game_that_ends_during_a_backup_counts_as_it_was_restored(
    service: Service, arbiter: Actor, restored: Restored, moment: str
) -> None:
    pairing = begin_round(service, arbiter)

    def finish(stream: StreamId) -> None:
        if stream.kind == moment:
            finish_game(service, pairing, Side.FIRST)

    after = restored(finish)
    if after.games.load(pairing.game or "").ending is None:
        assert find_pairing(after).result is None
        finish_game(after, pairing, Side.SECOND)
    run_job(after)
    game = after.games.load(pairing.game or "")
    assert game.ending is not None
    assert find_pairing(after).result == game.ending.result


def test_a_result_that_is_corrected_during_a_backup_counts_as_it_was_restored(
    service: Service, arbiter: Actor, restored: Restored
) -> None:
    pairing = begin_round(service, arbiter)
    finish_game(service, pairing, Side.FIRST)
    id = pairing.game or ""

    def correct(stream: StreamId) -> None:
        if stream.kind == "tournament":
            command = CorrectResult(result="1/2-1/2", termination="adjudication", reason="a slip")
            service.games.execute(id, command, arbiter)
            score_game(service.games, id)
            count_for_tournament(service.tournaments, service.games.load(id))

    after = restored(correct)
    run_job(after)
    game = after.games.load(id)
    assert game.ending is not None
    assert find_pairing(after).result == game.ending.result == "1/2-1/2"


def test_a_round_that_is_made_during_a_backup_has_its_games_once_it_is_restored(
    service: Service, arbiter: Actor, restored: Restored
) -> None:
    def begin(stream: StreamId) -> None:
        if not service.tournaments.load(TOURNAMENT).rounds:
            begin_round(service, arbiter)

    after = restored(begin)
    if not after.tournaments.load(TOURNAMENT).rounds:
        begin_round(after, arbiter)
    run_job(after)
    assert after.games.load(find_pairing(after).game or "").status is GameStatus.RUNNING


def test_a_round_that_is_paired_anew_has_no_games_of_one_made_during_the_backup(
    service: Service, arbiter: Actor, restored: Restored
) -> None:
    made: list[Pairing] = []

    def begin(stream: StreamId) -> None:
        if stream.kind == "tournament":
            made.append(begin_round(service, arbiter))

    after = restored(begin)
    (old,) = made
    assert after.games.load(old.game or "").seats == (old.first, old.second)
    after.tournaments.execute(TOURNAMENT, c.PairRound(boards=[(old.second, old.first)]), arbiter)
    run_job(after)
    new = find_pairing(after)
    assert after.games.load(new.game or "").seats == (new.first, new.second)


@pytest.mark.usefixtures("arbiter")
def test_an_import_that_ends_during_a_backup_has_its_games_once_it_is_restored(
    service: Service, restored: Restored, tmp_path: Path
) -> None:
    file = write_archive(tmp_path / "some.pgn", 3)
    id = new_id()
    with file.open("rb") as stream, service.imports.uploads.receive(stream) as received:
        service.imports.begin(id, received, ImportMode.QUARANTINE, "ann", None)

    def end(stream: StreamId) -> None:
        if service.imports.load(id).ended is None:
            work(service)

    after = restored(end)
    after.imports.ensure_job(id)
    work(after)
    told = [verdict["game"] for verdict, _ in after.imports.uploads.verdicts(id).lines()]
    assert len(told) == 3
    assert all(after.games.exists(game) for game in told)
