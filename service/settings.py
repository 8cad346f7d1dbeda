"""Settings, read from the environment once, when the process starts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Final
from urllib.parse import quote

from service.environment import (
    CHOICE_KEY,
    FILE,
    GIVEN_KEYS,
    PREFIX,
    RATE_LIMIT,
    SECRET_KEY,
    SECRETS,
    SIGNING_KEY,
    USUAL_LIMIT,
    BadSetting,
    MemoryLimit,
    Variables,
    check_rate_limit,
)

SOCKET = "redis.sock"
OBJECTS: Final = "objects"
"""The folder in the data directory that is the object store unless another is given."""

OTHERS: Final = (
    "MOVELOG_URL",
    "MOVELOG_TOKEN",
    "MOVELOG_PURE",
    "MOVELOG_NETWORKS",
    "MOVELOG_LISTEN_FD",
)
"""Variables that are read elsewhere: by commands, the engine, or a web process of `serve`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be configured; `docs/operations.md` lists the variables.

    `redis_url` keeps the log and everything that is not an event. `queue_url` keeps the job queue,
    which may lose all its data. Both default to the embedded server in `data_dir`. `log_url` is a
    Redis Cluster, or a Redis with Sentinels, that keeps the log instead. An append is acknowledged
    once it has reached `replicas` replicas. `database_url` keeps the read models: PostgreSQL, or
    SQLite in `data_dir` where it is None. `objects_url` is the object store
    (`service.storage.objects`), a folder of `data_dir` unless another is given. A process holds at
    most `redis_connections` connections to each of them.
    The first byte of a request has to arrive within `idle_timeout` seconds and the rest of its head
    within `head_timeout`. A body may be silent for `body_timeout` seconds. A body has to arrive,
    and an answer to be read, at `min_rate` bytes a second or more.
    A web process holds at most `streams_per_address` event streams for one address, and accepts at
    most `connections_per_address` connections from it.
    With `streams_apart`, separate processes serve event streams. A process that has to stop reports
    for `drain_notice` seconds that it is not ready, and then ends its requests within
    `drain_timeout` seconds.
    What `trusted_proxies` say about the clients they forward is believed.
    `rate_limit` is in the notation of the `limits` library, per principal or address; empty for
    none. `max_body` and, for files of records, `max_upload` are in bytes.
    `upload_quota` is how many bytes of such files a player may send in a day, and `upload_reserve`
    how many bytes of the disk they leave free. `imports_per_player` is how many imports of one
    player may be uploading, waiting and running. `analysis_quota` is how many lines a player's new
    analyses may have in a day, and `annotation_quota` how many bytes their annotations.
    `cors_origins` are the origins from which browsers may call.
    Finished games are archived `archive_after_days` days after they were last touched (0: never),
    and earlier if Redis has more than `archive_above` in memory.
    Guests who have left nothing behind are removed `guest_days` days after their last visit (0:
    never). With `private_webhooks`, webhooks may call addresses that are not public, also without
    TLS. `rating_period` is in seconds.
    At most `puzzles_per_game` puzzles are taken from an analysed game (0: none).
    Mail is sent from `mail_from` through the server at `smtp_url`, with links that begin with
    `public_url`. No mail is sent if `smtp_url` is None.
    People can sign in through the OpenID Connect provider at `oidc_issuer`, shown as `oidc_name`,
    which knows this service as `oidc_client_id`.
    `given_keys` are the service's keys if the operator gives them: for the name of each key file,
    what messages call it and its content. It is None if the keys are files in `data_dir`.
    """

    data_dir: Path
    redis_url: str
    queue_url: str
    log_url: str | None
    replicas: int
    embedded_redis: bool
    database_url: str | None
    objects_url: str
    archive_after_days: int
    archive_above: MemoryLimit | None
    redis_connections: int
    idle_timeout: int
    head_timeout: int
    body_timeout: int
    min_rate: int
    streams_per_address: int
    connections_per_address: int
    streams_apart: bool
    drain_notice: int
    drain_timeout: int
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...]
    host: str
    port: int
    web_workers: int
    appendfsync: str
    rate_limit: str
    max_body: int
    max_upload: int
    upload_quota: int
    upload_reserve: int
    imports_per_player: int
    analysis_quota: int
    annotation_quota: int
    cors_origins: tuple[str, ...]
    open_registration: bool
    guest_days: int
    private_webhooks: bool
    rating_period: int
    puzzles_per_game: int
    smtp_url: str | None
    mail_from: str | None
    public_url: str | None
    oidc_issuer: str | None
    oidc_client_id: str | None
    oidc_secret: str | None
    oidc_name: str | None
    given_keys: Mapping[str, tuple[str, bytes]] | None = field(repr=False, hash=False)

    @property
    def sends_mail(self) -> bool:
        """Whether players can be notified by e-mail."""
        return self.smtp_url is not None

    @property
    def archives(self) -> bool:
        """Whether old games are moved out of Redis automatically."""
        return self.archive_after_days > 0 or self.archive_above is not None

    @property
    def shares_objects(self) -> bool:
        """Whether the operator names the object store, so that it is not the data directory's."""
        return self.objects_url != (self.data_dir / OBJECTS).as_uri()

    @property
    def socket(self) -> Path:
        """The socket of the embedded Redis, unless the path is too long for a socket."""
        return self.data_dir / SOCKET

    @property
    def secret_file(self) -> Path:
        """The service's key: created on first start, mode 0600, in every backup."""
        return self.data_dir / SECRET_KEY

    @property
    def choice_key_file(self) -> Path:
        """The keys of secret choices: created on first start, mode 0600, in every backup."""
        return self.data_dir / CHOICE_KEY

    @property
    def signing_key_file(self) -> Path:
        """The key that signs exports: created on first start, mode 0600, in every backup."""
        return self.data_dir / SIGNING_KEY

    @property
    def admin_token_file(self) -> Path:
        """The first admin's token: written on first start, mode 0600."""
        return self.data_dir / "admin.token"

    @property
    def key_files(self) -> tuple[Path, ...]:
        """The service's key files, all created on first start; empty if the keys are given."""
        if self.given_keys is not None:
            return ()
        return (self.secret_file, self.choice_key_file, self.signing_key_file)

    @property
    def kept_files(self) -> tuple[Path, ...]:
        """The files of the data directory that a backup includes if they exist."""
        return (*self.key_files, self.admin_token_file)


def read_settings(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings that these variables give; raises BadSetting.

    An empty variable counts as not set, except MOVELOG_RATE_LIMIT, where it means no limit.
    """
    given = Variables(environ)
    data_dir = Path(given.text("DATA_DIR", "data")).absolute()
    own = given.redis_url("REDIS_URL")
    smtp_url = given.smtp_url("SMTP_URL")
    redis_url = own or f"unix://{quote(str(data_dir / SOCKET))}"
    return Settings(
        data_dir=data_dir,
        redis_url=redis_url,
        queue_url=given.redis_url("QUEUE_URL") or redis_url,
        log_url=check_log_url(given.log_url("LOG_URL"), own),
        replicas=check_replicas(given.number("REPLICAS", 0, least=0, most=5), own),
        embedded_redis=not own,
        database_url=given.database_url("DATABASE_URL"),
        objects_url=given.objects_url("OBJECTS_URL") or (data_dir / OBJECTS).as_uri(),
        archive_after_days=given.number("ARCHIVE_AFTER_DAYS", 0, least=0, most=36_500),
        archive_above=given.memory("ARCHIVE_ABOVE"),
        redis_connections=given.number("REDIS_CONNECTIONS", 64, least=4, most=10_000),
        idle_timeout=given.number("IDLE_TIMEOUT", 75),
        head_timeout=given.number("HEAD_TIMEOUT", 10),
        body_timeout=given.number("BODY_TIMEOUT", 20),
        min_rate=given.number("MIN_RATE", 1024),
        streams_per_address=given.number("STREAMS_PER_ADDRESS", 500),
        connections_per_address=given.number("CONNECTIONS_PER_ADDRESS", 1000),
        streams_apart=given.choice("STREAMS_APART", ("no", "yes")) == "yes",
        drain_notice=given.number("DRAIN_NOTICE", 1, least=0, most=3600),
        drain_timeout=given.number("DRAIN_TIMEOUT", 20, most=3600),
        host=given.text("HOST", "127.0.0.1"),
        port=given.number("PORT", 8320, least=0, most=65535),
        web_workers=given.number("WEB_WORKERS", 1),
        trusted_proxies=given.networks("TRUSTED_PROXIES"),
        appendfsync=given.choice("APPENDFSYNC", ("always", "everysec", "no")),
        rate_limit=check_rate_limit(environ.get(RATE_LIMIT, USUAL_LIMIT)),
        max_body=given.number("MAX_BODY", 2**20, least=1024),
        max_upload=given.number("MAX_UPLOAD", 2**30, least=1024, most=2**36),
        upload_quota=given.number("UPLOAD_QUOTA", 2**32, least=1024, most=2**36),
        upload_reserve=given.number("UPLOAD_RESERVE", 2**32, least=0, most=2**36),
        imports_per_player=given.number("IMPORTS_PER_PLAYER", 100),
        analysis_quota=given.number("ANALYSIS_QUOTA", 250_000, least=1, most=10**9),
        annotation_quota=given.number("ANNOTATION_QUOTA", 2**24, least=1024, most=2**36),
        cors_origins=given.origins("CORS_ORIGINS"),
        open_registration=given.choice("OPEN_REGISTRATION", ("yes", "no")) == "yes",
        guest_days=given.number("GUEST_DAYS", 30, least=0, most=36_500),
        private_webhooks=given.choice("PRIVATE_WEBHOOKS", ("no", "yes")) == "yes",
        rating_period=given.number("RATING_PERIOD", 7 * 24 * 3600),
        puzzles_per_game=given.number("PUZZLES_PER_GAME", 3, least=0, most=20),
        smtp_url=smtp_url,
        mail_from=given.mailbox("MAIL_FROM", required=smtp_url is not None),
        public_url=given.public_url("PUBLIC_URL", required=smtp_url is not None),
        oidc_issuer=given.issuer("OIDC_ISSUER"),
        oidc_client_id=given.text("OIDC_CLIENT_ID", "") or None,
        oidc_secret=given.text("OIDC_SECRET", "") or None,
        oidc_name=given.text("OIDC_NAME", "") or None,
        given_keys=given.keys(),
    )


def check_log_url(url: str | None, redis_url: str | None) -> str | None:
    """The URL of a separate log; raises BadSetting if there is no URL for the rest of the data."""
    if url and not redis_url:
        reason = f"needs {PREFIX}REDIS_URL, a Redis for all that is not in the log"
        raise BadSetting(f"{PREFIX}LOG_URL", reason)
    return url


def check_replicas(replicas: int, redis_url: str | None) -> int:
    """How many replicas to wait for; raises BadSetting if Redis is embedded and has none."""
    if replicas and not redis_url:
        reason = f"needs {PREFIX}REDIS_URL: the embedded Redis has no replicas"
        raise BadSetting(f"{PREFIX}REPLICAS", reason)
    return replicas


def unknown_settings(environ: Mapping[str, str] = os.environ) -> Iterator[tuple[str, str | None]]:
    """Yield each unknown MOVELOG_ variable, with the known one whose name is nearest to it."""
    own = {field.name.upper() for field in fields(Settings)} - {"EMBEDDED_REDIS", "GIVEN_KEYS"}
    files = {name + FILE for name in SECRETS}
    others = (name.removeprefix(PREFIX) for name in OTHERS)
    known = sorted(own.union(others, files, GIVEN_KEYS.values()))
    for name in sorted(environ):
        word = name.removeprefix(PREFIX)
        if word != name and environ[name] and word not in known:
            nearest = get_close_matches(word, known, 1)
            yield name, PREFIX + nearest[0] if nearest else None
