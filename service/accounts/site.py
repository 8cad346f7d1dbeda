"""Where browsers find the service."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Site:
    """The address at which browsers find the service: its origin and the domain of its passkeys."""

    origin: str
    domain: str


def find_site(origin: str) -> Site | None:
    """The site of an origin, or None without passkeys in browsers: without TLS, at an IP address.

    >>> find_site("https://club.example:8443")
    Site(origin='https://club.example:8443', domain='club.example')
    >>> find_site("http://localhost:8320") is None, find_site("http://club.example") is None
    (False, True)
    >>> find_site("https://192.0.2.1") is None
    True
    """
    parts = urlsplit(origin)
    domain = parts.hostname or ""
    local = domain == "localhost" or domain.endswith(".localhost")
    if not domain or not (parts.scheme == "https" or local) or _is_address(domain):
        return None
    return Site(origin, domain)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
