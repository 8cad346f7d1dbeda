"""Guests who never came back and left nothing behind are removed; nobody else is."""

from __future__ import annotations

from functools import partial
from itertools import count

import pytest

from service.accounts import guests
from service.accounts.account import Way
from service.accounts.guests import DAY, GuestRemoval
from service.composition.projector import compose_guest_removal
from service.errors import NotFound
from service.player.commands import Principal
from service.player.errors import BadToken
from service.player.repository import NewPlayer
from tests.service.accounts.support import GOOD, HOME, Parts
from tests.service.api.client import Api
from tests.service.api.conftest import ada, api, configured
from tests.service.contents import contents

__all__ = ["ada", "api", "configured"]

DAYS = 30


def removal(parts: Parts, *players: str, days: int = DAYS) -> GuestRemoval:
    """The removal of guests; these players count as having left something."""

    def erase(player: str) -> None:
        parts.players.erase(player, Principal(player, None))
        parts.accounts.erase(player)

    return GuestRemoval(
        parts.store, parts.accounts.proofs.is_guest, players.__contains__, erase, parts.clock, days
    )


def arrive(parts: Parts, name: str = "") -> tuple[str, str]:
    """Register a guest; return their id and the secret of their session."""
    id = parts.accounts.register_guest(name)
    return id, parts.accounts.begin_session(id, Way.GUEST, HOME)


def test_who_does_not_come_back_is_removed_with_the_session(parts: Parts) -> None:
    id, cookie = arrive(parts)
    going = removal(parts)
    parts.clock.now += DAYS * DAY - 1
    assert going.run() == 0
    parts.clock.now += 1
    assert going.run() == 1
    assert parts.players.load(id).erased
    with pytest.raises(BadToken):
        parts.bearers.authenticate(cookie)
    assert id.encode() not in b"".join(
        value for key, value in contents(parts.store.store).items() if b"{accounts}" in key
    )
    assert going.run() == 0


def test_who_comes_back_stays_as_long_again(parts: Parts) -> None:
    id, cookie = arrive(parts)
    parts.clock.now += (DAYS - 1) * DAY
    parts.bearers.forget()
    assert parts.bearers.authenticate(cookie).guest
    going = removal(parts)
    parts.clock.now += DAY
    assert going.run() == 0
    parts.clock.now += (DAYS - 1) * DAY
    assert going.run() == 1
    assert parts.players.load(id).erased


def test_who_has_played_or_keeps_the_account_stays(parts: Parts) -> None:
    played, _ = arrive(parts, "Zoë")
    kept, _ = arrive(parts)
    parts.accounts.keep_guest(kept, "Ada", GOOD, HOME)
    parts.clock.now += 10 * DAYS * DAY
    going = removal(parts, played)
    assert going.run() == 0
    assert going.run() == 0
    assert parts.players.names([played, kept]) == {played: "Zoë", kept: "Ada"}


def test_with_0_days_everybody_stays(parts: Parts) -> None:
    id, _ = arrive(parts)
    parts.clock.now += 1000 * DAY
    assert removal(parts, days=0).run() == 0
    assert not parts.players.load(id).erased


def test_who_cannot_be_removed_keeps_nobody_from_it(parts: Parts) -> None:
    stays, goes = arrive(parts)[0], arrive(parts)[0]
    going = removal(parts)
    erase = going.erase

    def fail(player: str) -> None:
        if player == stays:
            raise NotFound("player", player)
        erase(player)

    going.erase = fail
    parts.clock.now += DAYS * DAY
    assert going.run() == 1
    assert parts.players.load(goes).erased


def test_a_run_that_takes_long_leaves_the_rest_to_the_next(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        arrive(parts)
    parts.clock.now += DAYS * DAY
    going = removal(parts)
    passing = count(step=4)
    monkeypatch.setattr(guests, "monotonic", lambda: next(passing))
    assert going.run() == 2
    assert going.run() == 1


def test_a_restored_guest_is_removed_as_well(parts: Parts) -> None:
    id, _ = arrive(parts)
    exported = dict(parts.store.export())
    parts.store.erase(id)
    parts.store.restore(id, exported[id])
    parts.clock.now += DAYS * DAY
    assert removal(parts).run() == 1


def test_a_guests_game_keeps_both_names(api: Api, ada: NewPlayer) -> None:
    """Guests who were challenged are kept, and so are their names; an idle one is removed."""
    accounts = api.service.accounts
    played, offered, idle = (accounts.register_guest(name) for name in ("Zoë", "Yann", "Xaver"))
    create = partial(api.created, by=ada)
    with_zoe = create({"variant": "katruji", "side": "first", "opponent": played})
    create({"variant": "katruji", "side": "first", "opponent": offered})
    api.project()
    going = compose_guest_removal(api.service)
    going.clock = lambda: api.service.games.clock() + 31 * DAY
    assert going.run() == 1
    names = api.service.players.names([played, offered, idle])
    assert names == {played: "Zoë", offered: "Yann", idle: "?"}
    game = api.get(with_zoe, ada).json
    assert game
    assert game["players"]["second"]["name"] == "Zoë"
