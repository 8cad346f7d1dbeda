"""Signing in by a link that is sent to a confirmed e-mail address."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from service.accounts.account import ADDRESS, PENDING, Address
from service.accounts.errors import (
    AddressInUse,
    AnothersLink,
    BadSignInLink,
    SignInRefused,
    TooManyTries,
)
from service.accounts.guesses import Guesses
from service.accounts.links import Link, Links, Purpose
from service.accounts.store import AccountStore, Index
from service.accounts.visitor import Visitor
from service.mail.address import parse_address
from service.mail.errors import MailUnavailable

MOST_ASKED: Final = 20
"""Links that one network address may request within `service.accounts.guesses.WINDOW_S`."""
MOST_SENT: Final = 3
"""Links to one e-mail address that one network address or known browser may request in that time.

It is also the limit of links that confirm addresses of one player.
"""
MOST_TO_ADDRESS: Final = 12
"""Links to one e-mail address that all network addresses together may request in that time."""

Send = Callable[[str, str | None], None]
"""Has the link with a number sent to a player, or to nobody if the player is None."""


class Addresses:
    """Players' addresses, and the links sent there; `clock` gives milliseconds since 1970 UTC.

    There are none if mail is not `enabled`.
    """

    def __init__(
        self,
        store: AccountStore,
        links: Links,
        guesses: Guesses,
        clock: Callable[[], int],
        send: Send,
        *,
        enabled: bool,
    ) -> None:
        self.store = store
        self.links = links
        self.guesses = guesses
        self.clock = clock
        self.send = send
        self.enabled = enabled

    def ask_for_link(self, text: str, visitor: Visitor) -> None:
        """Have a link sent to an address, if a player has confirmed it.

        Neither the answer nor the time it takes reveals whether a player has confirmed it. Somebody
        who asks too often gets no more links, but does not keep the owner from getting theirs: a
        browser in which the player has signed in before is counted separately. Raises BadAddress,
        MailUnavailable, and TooManyTries for too many requests from one network address.
        """
        self._check_enabled()
        address = parse_address(text)
        key = self.store.address_key(address)
        player = self.store.find_player(Index.ADDRESSES, key)
        if self.guesses.knows_device(player, visitor.device):
            sent, _ = self.guesses.count("links of device", visitor.device or "")
            may_send = sent <= MOST_SENT
        else:
            asked, wait = self.guesses.count("links of network", visitor.address)
            if asked > MOST_ASKED:
                raise TooManyTries(wait)
            may_send = self._count_sent("links", key, visitor)[0]
        player = player if may_send else None
        link = Link(Purpose.SIGN_IN, player, key, visitor.language)
        self.send(self.links.make(link), player)

    def _count_sent(self, what: str, key: str, visitor: Visitor) -> tuple[bool, int]:
        """Count a link to an address; returns whether it may be sent, and when the count expires.

        The time is in seconds from now.
        """
        here, wait = self.guesses.count(f"{what} to address of network", key, visitor.address)
        if here > MOST_SENT:
            return False, wait
        everywhere, wait = self.guesses.count(f"{what} to address", key)
        return everywhere <= MOST_TO_ADDRESS, wait

    def add(self, player: str, text: str, visitor: Visitor) -> None:
        """Have a link sent that confirms an address with which a player wants to sign in.

        Raises BadAddress, MailUnavailable and TooManyTries.
        """
        self._check_enabled()
        address = parse_address(text)
        key = self.store.address_key(address)
        sent, wait = self.guesses.count("confirmations of player", player)
        if sent > MOST_SENT:
            raise TooManyTries(wait)
        may_send, wait = self._count_sent("confirmations", key, visitor)
        if not may_send:
            raise TooManyTries(wait)
        pending = Address(address, self.clock())
        self.store.put_part(player, PENDING, pending.to_json())
        link = Link(Purpose.CONFIRM, player, key, visitor.language)
        self.send(self.links.make(link), player)

    def check_own(self, written: str, player: str) -> None:
        """Raise AnothersLink unless a link confirms this player's address; raises BadSignInLink.

        Otherwise a player could have a stranger confirm the stranger's address for the player's
        account.
        """
        if self.links.read(written, Purpose.CONFIRM).player != player:
            raise AnothersLink

    def confirm(self, written: str, player: str) -> None:
        """Let a player sign in with the address to which this link was sent.

        Raises BadSignInLink, AnothersLink, and AddressInUse if another player has the address.
        """
        self.check_own(written, player)
        link = self.links.use(written, Purpose.CONFIRM)
        assert link.player is not None
        account = self.store.load(link.player)
        pending, old = account.pending, account.address
        if pending is None or self.store.address_key(pending.address) != link.address:
            raise BadSignInLink
        if not self.store.claim(Index.ADDRESSES, link.address, link.player):
            raise AddressInUse
        confirmed = replace(pending, confirmed_at=self.clock())
        self.store.put_part(link.player, ADDRESS, confirmed.to_json())
        self.store.remove_parts(link.player, PENDING)
        if old is not None and (key := self.store.address_key(old.address)) != link.address:
            self.store.release(Index.ADDRESSES, key, link.player)

    def follow(self, written: str) -> tuple[str, Purpose]:
        """The player who signs in by a link, and its kind; raises BadSignInLink and SignInRefused.

        A link in a mail is good only while its player has that address.
        """
        link = self.links.use(written, Purpose.SIGN_IN, Purpose.RECOVER)
        assert link.player is not None
        if link.purpose is Purpose.SIGN_IN:
            account = self.store.load(link.player)
            own = account.address
            if own is None or self.store.address_key(own.address) != link.address:
                raise SignInRefused
        return link.player, link.purpose

    def find_recipient(self, number: str) -> tuple[Link, str] | None:
        """What a link is for and the address it is sent to, or None if it is no longer valid."""
        link = self.links.find(number)
        if link is None or link.player is None:
            return None
        account = self.store.load(link.player)
        to = account.pending if link.purpose is Purpose.CONFIRM else account.address
        if to is None or self.store.address_key(to.address) != link.address:
            return None
        return link, to.address

    def _check_enabled(self) -> None:
        if not self.enabled:
            raise MailUnavailable
