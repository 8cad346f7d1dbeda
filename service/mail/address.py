"""E-mail addresses."""

from __future__ import annotations

import re
from typing import Final

from engine.phrase import phrase
from service.mail.errors import BadAddress

LONGEST: Final = 254
"""The most characters of an address (RFC 5321, 4.5.3.1.3, less the angle brackets)."""
LONGEST_LOCAL: Final = 64
ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
LOCAL: Final = re.compile(rf"{ATOM}(\.{ATOM})*")
DOMAIN: Final = re.compile(
    r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?"
)


def parse_address(text: str) -> str:
    """An address in the form in which mail is sent to it; raises BadAddress.

    The part before the `@` is a dot-atom of RFC 5322 in ASCII; the part after it is a domain name,
    in ASCII or not.

    >>> parse_address(" Ada.King@Club.Example ")
    'Ada.King@club.example'
    >>> parse_address("ada@bücher.example")
    'ada@xn--bcher-kva.example'
    """
    local, at, domain = text.strip().rpartition("@")
    if not at:
        raise BadAddress("an e-mail address needs an @, as in ada@club.example")
    try:
        host = domain.encode("idna").decode().lower()
    except UnicodeError:
        raise BadAddress("the part after the @ is not a domain name") from None
    if not LOCAL.fullmatch(local) or len(local) > LONGEST_LOCAL:
        raise BadAddress("the part before the @ cannot be read; write it in plain letters")
    if not DOMAIN.fullmatch(host):
        raise BadAddress("the part after the @ is not a domain name such as club.example")
    if len(local) + len(host) >= LONGEST:
        raise BadAddress(phrase("at most {longest} characters", longest=LONGEST))
    return f"{local}@{host}"
