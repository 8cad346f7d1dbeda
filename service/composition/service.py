"""The parts that every process shares, put together in one place."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import redis

from engine.search.build import build_id
from service.accounts.accounts import Accounts
from service.accounts.addresses import Addresses
from service.accounts.guesses import Guesses
from service.accounts.identities import Identities
from service.accounts.links import Links as AccountLinks
from service.accounts.passkeys import Passkeys
from service.accounts.passwords import Passwords
from service.accounts.sessions import Sessions
from service.accounts.store import AccountStore
from service.analysis.events import EVENTS as ANALYSIS_EVENTS
from service.analysis.repository import Analyses
from service.archive.archive import Archive
from service.archive.directory import open_directory
from service.archive.feed_readers import FeedReaders
from service.archive.tiered import TieredEventLog
from service.clocks.heartbeat import Heartbeat
from service.clocks.store_time import StoreTime
from service.composition.log_store import connect_log
from service.computer.open_games import OpenGames
from service.computer.unseen_news import UnseenNews
from service.game.annotation_quota import AnnotationQuota
from service.game.events import EVENTS as GAME_EVENTS
from service.game.repository import KIND as GAME
from service.game.repository import Games
from service.game.repository import stream_of as game_stream
from service.imports.events import EVENTS as IMPORT_EVENTS
from service.imports.opening import open_uploads
from service.imports.quota import UploadQuota
from service.imports.repository import Imports
from service.imports.upload_slots import UploadSlots
from service.imports.uploads import CHUNK
from service.jobs.queue import JobQueue
from service.jobs.store import Jobs
from service.log.claims import EVENTS as CLAIM_EVENTS
from service.log.codec import Codec
from service.log.redis import RedisEventLog
from service.log.tracked_keys import TrackedKeys, find_tracked
from service.mail.links import Links
from service.mail.outbox import Outbox
from service.mail.store import Subscriptions
from service.openings.events import EVENTS as OPENING_EVENTS
from service.openings.repository import Openings
from service.player.admins import Admins
from service.player.authentication import Bearers
from service.player.events import EVENTS as PLAYER_EVENTS
from service.player.repository import Players
from service.player.state import stream_of as player_stream
from service.projection.challenges import Challenges
from service.projection.checkpoints import Checkpoints
from service.projection.database.database import Database
from service.projection.database.opening import open_database
from service.projection.dead_letters import DeadLetters
from service.projection.game_list import GameList
from service.projection.games.explorer import Explorer
from service.projection.games.explorer_cache import ExplorerCache
from service.projection.games.saved_queries import SavedQueries
from service.projection.games.search import Search
from service.projection.handover import Handover
from service.projection.imports import ImportList
from service.projection.lag import Lag
from service.projection.merge_suggestions import MergeSuggestions
from service.projection.namesakes import Namesakes
from service.projection.player_reports import PlayerReports
from service.projection.players import PlayerList
from service.projection.puzzles.attempt_list import AttemptList
from service.projection.puzzles.puzzle_list import PuzzleList
from service.projection.puzzles.ratings import PuzzleRatings
from service.projection.puzzles.withdrawal_list import WithdrawalList
from service.projection.ratings import Ratings
from service.projection.tournaments import TournamentList
from service.puzzles.attempts.events import EVENTS as ATTEMPT_EVENTS
from service.puzzles.attempts.repository import Solvers
from service.puzzles.found.events import EVENTS as FOUND_EVENTS
from service.puzzles.found.repository import FoundPuzzles
from service.puzzles.withdrawals.events import EVENTS as WITHDRAWAL_EVENTS
from service.puzzles.withdrawals.repository import Withdrawals
from service.reactions.mails import MailAnnouncer
from service.reactions.notices import Announcer
from service.reactions.puzzle_jobs import PuzzleJobs
from service.reactions.round_jobs import RoundJobs
from service.records.export_cache import ExportCache
from service.records.record_cache import Records
from service.records.remembered_reads import RememberedReads
from service.records.signature_cache import Signatures
from service.records.signed_records import SignedRecords
from service.records.signer import Signer
from service.secrets.fingerprints import check_keys, refuse_missing_keys
from service.secrets.key_source import find_key_sources
from service.secrets.nonces import EVENTS as NONCE_EVENTS
from service.secrets.nonces import Nonces
from service.secrets.service_secret import read_service_secret
from service.secrets.stored_keys import StoredKeys
from service.secrets.vault import Vault
from service.settings import Settings
from service.storage.connections import connect
from service.storage.daily_counts import DailyCounts
from service.storage.objects import ObjectStore
from service.tournament.events import EVENTS as TOURNAMENT_EVENTS
from service.tournament.repository import Tournaments
from service.webhooks.receivers import Receivers
from service.webhooks.store import Webhooks

if TYPE_CHECKING:
    from service.accounts.provider import Provider

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
        **ATTEMPT_EVENTS,
        **FOUND_EVENTS,
        **WITHDRAWAL_EVENTS,
    }
)

ANNOTATED: Final = "movelog:{annotations}:bytes:"
"""Before the keys of the daily counts of what players annotate (`service.storage.daily_counts`)."""
ADMINS_LOCK: Final = "movelog:{admins}:lock"
ADMINS_LOCK_S: Final = 60
"""Seconds after which the lock of a process that died is released."""


def now() -> int:
    """Milliseconds since 1970 UTC."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Service:
    """The parts every process shares.

    `store` is the Redis that keeps everything but events, and the log too unless that is kept
    separately. `database` keeps the read models.
    """

    settings: Settings
    secret: bytes
    store: redis.Redis
    database: Database
    handover: Handover
    log: TieredEventLog
    tracked: TrackedKeys | None
    feed_readers: FeedReaders
    heartbeat: Heartbeat
    games: Games
    open_games: OpenGames
    unseen_news: UnseenNews
    bearers: Bearers
    players: Players
    accounts: Accounts
    player_list: PlayerList
    player_reports: PlayerReports
    merge_suggestions: MergeSuggestions
    namesakes: Namesakes
    game_list: GameList
    challenges: Challenges
    search: Search
    explorer: ExplorerCache
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
    round_jobs: RoundJobs
    tournament_list: TournamentList
    openings: Openings
    ratings: Ratings
    solvers: Solvers
    puzzle_list: PuzzleList
    puzzle_ratings: PuzzleRatings
    attempt_list: AttemptList
    found_puzzles: FoundPuzzles
    withdrawals: Withdrawals
    withdrawal_list: WithdrawalList
    puzzle_jobs: PuzzleJobs
    signer: Signer
    records: Records
    signed_records: SignedRecords
    announcer: Announcer
    subscriptions: Subscriptions
    outbox: Outbox
    mail_links: Links
    mail_announcer: MailAnnouncer


def find_provider(settings: Settings) -> Provider | None:
    """The OpenID Connect provider that the operator has configured."""
    if settings.oidc_issuer is None or settings.oidc_client_id is None:
        return None
    # Imported only here: it takes a tenth of the start-up time, and few operators have a provider.
    from service.accounts.provider import Provider

    name = settings.oidc_name or urlsplit(settings.oidc_issuer).netloc
    return Provider(settings.oidc_issuer, settings.oidc_client_id, settings.oidc_secret, name)


def open_archive(settings: Settings) -> Archive:
    """The archive of old games, which is not contacted before it is first used."""
    directory = open_directory(settings.data_dir, settings.database_url)
    return Archive(ObjectStore(settings.objects_url), directory)


def compose(settings: Settings) -> Service:
    """Connect to Redis and put the parts together; the database may be unavailable.

    Raises OtherKeys if the store was begun with other keys than these settings name, NoKeys if
    they name none, KeyStillNeeded, what `connect_log` raises, and BadSetting as `open_database`
    does.
    """
    store = connect(settings.redis_url, settings)
    keys, stored_keys = find_key_sources(settings), StoredKeys(store)
    refuse_missing_keys(store, keys)
    secret = read_service_secret(keys.secret)
    signer = Signer(keys.signing, partial(stored_keys.find_in_use, keys.signing.name))
    check_keys(store, keys, signer.key_ids)
    hot = RedisEventLog(connect_log(settings, store), CODEC, replicas=settings.replicas)
    log = TieredEventLog(hot, open_archive(settings))
    database = open_database(settings.data_dir, settings.database_url)
    checkpoints = Checkpoints(database)
    store_time = StoreTime(store)
    jobs = Jobs(store, store_time)
    queue = JobQueue(jobs, connect(settings.queue_url, settings))
    uploads = open_uploads(settings, store)
    # The longest time that one read of an upload takes; the lease of its slot lasts for two.
    longest_read = settings.body_timeout + CHUNK / settings.min_rate
    slots = UploadSlots(jobs, settings.imports_per_player, 2 * longest_read)
    quota = UploadQuota(jobs, settings.upload_quota, slots)
    account_store = AccountStore(store, secret)
    sessions = Sessions(account_store, lambda id: players.find(id), now)
    bearers = Bearers(log, now, sessions.authenticate)
    admins = Admins(log, now, partial(store.lock, ADMINS_LOCK, ADMINS_LOCK_S))
    players = Players(log, now, secret, bearers, admins)
    guesses = Guesses(store, secret, time.sleep)
    vault = Vault(keys.choice, partial(stored_keys.find_in_use, keys.choice.name))
    tournaments = Tournaments(log, now, secret, players)
    heartbeat = Heartbeat(store)
    nonces = Nonces(log, secret)
    annotation_quota = AnnotationQuota(
        DailyCounts(store, now, ANNOTATED), settings.annotation_quota
    )
    games = Games(log, store_time, tournaments, vault, nonces, heartbeat, annotation_quota)
    webhooks = Webhooks(store, now)
    subscriptions = Subscriptions(store, now, secret, enabled=settings.sends_mail)
    outbox = Outbox(store)
    mail_announcer = MailAnnouncer(jobs, subscriptions, outbox)
    links = AccountLinks(account_store, secret)
    addresses = Addresses(
        account_store,
        links,
        guesses,
        now,
        mail_announcer.send_link,
        enabled=settings.sends_mail,
    )
    accounts = Accounts(
        account_store,
        players,
        sessions,
        guesses,
        Passwords(),
        links,
        addresses,
        Passkeys(account_store, now),
        Identities(account_store, secret, now, find_provider(settings)),
        now,
    )
    analyses = Analyses(log, now, secret, vault, games, queue, build_id(), settings.analysis_quota)
    openings = Openings(log, now)
    records = Records(games, analyses, store)
    tracked = find_tracked(hot.client)
    heads = RememberedReads(games.read_heads, lambda id: hot.key(game_stream(id)), tracked)
    present_players = RememberedReads(
        players.present_names,
        lambda id: hot.attributes_key(player_stream(id)),
        tracked,
        # The name of a player who was merged into another is under the other's key.
        is_lasting=lambda id, present: present[0] == id,
    )
    return Service(
        settings=settings,
        secret=secret,
        store=store,
        database=database,
        handover=Handover(settings.data_dir, secret),
        log=log,
        tracked=tracked,
        feed_readers=FeedReaders(store),
        heartbeat=heartbeat,
        games=games,
        open_games=OpenGames(store),
        unseen_news=UnseenNews(log, GAME),
        bearers=bearers,
        players=players,
        accounts=accounts,
        player_list=PlayerList(database),
        player_reports=PlayerReports(database),
        merge_suggestions=MergeSuggestions(database, log),
        namesakes=Namesakes(database, players),
        game_list=GameList(database),
        challenges=Challenges(database),
        search=Search(database),
        explorer=ExplorerCache(Explorer(database)),
        saved_queries=SavedQueries(log, openings),
        checkpoints=checkpoints,
        lag=Lag(checkpoints, log),
        dead_letters=DeadLetters(database),
        jobs=jobs,
        webhooks=webhooks,
        receivers=Receivers(store, store_time),
        imports=Imports(log, now, secret, uploads, queue, quota),
        import_list=ImportList(database),
        analyses=analyses,
        tournaments=tournaments,
        round_jobs=RoundJobs(queue),
        tournament_list=TournamentList(database),
        openings=openings,
        ratings=Ratings(database, 1000 * settings.rating_period),
        solvers=Solvers(log, now),
        puzzle_list=PuzzleList(database),
        puzzle_ratings=PuzzleRatings(database, 1000 * settings.rating_period),
        attempt_list=AttemptList(database),
        found_puzzles=FoundPuzzles(log, now),
        withdrawals=Withdrawals(log, now),
        withdrawal_list=WithdrawalList(database),
        puzzle_jobs=PuzzleJobs(analyses, wanted=settings.puzzles_per_game > 0),
        signer=signer,
        records=records,
        signed_records=SignedRecords(
            heads,
            present_players,
            records,
            Signatures(store, signer),
            ExportCache(settings.data_dir, secret),
        ),
        announcer=Announcer(jobs, webhooks, players),
        subscriptions=subscriptions,
        outbox=outbox,
        mail_links=Links(secret, now, settings.public_url or ""),
        mail_announcer=mail_announcer,
    )
