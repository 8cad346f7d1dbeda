"""Links that sign in: who is sent one, how long it is valid, and what it reveals."""

from __future__ import annotations

import pytest

from service.accounts.account import Way
from service.accounts.addresses import MOST_ASKED, MOST_SENT, MOST_TO_ADDRESS
from service.accounts.errors import (
    AddressInUse,
    AnothersLink,
    BadSignInLink,
    LastWayIn,
    SignInRefused,
    TooManyTries,
)
from service.accounts.links import LASTS_S, Purpose
from service.accounts.store import ONCE
from service.accounts.visitor import Visitor
from service.errors import NotFound
from service.mail.errors import BadAddress, MailUnavailable
from service.player.commands import Principal
from tests.service.accounts.support import ELSEWHERE, GOOD, HOME, Parts
from tests.service.contents import contents

ADA = "Ada@Club.example"


def last_link(parts: Parts) -> str:
    """The last part of the link in the newest mail."""
    return parts.links.write(parts.sent[-1][0])


def with_address(parts: Parts, name: str = "Ada", address: str = ADA) -> str:
    """A player who has confirmed an address."""
    player = parts.accounts.register(name, GOOD, HOME)
    parts.addresses.add(player, address, HOME)
    parts.addresses.confirm(last_link(parts), player)
    return player


def test_a_confirmed_address_is_sent_a_link_that_signs_in_once(parts: Parts) -> None:
    ada = with_address(parts)
    parts.addresses.ask_for_link("ada@club.example", HOME)
    assert parts.sent[-1][1] == ada
    found = parts.addresses.find_recipient(parts.sent[-1][0])
    assert found is not None
    assert (found[0].purpose, found[1]) == (Purpose.SIGN_IN, "Ada@club.example")
    link = last_link(parts)
    assert parts.links.read(link, Purpose.SIGN_IN).player == ada
    assert parts.addresses.follow(link) == (ada, Purpose.SIGN_IN)
    with pytest.raises(BadSignInLink, match="used before or has expired"):
        parts.addresses.follow(link)
    assert parts.addresses.find_recipient(parts.sent[-1][0]) is None


def test_nobody_learns_whether_an_address_is_known(parts: Parts) -> None:
    with_address(parts)
    before = len(parts.sent)
    for address in (ADA, "nobody@club.example"):
        parts.addresses.ask_for_link(address, HOME)
    # As much is stored and as many jobs are submitted for one as for the other.
    assert len(parts.sent) == before + 2
    number, player = parts.sent[-1]
    assert player is None
    assert parts.addresses.find_recipient(number) is None
    with pytest.raises(BadSignInLink):
        parts.addresses.follow(parts.links.write(number))


def test_a_pending_address_signs_nobody_in(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    parts.addresses.add(ada, ADA, HOME)
    parts.addresses.ask_for_link(ADA, HOME)
    assert parts.sent[-1][1] is None
    with pytest.raises(BadSignInLink):
        parts.addresses.follow(parts.links.write(parts.sent[0][0]))
    assert parts.store.load(ada).ways == 1


def test_a_link_lasts_so_long(parts: Parts) -> None:
    with_address(parts)
    parts.addresses.ask_for_link(ADA, HOME)
    number = parts.sent[-1][0]
    left = parts.store.store.ttl(f"{ONCE}link:{number}")
    assert 0 < left <= LASTS_S[Purpose.SIGN_IN] <= 20 * 60


@pytest.mark.parametrize("change", ["x", "", "-", "0" * 32, "ž"])
def test_a_made_up_link_is_refused(parts: Parts, change: str) -> None:
    with_address(parts)
    parts.addresses.ask_for_link(ADA, HOME)
    link = last_link(parts)
    for wrong in (change, link + change + "0", link[:-1], f"{link.partition('-')[0]}-{change}"):
        with pytest.raises(BadSignInLink):
            parts.addresses.follow(wrong)
    assert parts.addresses.follow(link)


def test_a_link_of_an_address_that_was_changed_is_good_no_more(parts: Parts) -> None:
    ada = with_address(parts)
    parts.addresses.ask_for_link(ADA, HOME)
    old = last_link(parts)
    parts.addresses.add(ada, "countess@club.example", HOME)
    parts.addresses.confirm(last_link(parts), ada)
    with pytest.raises(SignInRefused):
        parts.addresses.follow(old)
    parts.addresses.ask_for_link(ADA, HOME)
    assert parts.sent[-1][1] is None
    parts.addresses.ask_for_link("countess@club.example", HOME)
    assert parts.sent[-1][1] == ada


def test_an_address_is_one_players(parts: Parts) -> None:
    ada = with_address(parts)
    eve = parts.accounts.register("Eve", GOOD, HOME)
    parts.addresses.add(eve, "ADA@club.example", HOME)
    with pytest.raises(AddressInUse):
        parts.addresses.confirm(last_link(parts), eve)
    parts.accounts.remove_address(ada)
    parts.addresses.add(eve, "ADA@club.example", HOME)
    parts.addresses.confirm(last_link(parts), eve)
    assert parts.accounts.sign_in("ada@club.example", GOOD, HOME) == eve


def test_an_address_that_was_mistyped_confirms_nothing_later(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    parts.addresses.add(ada, "eve@club.example", HOME)
    wrong = last_link(parts)
    parts.addresses.add(ada, ADA, HOME)
    with pytest.raises(BadSignInLink):
        parts.addresses.confirm(wrong, ada)
    parts.addresses.confirm(last_link(parts), ada)


def test_links_are_bounded_and_the_owner_is_not_told_off(parts: Parts) -> None:
    with_address(parts)
    for _ in range(MOST_ASKED):
        parts.addresses.ask_for_link(ADA, HOME)
    assert len([player for _, player in parts.sent if player is not None]) <= 1 + MOST_SENT
    with pytest.raises(TooManyTries):
        parts.addresses.ask_for_link(ADA, HOME)
    parts.addresses.ask_for_link(ADA, ELSEWHERE)


@pytest.mark.parametrize("wrong", ["ada", "a@b", "ada@club.example\r\nBcc: x@y.example", ""])
def test_what_is_no_address_is_refused(parts: Parts, wrong: str) -> None:
    with pytest.raises(BadAddress):
        parts.addresses.ask_for_link(wrong, HOME)
    assert parts.sent == []


def test_without_a_mail_server_there_are_no_links(parts: Parts) -> None:
    parts.addresses.enabled = False
    with pytest.raises(MailUnavailable):
        parts.addresses.ask_for_link(ADA, HOME)
    with pytest.raises(MailUnavailable):
        parts.addresses.add(parts.accounts.register_guest(""), ADA, HOME)


def test_an_admin_lets_a_player_in_again(parts: Parts) -> None:
    ada, operator = parts.accounts.register_guest("Ada"), Principal("movelog:operator", None)
    link = parts.accounts.make_recovery_link(ada, operator)
    assert parts.addresses.follow(link) == (ada, Purpose.RECOVER)
    with pytest.raises(BadSignInLink):
        parts.addresses.follow(link)
    parts.players.erase(ada, Principal(ada, None))
    with pytest.raises(NotFound):
        parts.accounts.make_recovery_link(ada, operator)


def test_a_link_of_an_erased_player_signs_nobody_in(parts: Parts) -> None:
    ada = with_address(parts)
    parts.addresses.ask_for_link(ADA, HOME)
    parts.players.erase(ada, Principal(ada, None))
    parts.accounts.erase(ada)
    assert b"club.example" not in b"".join(contents(parts.store.store).values()).lower()
    with pytest.raises(SignInRefused):
        parts.addresses.follow(last_link(parts))


def test_the_address_may_be_the_last_way_in(parts: Parts) -> None:
    ada = with_address(parts)
    parts.accounts.remove_password(ada)
    with pytest.raises(LastWayIn):
        parts.accounts.remove_address(ada)
    assert parts.accounts.begin_session(ada, Way.MAIL, HOME)


def test_strangers_do_not_use_up_the_owners_links(parts: Parts) -> None:
    ada = with_address(parts)
    for number in range(2 * MOST_TO_ADDRESS):
        parts.addresses.ask_for_link(ADA, Visitor(f"198.51.100.{number // 2}", "Firefox"))
    for_her = [player for _, player in parts.sent if player is not None]
    assert len(for_her) == 1 + MOST_TO_ADDRESS
    device = parts.addresses.guesses.make_device(ada)
    parts.addresses.ask_for_link(ADA, Visitor(HOME.address, "Firefox", device))
    assert parts.sent[-1][1] == ada
    # A browser known for another player counts as a stranger's here.
    eve = parts.accounts.register("Eve", GOOD, HOME)
    device = parts.addresses.guesses.make_device(eve)
    parts.addresses.ask_for_link(ADA, Visitor(HOME.address, "Firefox", device))
    assert parts.sent[-1][1] is None


def test_a_neighbour_does_not_use_up_the_links_of_a_network(parts: Parts) -> None:
    ada = with_address(parts)
    for _ in range(MOST_ASKED):
        parts.addresses.ask_for_link("somebody@club.example", HOME)
    with pytest.raises(TooManyTries):
        parts.addresses.ask_for_link("somebody@club.example", HOME)
    device = parts.addresses.guesses.make_device(ada)
    parts.addresses.ask_for_link(ADA, Visitor(HOME.address, "Firefox", device))
    assert parts.sent[-1][1] == ada


def test_confirmations_use_up_no_links_that_sign_in(parts: Parts) -> None:
    ada = with_address(parts)
    for name in ("Eve", "Mallory"):
        other = parts.accounts.register(name, GOOD, ELSEWHERE)
        for _ in range(MOST_SENT):
            try:
                parts.addresses.add(other, ADA, ELSEWHERE)
            except TooManyTries:
                break
    parts.addresses.ask_for_link(ADA, ELSEWHERE)
    assert parts.sent[-1][1] == ada


def test_nobody_confirms_an_address_for_somebody_else(parts: Parts) -> None:
    """Ada follows, unsuspecting, a link that Eve had sent to her."""
    ada, eve = (parts.accounts.register(name, GOOD, HOME) for name in ("Ada", "Eve"))
    parts.addresses.add(eve, ADA, HOME)
    with pytest.raises(AnothersLink):
        parts.addresses.confirm(last_link(parts), ada)
    assert parts.store.load(eve).address is None
    parts.addresses.add(ada, ADA, HOME)
    parts.addresses.confirm(last_link(parts), ada)


def test_links_that_were_not_used_end_with_the_password(parts: Parts) -> None:
    """A new password, or its removal, invalidates links in older mails."""
    ada = with_address(parts)

    def choose() -> None:
        parts.accounts.choose_password(ada, "Ada", "staple and something", HOME)

    def remove() -> None:
        parts.accounts.remove_password(ada)

    for change in (choose, remove):
        parts.addresses.ask_for_link(ADA, HOME)
        sent, number = last_link(parts), parts.sent[-1][0]
        recovering = parts.accounts.make_recovery_link(ada, Principal("root", None))
        assert parts.links.read(sent, Purpose.SIGN_IN).player == ada
        change()
        for link in (sent, recovering):
            with pytest.raises(BadSignInLink):
                parts.addresses.follow(link)
        # If its mail is still queued, it is not sent.
        assert parts.addresses.find_recipient(number) is None
    parts.addresses.ask_for_link(ADA, HOME)
    assert parts.addresses.follow(last_link(parts)) == (ada, Purpose.SIGN_IN)


def test_an_address_is_confirmed_after_a_new_password(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    parts.addresses.add(ada, ADA, HOME)
    parts.accounts.choose_password(ada, "Ada", "staple and something", HOME)
    parts.addresses.confirm(last_link(parts), ada)
    parts.addresses.ask_for_link(ADA, HOME)
    assert parts.addresses.follow(last_link(parts)) == (ada, Purpose.SIGN_IN)
