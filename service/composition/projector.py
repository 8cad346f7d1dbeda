"""The parts of the projector's process, and a rebuild of what it writes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import redis

from service.accounts.guests import GuestRemoval
from service.composition.erasing import erase_player
from service.composition.reading import EVERY, note_readers
from service.composition.service import Service, now
from service.jobs.maintenance import JobMaintenance
from service.jobs.queue import JobQueue
from service.jobs.reconciler import Reconciler
from service.player.commands import Principal
from service.projection.checkpoints import Overtaken, read_checkpoints
from service.projection.errors import DatabaseError, LogBehind, RebuildStopped, RebuildSuperseded
from service.projection.heads import check_heads
from service.projection.imports import ImportProjection
from service.projection.interim_reactions import InterimReactions
from service.projection.leases.share import LeasedShare, Share
from service.projection.leases.table import LeaseTable
from service.projection.losses import Losses
from service.projection.mending import Mending
from service.projection.mergers import MergerProjection
from service.projection.openings import Classification, OpeningProjection
from service.projection.players import PlayerProjection
from service.projection.projector import Projector
from service.projection.puzzles.attempts import AttemptProjection
from service.projection.puzzles.found import FoundPuzzleProjection
from service.projection.puzzles.puzzles import write_collection
from service.projection.puzzles.withdrawals import WithdrawalProjection
from service.projection.reaction_progress import StoredReactionProgress
from service.projection.reactions import Reactions
from service.projection.rebuild import Progress, Rebuild
from service.projection.strict_imports import StrictImports
from service.projection.takeover import needs_rebuild, remove_old_indexes
from service.projection.tournaments import TournamentProjection
from service.projection.traces import has_left_traces
from service.projection.updates import MendableProjection, Reaction
from service.reactions.begun_jobs import make_analysis_follower, make_import_follower
from service.reactions.ended_games import ended_games_handler
from service.reactions.game_news import GameNewsFollower, make_tournament_news_follower
from service.reactions.imports import FinishedImportFollower
from service.reactions.listeners import find_listeners
from service.reactions.mergers import MergerGuard, make_merger_followers
from service.reactions.process import TURN, WAIT, Building, Interval, ProjectorProcess
from service.reactions.puzzle_jobs import make_puzzle_follower
from service.reactions.quarantined_jobs import QuarantinedJobHandler
from service.reactions.round_follower import make_round_follower
from service.reactions.round_jobs import RoundJobs
from service.storage.connections import connect

logger = logging.getLogger(__name__)


def list_projections(service: Service) -> list[MendableProjection]:
    """The projections besides that of games."""
    return [
        TournamentProjection(service.tournaments),
        ImportProjection(service.imports),
        MergerProjection(service.log, service.tournaments),
        PlayerProjection(service.log),
        OpeningProjection(service.openings),
        AttemptProjection(service.log),
        FoundPuzzleProjection(service.log),
        WithdrawalProjection(service.log),
    ]


def compose_reactions(
    service: Service, queue: JobQueue, others: Sequence[Reaction] = ()
) -> Reactions:
    """The reactions to events, `others` included; the service's own need no lists."""
    return Reactions(
        StoredReactionProgress(service.store),
        ended_games_handler(queue, service.webhooks),
        [
            make_round_follower(service.log, RoundJobs(queue)),
            GameNewsFollower(
                queue,
                partial(find_listeners, service.webhooks, service.subscriptions),
                service.jobs.clock,
            ),
            make_tournament_news_follower(service.log, queue),
            make_import_follower(service.imports),
            FinishedImportFollower(service.imports, service.announcer),
            make_analysis_follower(service.analyses),
            make_puzzle_follower(service.puzzle_jobs),
            *others,
        ],
        service.tournaments.awaiting,
    )


def compose_projector(
    service: Service,
    queue: JobQueue,
    stopping: Callable[[], bool] = lambda: False,
    share: Share | None = None,
) -> Projector:
    """The projector of everything in the service, with the reactions that follow it.

    A step ends early once `stopping` returns true. Without a `share` it has all partitions.
    """
    guard = MergerGuard(service.players, service.tournaments, service.tournament_list.entered_by)
    reactions = compose_reactions(service, queue, make_merger_followers(service.log, guard))
    service.handover.prepare()
    return Projector(
        service.games,
        service.database,
        list_projections(service),
        reactions,
        stopping,
        service.handover,
        StrictImports(service.imports),
        share,
    )


def rebuild(service: Service, progress: Progress | None = None) -> int:
    """Rebuild the read models from the log while everything runs; returns the number of games.

    What earlier versions kept of them in Redis is removed. Raises RebuildSuperseded and
    DatabaseError.
    """
    _note_loss(service)
    built = Rebuild(
        service.games,
        service.database,
        list_projections(service),
        service.ratings,
        progress,
        StrictImports(service.imports),
        service.puzzle_ratings,
    )
    games = built.run(now())
    remove_old_indexes(service.store)
    return games


def mend(service: Service, progress: Progress | None = None) -> None:
    """Mend lists that know more than the log, or rebuild those that cannot be mended.

    If another process has written the same meanwhile, nothing is done. Raises what `rebuild`
    raises.
    """
    _note_loss(service)
    mending = Mending(
        service.games,
        service.database,
        list_projections(service),
        StrictImports(service.imports),
    )
    try:
        if service.database.read(read_checkpoints) and mending.run():
            return
    except Overtaken:
        return
    logger.info("the lists are built from the log")
    rebuild(service, progress)


def _note_loss(service: Service) -> None:
    """Note, for whoever watches the service, if the log has lost what the lists know.

    Lists that cannot be read know nothing.
    """
    with suppress(DatabaseError):
        Losses(service.store, now).note(service.log, service.database)


def compose_projector_process(
    service: Service,
    watch: Callable[[], None] = lambda: None,
    progress: Progress = lambda done, total: None,
) -> ProjectorProcess:
    """The process that projects and reconciles the jobs; it shares the partitions with others.

    `watch` is called about once a second, `progress` while the lists are built from the log.
    """
    settings = service.settings
    queue = JobQueue(service.jobs, connect(settings.queue_url, settings))
    share = LeasedShare(LeaseTable(service.store, service.log.partitions))
    quarantined = QuarantinedJobHandler(queue, service.imports, service.tournaments)
    noting = Interval(partial(note_readers, service), EVERY)

    def watch_all() -> None:
        watch()
        noting.run_if_due()

    def start(stopping: Callable[[], bool]) -> Projector:
        # A process that was killed between a rebuild and this point has left them.
        service.database.remove_replaced()
        remove_old_indexes(service.store)
        write_collection(service.database)
        return compose_projector(service, queue, stopping, share)

    def prepare(stopping: Callable[[], bool]) -> Building | None:
        leads = share.leads()
        if leads:
            JobMaintenance(service.jobs).adopt()
        if not needs_rebuild(service.games, service.database):
            return None
        if not leads:
            # Another process is building the lists.
            return Building(partial(time.sleep, WAIT), time.sleep)
        stop = partial(_stop_rebuild, stopping, progress)
        reactions = InterimReactions(service.games, compose_reactions(service, queue))
        return Building(partial(mend, service, stop), reactions.step)

    return ProjectorProcess(
        start,
        partial(close_ratings, service),
        Reconciler(queue, quarantined.handle).run,
        (redis.RedisError, DatabaseError, LogBehind, RebuildStopped, RebuildSuperseded),
        watch_all,
        prepare,
        Classification(service.database).run,
        compose_guest_removal(service).run,
        share.leads,
        share.leave,
        partial(check_heads, service.log, service.database),
    )


def close_ratings(service: Service) -> None:
    """Compute the ratings of games played and puzzles tried since, for one turn of this work."""
    service.ratings.close(now())
    service.puzzle_ratings.rate(TURN)


def compose_guest_removal(service: Service) -> GuestRemoval:
    """The removal of guests who never came back and have left nothing behind."""
    return GuestRemoval(
        service.accounts.store,
        service.accounts.proofs.is_guest,
        partial(has_left_traces, service.database),
        lambda player: erase_player(service, player, Principal(player, None)),
        now,
        service.settings.guest_days,
    )


def _stop_rebuild(stopping: Callable[[], bool], progress: Progress, done: int, total: int) -> None:
    """Abandon a rebuild if its process is to stop; the next process starts it again."""
    progress(done, total)
    if stopping():
        raise RebuildStopped
