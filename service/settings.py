"""Settings, read from the environment once, when a process starts."""

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
"""The folder of the data directory that is the object store where no other is given."""

OTHERS: Final = (
    "MOVELOG_URL",
    "MOVELOG_TOKEN",
    "MOVELOG_PURE",
    "MOVELOG_NETWORKS",
    "MOVELOG_LISTEN_FD",
)
"""Variables that are read elsewhere: by commands, by the engine, by a web process of `serve`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be configured; `docs/operations.md` lists the variables.

    `redis_url` keeps the log and what is no event, `queue_url` the job queue (which may lose all it
    has). Both default to the embedded server in `data_dir`. `log_url` is a Redis Cluster, or a
    Redis with Sentinels, that keeps the log instead. What is appended has to be on `replicas`
    before it is acknowledged. `database_url` keeps the read models: PostgreSQL, or SQLite in
    `data_dir` where it is None. `objects_url` is the object store (`service.storage.objects`), a
    folder of `data_dir` unless another is given.
    `redis_connections` is how many connections to each of them a process holds at most.
    A request's first byte is waited for `idle_timeout` seconds, the rest of its head
    `head_timeout`; a body may be silent for `body_timeout`, and has to come, like an answer to
    go, with `min_rate` bytes a second.
    A web process holds `streams_per_address` event streams for one address, and takes
    `connections_per_address` connections of one.
    With `streams_apart`, processes of their own answer event streams. A process that is told to
    stop says for `drain_notice` seconds that it is not ready, and then ends its requests within
    `drain_timeout` seconds.
    What `trusted_proxies` say of the clients they forward is believed.
    `rate_limit` is in the notation of the `limits` library, per principal or address; empty for
    none. `max_body` and, for files of records, `max_upload` are in bytes.
    `upload_quota` is how many bytes of such files a player may send in a day, and
    `imports_per_player` how many imports of one may come in, wait and run. `cors_origins` are the
    origins browsers may call from.
    Finished games are archived `archive_after_days` after somebody touched them last, never with 0,
    and earlier where Redis has more than `archive_above` in memory.
    Guests who have left nothing are removed `guest_days` after their last visit, never with 0.
    With `private_webhooks`, webhooks may lead to addresses that are not public, without TLS too.
    `rating_period` is in seconds.
    At most `puzzles_per_game` puzzles are looked for in an analysed game, none with 0.
    Mail is sent as `mail_from` through the server of `smtp_url`, with links that begin with
    `public_url`; none where `smtp_url` is None.
    People can sign in by the OpenID Connect provider of `oidc_issuer`, called `oidc_name`, where
    this service is known as `oidc_client_id`.
    `given_keys` are the service's keys where the operator gives them: by the name of the file that
    would have each, what messages call it, and its content. None where they lie in `data_dir`.
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
    imports_per_player: int
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
        """Whether players can be told of something by e-mail."""
        return self.smtp_url is not None

    @property
    def archives(self) -> bool:
        """Whether old games leave Redis by themselves."""
        return self.archive_after_days > 0 or self.archive_above is not None

    @property
    def shares_objects(self) -> bool:
        """Whether the object store is one that the operator names, not the data directory's."""
        return self.objects_url != (self.data_dir / OBJECTS).as_uri()

    @property
    def socket(self) -> Path:
        """Where the embedded Redis listens, unless no socket can have so long a path."""
        return self.data_dir / SOCKET

    @property
    def secret_file(self) -> Path:
        """The service's key: made on first start, mode 0600, in every backup."""
        return self.data_dir / SECRET_KEY

    @property
    def choice_key_file(self) -> Path:
        """The keys of secret choices: made on first start, mode 0600, in every backup."""
        return self.data_dir / CHOICE_KEY

    @property
    def signing_key_file(self) -> Path:
        """The key that signs exports: made on first start, mode 0600, in every backup."""
        return self.data_dir / SIGNING_KEY

    @property
    def admin_token_file(self) -> Path:
        """The first admin's token: written on first start, mode 0600."""
        return self.data_dir / "admin.token"

    @property
    def key_files(self) -> tuple[Path, ...]:
        """The keys of the service, all of which are made on first start; none that are given."""
        if self.given_keys is not None:
            return ()
        return (self.secret_file, self.choice_key_file, self.signing_key_file)

    @property
    def kept_files(self) -> tuple[Path, ...]:
        """The files of the data directory that a backup keeps, where they are there."""
        return (*self.key_files, self.admin_token_file)


def read_settings(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings these variables give; raises BadSetting.

    An empty variable counts as not set, but for MOVELOG_RATE_LIMIT, where it means no limit.
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
        imports_per_player=given.number("IMPORTS_PER_PLAYER", 100),
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
    """What keeps the log by itself; raises BadSetting where nothing is told of all the rest."""
    if url and not redis_url:
        reason = f"needs {PREFIX}REDIS_URL, a Redis for all that is not in the log"
        raise BadSetting(f"{PREFIX}LOG_URL", reason)
    return url


def check_replicas(replicas: int, redis_url: str | None) -> int:
    """How many replicas are waited for; raises BadSetting for those of the embedded Redis."""
    if replicas and not redis_url:
        reason = f"needs {PREFIX}REDIS_URL: the embedded Redis has no replicas"
        raise BadSetting(f"{PREFIX}REPLICAS", reason)
    return replicas


def unknown_settings(environ: Mapping[str, str] = os.environ) -> Iterator[tuple[str, str | None]]:
    """Yield each MOVELOG_ variable that means nothing, with the known one that is nearest to it."""
    own = {field.name.upper() for field in fields(Settings)} - {"EMBEDDED_REDIS", "GIVEN_KEYS"}
    files = {name + FILE for name in SECRETS}
    others = (name.removeprefix(PREFIX) for name in OTHERS)
    known = sorted(own.union(others, files, GIVEN_KEYS.values()))
    for name in sorted(environ):
        word = name.removeprefix(PREFIX)
        if word != name and environ[name] and word not in known:
            nearest = get_close_matches(word, known, 1)
            yield name, PREFIX + nearest[0] if nearest else None
