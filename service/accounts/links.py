"""Links that are valid once and for a short time: they sign in, or confirm an address.

A link is a random number with its signature. What it is for is kept under the number until it is
used or expires. So a job need only know the number, and only somebody who has the service's secret
can write the link itself.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Final

from service.accounts.account import LINK_ERA
from service.accounts.errors import BadSignInLink
from service.accounts.store import AccountStore
from service.ids import keyed_digest
from service.languages.catalogue import SOURCE


class Purpose(StrEnum):
    """What a link does."""

    SIGN_IN = "sign-in"
    CONFIRM = "confirm"
    RECOVER = "recover"


LASTS_S: Final = {Purpose.SIGN_IN: 20 * 60, Purpose.CONFIRM: 24 * 3600, Purpose.RECOVER: 24 * 3600}
"""Seconds for which a link is valid."""
SIGNS_IN: Final = (Purpose.SIGN_IN, Purpose.RECOVER)
"""The links that sign in; they become void when the password changes."""
PATHS: Final = {
    Purpose.SIGN_IN: "/sign-in/link/",
    Purpose.CONFIRM: "/account/address/",
    Purpose.RECOVER: "/sign-in/link/",
}
"""The path at which browsers follow a link, without its last part."""


@dataclass(frozen=True, slots=True)
class Link:
    """What a link does, and for which player; None if nobody has the address.

    `address` is the key of the address that it was sent to, `language` that of the mail. A link
    that signs in is valid in its `era`, which ends when the player changes the password.
    """

    purpose: Purpose
    player: str | None
    address: str | None = None
    language: str = SOURCE
    era: str = ""


class Links:
    """Makes links, and lets each be used once."""

    def __init__(self, store: AccountStore, secret: bytes) -> None:
        self.store = store
        self.secret = secret

    def make(self, link: Link) -> str:
        """Keep what a link is for; returns its number."""
        number = secrets.token_hex(16)
        text = json.dumps(asdict(replace(link, era=self._find_era(link))))
        self.store.put_once(f"link:{number}", text, LASTS_S[link.purpose])
        return number

    def write(self, number: str) -> str:
        """The last part of the link with this number."""
        return f"{number}-{keyed_digest(self.secret, 'account link', number)[:32]}"

    def find(self, number: str) -> Link | None:
        """What a link is for, if it is still valid.

        None for one that was used, has expired, or signs in and is older than the password.
        """
        return self._read_good(self.store.find_once(f"link:{number}"))

    def void(self, player: str) -> None:
        """Void all links made until now that sign a player in."""
        self.store.put_part(player, LINK_ERA, secrets.token_hex(8))

    def read(self, written: str, *purposes: Purpose) -> Link:
        """What a link is for, without using it; raises BadSignInLink."""
        return self._check(self.find(self._read_number(written)), purposes)

    def use(self, written: str, *purposes: Purpose) -> Link:
        """What a link is for; it cannot be used again. Raises BadSignInLink.

        A link that is for something else is left as it is.
        """
        self.read(written, *purposes)
        text = self.store.take_once(f"link:{self._read_number(written)}")
        return self._check(self._read_good(text), purposes)

    def _read_good(self, text: str | None) -> Link | None:
        link = None if text is None else _read(text)
        if link is None or (link.purpose in SIGNS_IN and link.era != self._find_era(link)):
            return None
        return link

    def _find_era(self, link: Link) -> str:
        """The era of a link's player, looked up even if there is none: the time reveals nothing."""
        return self.store.find_part(link.player or "", LINK_ERA) or ""

    def _read_number(self, written: str) -> str:
        number = written.partition("-")[0]
        if not secrets.compare_digest(self.write(number).encode(), written.encode()):
            raise BadSignInLink
        return number

    def _check(self, link: Link | None, purposes: tuple[Purpose, ...]) -> Link:
        if link is None or link.player is None or link.purpose not in purposes:
            raise BadSignInLink
        return link


def _read(text: str) -> Link:
    values = json.loads(text)
    return Link(**{**values, "purpose": Purpose(values["purpose"])})
