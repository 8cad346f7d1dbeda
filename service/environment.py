"""The environment's variables, each parsed and checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from engine.described_error import DescribedError
from service.store_urls import ServerList, has_sentinels, split_cluster, split_sentinels

REDIS_SCHEMES: Final = ("redis", "rediss", "unix")
SMTP_SCHEMES: Final = ("smtp", "smtps", "smtp+plain")
DATABASE_SCHEMES: Final = ("postgresql", "postgres")
PREFIX: Final = "MOVELOG_"
RATE_LIMIT: Final = "MOVELOG_RATE_LIMIT"
USUAL_LIMIT: Final = "6000/minute"

SECRET_KEY: Final = "secret.key"
CHOICE_KEY: Final = "choice.key"
SIGNING_KEY: Final = "signing.key"
GIVEN_KEYS: Final = {
    SECRET_KEY: "SECRET_KEY",
    CHOICE_KEY: "CHOICE_KEYS",
    SIGNING_KEY: "SIGNING_KEYS",
}
"""The variable that holds the content of each key file, without PREFIX."""

SENTINELS: Final = "Sentinels and their name of the master, such as redis+sentinel://host,host/name"
"""What the URL of a Redis with Sentinels has to name."""

SECRETS: Final = (
    *GIVEN_KEYS.values(),
    "REDIS_URL",
    "LOG_URL",
    "QUEUE_URL",
    "DATABASE_URL",
    "SMTP_URL",
    "OIDC_SECRET",
)
"""Variables that may hold a secret; each has one ending with _FILE, which names a file instead."""

FILE: Final = "_FILE"
LONGEST_FILE: Final = 1 << 16
"""The most bytes that such a file may have."""

ORIGIN: Final = re.compile(r"\*|[a-z][a-z0-9+.-]*://[^/?#@\s]+")
"""An origin as browsers send it, or `*` for all of them."""


MEMORY: Final = re.compile(r"([1-9][0-9]?)%|([1-9][0-9]{0,8})")
"""A percentage, or MiB."""


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """A limit in `bytes`, or in `percent` of the memory there is; the other one is 0."""

    percent: int = 0
    bytes: int = 0


class BadSetting(DescribedError):
    """An environment variable with an invalid value: its `name`, and the reason."""

    message = "{name}: {reason}"
    name: str
    reason: str


class Variables:
    """The environment's variables by their names without PREFIX; an empty one counts as not set.

    Every method raises BadSetting for an invalid value.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def text(self, name: str, default: str) -> str:
        """The variable's value, or the content of the file that it names."""
        if name in SECRETS and (content := self._content(name + FILE)) is not None:
            if self._environ.get(PREFIX + name):
                raise BadSetting(PREFIX + name + FILE, f"not with {PREFIX}{name}: give one of them")
            try:
                return content.decode().strip() or default
            except UnicodeDecodeError:
                raise BadSetting(PREFIX + name + FILE, "the file is not UTF-8") from None
        return self._environ.get(PREFIX + name) or default

    def _content(self, name: str) -> bytes | None:
        """The content of the file that a variable names, or None if it is not set."""
        path = self._environ.get(PREFIX + name)
        if not path:
            return None
        try:
            with Path(path).open("rb") as file:
                content = file.read(LONGEST_FILE + 1)
        except OSError as error:
            reason = f"{path} cannot be read: {error.strerror}"
            raise BadSetting(PREFIX + name, reason) from error
        if not 0 < len(content) <= LONGEST_FILE:
            raise BadSetting(PREFIX + name, f"{path} is empty, or has over {LONGEST_FILE} bytes")
        return content

    def keys(self) -> Mapping[str, tuple[str, bytes]] | None:
        """The service's keys if they are given, all of them or none."""
        given = {name: self._key(variable) for name, variable in GIVEN_KEYS.items()}
        found = {name: key for name, key in given.items() if key is not None}
        if found and (missing := [name for name in given if name not in found]):
            variable, other = (PREFIX + GIVEN_KEYS[names[0]] for names in (missing, list(found)))
            reason = f"needed in the environment or as a file ({variable}{FILE}), as {other} is"
            raise BadSetting(variable, f"{reason}: give all keys, or none")
        return found or None

    def _key(self, variable: str) -> tuple[str, bytes] | None:
        text, path = (self._environ.get(PREFIX + variable + end) for end in ("", FILE))
        if text and path:
            raise BadSetting(PREFIX + variable + FILE, f"not with {PREFIX}{variable}")
        if text:
            return PREFIX + variable, text.encode()
        content = self._content(variable + FILE)
        return None if content is None else (f"{PREFIX}{variable}{FILE} ({path})", content)

    def number(self, name: str, default: int, least: int = 1, most: int = 2**31) -> int:
        """A whole number from `least` to `most`."""
        text = self.text(name, str(default))
        digits = text.isascii() and text.isdigit() and len(text) < 12
        if not (digits and least <= int(text) <= most):
            raise BadSetting(PREFIX + name, f"a whole number from {least} to {most}")
        return int(text)

    def memory(self, name: str) -> MemoryLimit | None:
        """A whole percentage or number of MiB, or None if it is not set."""
        text = self.text(name, "")
        if not text:
            return None
        found = MEMORY.fullmatch(text)
        if not found:
            raise BadSetting(PREFIX + name, "a whole number of MiB, or percent, such as 75%")
        percent, size = found.groups()
        return MemoryLimit(percent=int(percent or 0), bytes=int(size or 0) << 20)

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """One of `choices`; the first is the default."""
        text = self.text(name, choices[0])
        if text not in choices:
            raise BadSetting(PREFIX + name, f"{', '.join(choices[:-1])} or {choices[-1]}")
        return text

    def redis_url(self, name: str) -> str | None:
        """The URL of a Redis, or None if it is not set."""
        if has_sentinels(self.text(name, "")):
            return self._url_of_several(name, split_sentinels, SENTINELS)
        reason = "a URL that begins with redis://, rediss:// or unix://, with a port to 65535"
        return self._url(name, REDIS_SCHEMES, reason)

    def log_url(self, name: str) -> str | None:
        """The URL of a Redis Cluster, or of a Redis with Sentinels, or None if it is not set."""
        if has_sentinels(self.text(name, "")):
            return self._url_of_several(name, split_sentinels, SENTINELS)
        reason = "nodes of a Redis Cluster, such as redis-cluster://host:6379,host:6379"
        return self._url_of_several(name, split_cluster, f"{reason}, or {SENTINELS}")

    def _url_of_several(
        self, name: str, split: Callable[[str], ServerList], reason: str
    ) -> str | None:
        url = self.text(name, "")
        try:
            if url:
                split(url)
        except ValueError:
            raise BadSetting(PREFIX + name, reason) from None
        return url or None

    def database_url(self, name: str) -> str | None:
        """The URL of a PostgreSQL, or None if it is not set."""
        reason = "a URL that begins with postgresql://, or empty for SQLite"
        return self._url(name, DATABASE_SCHEMES, reason)

    def _url(self, name: str, schemes: tuple[str, ...], reason: str) -> str | None:
        url = self.text(name, "")
        try:
            parts = urlsplit(url)
            known = not url or (parts.scheme in schemes and parts.port != 0)
        except ValueError:
            known = False
        if not known:
            raise BadSetting(PREFIX + name, reason)
        return url or None

    def objects_url(self, name: str) -> str | None:
        """A folder or a bucket, or None if it is not set."""
        url = self.text(name, "")
        parts = urlsplit(url)
        folder = parts.scheme == "file" and not parts.netloc and len(parts.path) > 1
        bucket = parts.scheme == "s3" and bool(parts.netloc)
        if url and not ((folder or bucket) and not (parts.query or parts.fragment)):
            reason = "file:///folder or s3://bucket/prefix, or empty for the data directory"
            raise BadSetting(PREFIX + name, reason)
        return url or None

    def smtp_url(self, name: str) -> str | None:
        """The server that sends mail, or None if it is not set."""
        url = self.text(name, "")
        try:
            parts = urlsplit(url)
            known = not url or (
                parts.scheme in SMTP_SCHEMES and bool(parts.hostname) and parts.port != 0
            )
        except ValueError:
            known = False
        if not known or (url and parts.path not in ("", "/")):
            reason = "smtp://user:password@host:587 (STARTTLS) or smtps://host:465 (TLS)"
            raise BadSetting(PREFIX + name, reason)
        if url and parts.scheme == "smtp+plain" and parts.username is not None:
            raise BadSetting(PREFIX + name, "smtp+plain:// sends no password: use smtp or smtps")
        return url or None

    def mailbox(self, name: str, *, required: bool) -> str | None:
        """The sender of mail, or None if it is not set and not `required`."""
        text = self.text(name, "")
        if not text and not required:
            return None
        # Imported only here: most commands do not need it.
        from email.policy import default

        found = default.header_factory("From", text).addresses
        if len(found) != 1 or not (found[0].username and found[0].domain) or not text.isprintable():
            reason = "an address such as Movelog <games@club.example>; MOVELOG_SMTP_URL needs it"
            raise BadSetting(PREFIX + name, reason)
        return text

    def public_url(self, name: str, *, required: bool) -> str | None:
        """A web origin, or None if it is not set and not `required`."""
        url = self.text(name, "")
        if not url and not required:
            return None
        if not ORIGIN.fullmatch(url) or not url.startswith(("http://", "https://")):
            reason = "the address of the service, such as https://club.example; mails link to it"
            raise BadSetting(PREFIX + name, reason)
        return url

    def issuer(self, name: str) -> str | None:
        """An OpenID Connect provider, which also needs a client id, or None if it is not set."""
        url = self.text(name, "")
        if not url:
            return None
        parts = urlsplit(url)
        local = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
        if not (parts.hostname and (parts.scheme == "https" or local)) or parts.query:
            reason = "the provider's address in its discovery document, such as https://id.example"
            raise BadSetting(PREFIX + name, reason)
        if not self.text("OIDC_CLIENT_ID", ""):
            raise BadSetting(f"{PREFIX}OIDC_CLIENT_ID", f"needed with {PREFIX}{name}")
        return url

    def networks(self, name: str) -> tuple[IPv4Network | IPv6Network, ...]:
        """Networks, separated by commas or blanks; a single address is a network of one."""
        try:
            return tuple(ip_network(text) for text in self.text(name, "").replace(",", " ").split())
        except ValueError as error:
            reason = f"addresses or networks such as 10.0.0.0/8 or ::1; {error}"
            raise BadSetting(PREFIX + name, reason) from error

    def origins(self, name: str) -> tuple[str, ...]:
        """Origins, separated by blanks."""
        origins = tuple(self.text(name, "").split())
        for origin in origins:
            if not ORIGIN.fullmatch(origin):
                reason = f"origins such as https://example.org; {origin} is not one"
                raise BadSetting(PREFIX + name, reason)
        return origins


def check_rate_limit(text: str) -> str:
    """A limit in the notation of the `limits` library, or an empty text; raises BadSetting."""
    if text in ("", USUAL_LIMIT):
        return text
    # Imported only here: most commands do not need it, and it takes as long to load as they do.
    from limits import parse_many

    try:
        (limit,) = parse_many(text)
    except ValueError:
        raise BadSetting(RATE_LIMIT, f"a limit such as {USUAL_LIMIT}, or empty for none") from None
    if limit.amount < 1:
        raise BadSetting(RATE_LIMIT, "at least one request, or empty for no limit")
    return text
