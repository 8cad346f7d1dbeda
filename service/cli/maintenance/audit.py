"""`movelog audit`: replay the archive under the current rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

import click

from service.cli.options import data_dir, load_existing_settings
from service.log.interface import EventLog
from service.log.values import StreamId

if TYPE_CHECKING:
    from service.verification.audit import AuditFinding
    from service.verification.feed_audit import FeedFinding
    from service.verification.tournament_audit import TournamentFinding

F = TypeVar("F")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object that lists everything.")
@data_dir
def audit(as_json: bool, data_dir: str | None) -> int:
    """Replay every game and every tournament under the current rules.

    Reports the first divergent ply of each game that diverges, each game that was played under
    another version of the rules, and each tournament with an event or a pairing that its rules do
    not allow, or with a result that is not its game's. The feed is read from its beginning: it has
    to name each event once. The service may be running or stopped.

    Exit status 1 if anything diverges.
    """
    from service.composition.service import compose
    from service.operations.reachable_store import reach_store

    with reach_store(load_existing_settings(data_dir)) as settings:
        log = compose(settings).log
        findings, tournaments = list(audit_games(log)), list(audit_tournaments(log))
        feeds = list(audit_feeds(log))
    diverging = sum(finding.fault is not None for finding in findings)
    repinned = sum(finding.repinned for finding in findings)
    wrong = sum(finding.fault is not None for finding in tournaments)
    entries = sum(finding.pointers for finding in feeds)
    faults = [fault for finding in feeds for fault in finding.faults]
    if as_json:
        answer = {
            "games": len(findings),
            "diverging": diverging,
            "other_rules": repinned,
            "items": [finding.as_json() for finding in findings],
            "tournaments": len(tournaments),
            "diverging_tournaments": wrong,
            "tournament_items": [finding.as_json() for finding in tournaments],
            "feed_entries": entries,
            "feed_faults": faults,
        }
        click.echo(json.dumps(answer))
    else:
        for finding in findings:
            if finding.fault or finding.repinned:
                click.echo(str(finding))
        for found in tournaments:
            if found.fault:
                click.echo(str(found))
        for fault in faults:
            click.echo(fault)
        click.echo(f"{len(findings)} games, {diverging} diverge, {repinned} under other rules")
        click.echo(f"{len(tournaments)} tournaments, {wrong} diverge")
        click.echo(f"{entries} entries in the feed, {len(faults)} wrong")
    return 1 if diverging or wrong or faults else 0


def audit_games(log: EventLog) -> Iterator[AuditFinding]:
    """Yield the finding on each game, ordered by id, under a progress bar."""
    from service.game.repository import KIND
    from service.verification.audit import audit_game

    return audit_streams(log, KIND, audit_game)


def audit_tournaments(log: EventLog) -> Iterator[TournamentFinding]:
    """Yield the finding on each tournament, ordered by id, under a progress bar."""
    from service.tournament.repository import KIND
    from service.verification.tournament_audit import audit_tournament

    return audit_streams(log, KIND, audit_tournament)


def audit_feeds(log: EventLog) -> Iterator[FeedFinding]:
    """Yield the finding on each partition's feed."""
    from service.verification.feed_audit import audit_feed

    return (audit_feed(log, partition) for partition in range(log.partitions))


def audit_streams(
    log: EventLog, kind: str, audit: Callable[[EventLog, StreamId], F]
) -> Iterator[F]:
    """Yield the finding on each stream of a kind, ordered by id, under a progress bar."""
    from service.cli.progress import make_progress_bar

    streams = sorted(log.streams(kind), key=str)
    with make_progress_bar(len(streams), kind) as bar:
        for stream in streams:
            yield audit(log, stream)
            bar.update()
