"""Which parts a process is made of: the one place where they are put together."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import redis

from engine.search.build import build_id
from service.analysis.events import EVENTS as ANALYSIS_EVENTS
from service.analysis.repository import Analyses
from service.clocks.heartbeat import Heartbeat
from service.clocks.store_time import StoreTime
from service.game.events import EVENTS as GAME_EVENTS
from service.game.repository import Games
from service.imports.events import EVENTS as IMPORT_EVENTS
from service.imports.quota import UploadQuota
from service.imports.repository import Imports
from service.imports.upload_slots import UploadSlots
from service.imports.uploads import CHUNK, Uploads
from service.jobs.maintenance import JobMaintenance
from service.jobs.queue import JobQueue
from service.jobs.reconciler import Reconciler
from service.jobs.store import Jobs
from service.log.claims import EVENTS as CLAIM_EVENTS
from service.log.codec import Codec
from service.log.interface import EventLog
from service.log.redis import RedisEventLog
from service.openings.events import EVENTS as OPENING_EVENTS
from service.openings.repository import Openings
from service.player.admins import Admins
from service.player.authentication import Bearers
from service.player.events import EVENTS as PLAYER_EVENTS
from service.player.repository import Players
from service.projection.checkpoints import Checkpoints
from service.projection.database.database import Database
from service.projection.database.opening import open_database
from service.projection.dead_letters import DeadLetters
from service.projection.errors import DatabaseError, RebuildStopped, RebuildSuperseded
from service.projection.game_list import GameList
from service.projection.games.explorer import Explorer
from service.projection.games.saved_queries import SavedQueries
from service.projection.games.search import Search
from service.projection.handover import Handover
from service.projection.imports import ImportList, ImportProjection
from service.projection.lag import Lag
from service.projection.merge_suggestions import MergeSuggestions
from service.projection.mergers import MergerProjection
from service.projection.namesakes import Namesakes
from service.projection.openings import Classification, OpeningProjection
from service.projection.player_reports import PlayerReports
from service.projection.players import PlayerList, PlayerProjection
from service.projection.projector import Projector, Reactions
from service.projection.ratings import Ratings
from service.projection.reacted import StoredReacted
from service.projection.reacting import Reacting
from service.projection.rebuild import Progress, Rebuild
from service.projection.takeover import needs_rebuild, remove_old_indexes
from service.projection.tournaments import TournamentList, TournamentProjection
from service.projection.updates import Projection, Reaction
from service.reactions.begun_jobs import make_analysis_follower, make_import_follower
from service.reactions.ended_games import ended_games_handler
from service.reactions.imports import FinishedImportFollower
from service.reactions.mergers import MergerGuard, make_merger_followers
from service.reactions.notices import Announcer
from service.reactions.process import Building, ProjectorProcess
from service.reactions.quarantined_jobs import QuarantinedJobHandler
from service.reactions.round_follower import make_round_follower
from service.records.record_cache import Records
from service.records.signature_cache import Signatures
from service.records.signer import Signer
from service.secrets.fingerprints import check_keys, refuse_missing_keys
from service.secrets.nonces import EVENTS as NONCE_EVENTS
from service.secrets.nonces import Nonces
from service.secrets.service_secret import read_service_secret
from service.secrets.vault import Vault
from service.settings import Settings
from service.storage.connections import connect
from service.tournament.events import EVENTS as TOURNAMENT_EVENTS
from service.tournament.repository import Tournaments
from service.webhooks.receivers import Receivers
from service.webhooks.store import Webhooks

logger = logging.getLogger(__name__)

CODEC = Codec(
    {
        **GAME_EVENTS,
        **PLAYER_EVENTS,
        **NONCE_EVENTS,
        **IMPORT_EVENTS,
        **ANALYSIS_EVENTS,
        **CLAIM_EVENTS,
        **OPENING_EVENTS,
        **TOURNAMENT_EVENTS,
    }
)

ADMINS_LOCK: Final = "movelog:{admins}:lock"
ADMINS_LOCK_S: Final = 60
"""Seconds after which the lock of a process that died is free again."""


def now() -> int:
    """Milliseconds since 1970 UTC."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Service:
    """The parts every process shares.

    `store` is the Redis that keeps the log, `database` keeps the read models.
    """

    settings: Settings
    secret: bytes
    store: redis.Redis
    database: Database
    handover: Handover
    log: EventLog
    heartbeat: Heartbeat
    games: Games
    bearers: Bearers
    admins: Admins
    players: Players
    player_list: PlayerList
    player_reports: PlayerReports
    merge_suggestions: MergeSuggestions
    namesakes: Namesakes
    game_list: GameList
    search: Search
    explorer: Explorer
    saved_queries: SavedQueries
    checkpoints: Checkpoints
    lag: Lag
    dead_letters: DeadLetters
    jobs: Jobs
    webhooks: Webhooks
    receivers: Receivers
    imports: Imports
    import_list: ImportList
    analyses: Analyses
    tournaments: Tournaments
    tournament_list: TournamentList
    openings: Openings
    ratings: Ratings
    signer: Signer
    signatures: Signatures
    records: Records
    announcer: Announcer


def compose(settings: Settings) -> Service:
    """Connect to Redis and put the parts together; the database may be away.

    Raises OtherKeys where the store was begun with other keys than the data directory has, NoKeys
    where that has none; BadSetting as `open_database` does.
    """
    store = connect(settings.redis_url, settings)
    refuse_missing_keys(store, settings)
    secret = read_service_secret(settings)
    signer = Signer(settings.signing_key_file)
    check_keys(store, settings, signer.key_ids)
    log = RedisEventLog(store, CODEC)
    database = open_database(settings.data_dir, settings.database_url)
    checkpoints = Checkpoints(database)
    jobs = Jobs(store, now)
    queue = JobQueue(jobs, connect(settings.queue_url, settings))
    uploads = Uploads(settings.data_dir, settings.max_upload)
    # A read of an upload takes so long at most; the lease of its slot lasts for two.
    longest_read = settings.body_timeout + CHUNK / settings.min_rate
    slots = UploadSlots(jobs, settings.imports_per_player, 2 * longest_read)
    quota = UploadQuota(jobs, settings.upload_quota, slots)
    bearers = Bearers(log, now)
    admins = Admins(log, now, partial(store.lock, ADMINS_LOCK, ADMINS_LOCK_S))
    players = Players(log, now, secret, bearers, admins)
    vault = Vault(settings.choice_key_file)
    tournaments = Tournaments(log, now, secret, players)
    heartbeat = Heartbeat(store)
    nonces = Nonces(log, secret)
    games = Games(log, StoreTime(store), tournaments, vault, nonces, heartbeat)
    webhooks = Webhooks(store, now)
    analyses = Analyses(log, now, secret, vault, games, queue, build_id())
    openings = Openings(log, now)
    return Service(
        settings=settings,
        secret=secret,
        store=store,
        database=database,
        handover=Handover(settings.data_dir, secret),
        log=log,
        heartbeat=heartbeat,
        games=games,
        bearers=bearers,
        admins=admins,
        players=players,
        player_list=PlayerList(database),
        player_reports=PlayerReports(database),
        merge_suggestions=MergeSuggestions(database, log),
        namesakes=Namesakes(database, players),
        game_list=GameList(database),
        search=Search(database),
        explorer=Explorer(database),
        saved_queries=SavedQueries(log, openings),
        checkpoints=checkpoints,
        lag=Lag(checkpoints, log),
        dead_letters=DeadLetters(database),
        jobs=jobs,
        webhooks=webhooks,
        receivers=Receivers(store, now),
        imports=Imports(log, now, secret, uploads, queue, quota),
        import_list=ImportList(database),
        analyses=analyses,
        tournaments=tournaments,
        tournament_list=TournamentList(database),
        openings=openings,
        ratings=Ratings(database, 1000 * settings.rating_period),
        signer=signer,
        signatures=Signatures(store, signer),
        records=Records(games, analyses, store),
        announcer=Announcer(jobs, webhooks, admins),
    )


def list_projections(service: Service) -> list[Projection]:
    """What is projected beside games."""
    return [
        TournamentProjection(service.tournaments),
        ImportProjection(service.imports),
        MergerProjection(service.log),
        PlayerProjection(service.log),
        OpeningProjection(service.openings),
    ]


def compose_reactions(
    service: Service, queue: JobQueue, others: Sequence[Reaction] = ()
) -> Reactions:
    """What follows from events, and what `others` do; the former needs no lists."""
    return Reactions(
        StoredReacted(service.store),
        ended_games_handler(queue, service.webhooks),
        [
            make_round_follower(service.log, queue),
            make_import_follower(service.imports),
            FinishedImportFollower(service.imports, service.announcer),
            make_analysis_follower(service.analyses),
            *others,
        ],
        service.tournaments.awaiting,
    )


def compose_projector(
    service: Service, queue: JobQueue, stopping: Callable[[], bool] = lambda: False
) -> Projector:
    """The projector of everything in the service, with the reactions that follow it.

    A step ends early once `stopping` says so.
    """
    guard = MergerGuard(service.players, service.tournaments, service.tournament_list.ids)
    reactions = compose_reactions(service, queue, make_merger_followers(service.log, guard))
    service.handover.prepare()
    return Projector(
        service.games,
        service.database,
        list_projections(service),
        reactions,
        stopping,
        service.handover,
    )


def rebuild(service: Service, progress: Progress | None = None) -> int:
    """Build the read models anew from the log, while everything runs; returns how many games.

    What earlier versions kept of them in Redis is removed. Raises RebuildSuperseded and
    DatabaseError.
    """
    built = Rebuild(
        service.games, service.database, list_projections(service), service.ratings, progress
    )
    games = built.run(now())
    remove_old_indexes(service.store)
    return games


def compose_projector_process(
    service: Service,
    watch: Callable[[], None] = lambda: None,
    progress: Progress = lambda done, total: None,
) -> ProjectorProcess:
    """The process that projects, and that reconciles the jobs.

    `watch` is called about once a second, `progress` while the lists are built from the log.
    """
    settings = service.settings
    queue = JobQueue(service.jobs, connect(settings.queue_url, settings))
    quarantined = QuarantinedJobHandler(queue, service.imports, service.tournaments)

    def start(stopping: Callable[[], bool]) -> Projector:
        # One that was killed between a rebuild and this has left them.
        remove_old_indexes(service.store)
        return compose_projector(service, queue, stopping)

    def prepare(stopping: Callable[[], bool]) -> Building | None:
        JobMaintenance(service.jobs).adopt()
        if not needs_rebuild(service.games, service.database):
            return None
        logger.info("the lists are built from the log")
        stop = partial(_stop_rebuild, stopping, progress)
        reacting = Reacting(service.games, compose_reactions(service, queue))
        return Building(partial(rebuild, service, stop), reacting.step)

    return ProjectorProcess(
        start,
        lambda: service.ratings.close(now()),
        Reconciler(queue, quarantined.handle).run,
        (redis.RedisError, DatabaseError, RebuildStopped, RebuildSuperseded),
        watch,
        prepare,
        Classification(service.database).run,
    )


def _stop_rebuild(stopping: Callable[[], bool], progress: Progress, done: int, total: int) -> None:
    """Give a rebuild up where its process is to stop; the next one begins anew."""
    progress(done, total)
    if stopping():
        raise RebuildStopped
