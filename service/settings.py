"""Settings, read from the environment once, when a process starts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import quote, urlsplit

SOCKET = "redis.sock"
SCHEMES = ("redis", "rediss", "unix")


class BadSetting(Exception):
    """An environment variable that cannot be: `name` and why."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name = name
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be configured; `docs/operations.md` lists the variables.

    `redis_url` keeps the log and the projections, `queue_url` the job queue (which may
    lose all it has). Both default to the embedded server in `data_dir`.
    `redis_connections` is how many connections to each of them a process holds at most.
    A request's first byte is waited for `idle_timeout` seconds, the rest of its head
    `head_timeout`; a body may be silent for `body_timeout`, and has to come, like an answer to
    go, with `min_rate` bytes a second.
    A web process holds `streams_per_address` event streams for one address, and takes
    `connections_per_address` connections of one.
    What `trusted_proxies` say of the clients they forward is believed.
    `rate_limit` is in the notation of the `limits` library, per principal or address; empty for
    none. `max_body` and, for files of records, `max_upload` are in bytes.
    `upload_quota` is how many bytes of such files a player may send in a day, and
    `imports_per_player` how many imports of one may wait and run. `cors_origins` are the
    origins browsers may call from.
    With `private_webhooks`, webhooks may lead to addresses that are not public, without TLS too.
    `rating_period` is in seconds.
    """

    data_dir: Path
    redis_url: str
    queue_url: str
    embedded_redis: bool
    redis_connections: int
    idle_timeout: int
    head_timeout: int
    body_timeout: int
    min_rate: int
    streams_per_address: int
    connections_per_address: int
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
    private_webhooks: bool
    rating_period: int

    @property
    def socket(self) -> Path:
        """Where the embedded Redis listens, unless no socket can have so long a path."""
        return self.data_dir / SOCKET

    @property
    def secret_file(self) -> Path:
        """The service's key: made on first start, mode 0600, in every backup."""
        return self.data_dir / "secret.key"

    @property
    def choice_key_file(self) -> Path:
        """The keys of secret choices: made on first start, mode 0600, in every backup."""
        return self.data_dir / "choice.key"

    @property
    def signing_key_file(self) -> Path:
        """The key that signs exports: made on first start, mode 0600, in every backup."""
        return self.data_dir / "signing.key"

    @property
    def admin_token_file(self) -> Path:
        """The first admin's token: written on first start, mode 0600."""
        return self.data_dir / "admin.token"

    @property
    def kept_files(self) -> tuple[Path, ...]:
        """The files of the data directory that a backup keeps, where they are there."""
        keys = (self.secret_file, self.choice_key_file, self.signing_key_file)
        return (*keys, self.admin_token_file)


def read_settings(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings these variables give; raises BadSetting."""
    data_dir = Path(environ.get("MOVELOG_DATA_DIR", "data")).absolute()
    own = environ.get("MOVELOG_REDIS_URL")
    redis_url = own or f"unix://{quote(str(data_dir / SOCKET))}"
    fsync = environ.get("MOVELOG_APPENDFSYNC", "always")
    if fsync not in ("always", "everysec", "no"):
        raise BadSetting("MOVELOG_APPENDFSYNC", "always, everysec or no")
    for name in ("MOVELOG_REDIS_URL", "MOVELOG_QUEUE_URL"):
        if environ.get(name) and urlsplit(environ[name]).scheme not in SCHEMES:
            raise BadSetting(name, "a URL that begins with redis://, rediss:// or unix://")
    registration = environ.get("MOVELOG_OPEN_REGISTRATION", "yes")
    if registration not in ("yes", "no"):
        raise BadSetting("MOVELOG_OPEN_REGISTRATION", "yes or no")
    private = environ.get("MOVELOG_PRIVATE_WEBHOOKS", "no")
    if private not in ("yes", "no"):
        raise BadSetting("MOVELOG_PRIVATE_WEBHOOKS", "yes or no")
    return Settings(
        data_dir=data_dir,
        redis_url=redis_url,
        queue_url=environ.get("MOVELOG_QUEUE_URL") or redis_url,
        embedded_redis=not own,
        redis_connections=_number(environ, "MOVELOG_REDIS_CONNECTIONS", 64, least=4, most=10_000),
        idle_timeout=_number(environ, "MOVELOG_IDLE_TIMEOUT", 75, least=1),
        head_timeout=_number(environ, "MOVELOG_HEAD_TIMEOUT", 10, least=1),
        body_timeout=_number(environ, "MOVELOG_BODY_TIMEOUT", 20, least=1),
        min_rate=_number(environ, "MOVELOG_MIN_RATE", 1024, least=1),
        streams_per_address=_number(environ, "MOVELOG_STREAMS_PER_ADDRESS", 500, least=1),
        connections_per_address=_number(environ, "MOVELOG_CONNECTIONS_PER_ADDRESS", 1000, least=1),
        host=environ.get("MOVELOG_HOST", "127.0.0.1"),
        port=_number(environ, "MOVELOG_PORT", 8320, least=0, most=65535),
        web_workers=_number(environ, "MOVELOG_WEB_WORKERS", 1, least=1),
        trusted_proxies=_networks(environ, "MOVELOG_TRUSTED_PROXIES"),
        appendfsync=fsync,
        rate_limit=environ.get("MOVELOG_RATE_LIMIT", "6000/minute"),
        max_body=_number(environ, "MOVELOG_MAX_BODY", 2**20, least=1024),
        max_upload=_number(environ, "MOVELOG_MAX_UPLOAD", 2**30, least=1024, most=2**36),
        upload_quota=_number(environ, "MOVELOG_UPLOAD_QUOTA", 2**32, least=1024, most=2**36),
        imports_per_player=_number(environ, "MOVELOG_IMPORTS_PER_PLAYER", 100, least=1),
        cors_origins=tuple(environ.get("MOVELOG_CORS_ORIGINS", "").split()),
        open_registration=registration == "yes",
        private_webhooks=private == "yes",
        rating_period=_number(environ, "MOVELOG_RATING_PERIOD", 7 * 24 * 3600, least=1),
    )


def _number(
    environ: Mapping[str, str], name: str, default: int, least: int, most: int = 2**31
) -> int:
    text = environ.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) < 12 and least <= int(text) <= most):
        raise BadSetting(name, f"a whole number from {least} to {most}")
    return int(text)


def _networks(environ: Mapping[str, str], name: str) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(text) for text in environ.get(name, "").replace(",", " ").split())
    except ValueError as error:
        raise BadSetting(name, f"addresses or networks, as 10.0.0.0/8 or ::1; {error}") from error
