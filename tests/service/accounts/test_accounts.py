"""Registration, guests, passwords, and the erasure, export and restoring of accounts."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest
from argon2 import PasswordHasher

from service.accounts import passwords
from service.accounts.account import LONGEST_FOLDED, Way
from service.accounts.errors import (
    LastWayIn,
    LesserSession,
    NameInUse,
    SignInRefused,
    StaleSession,
    WeakPassword,
)
from service.accounts.passwords import NOBODYS
from service.accounts.proofs import FRESH
from service.accounts.store import PLAYER
from service.errors import BadValue
from service.ids import new_id
from service.player.authentication import Bearer
from service.player.commands import Principal
from service.player.names.name_policy import chosen_name
from service.player.scopes import ADMIN, PLAY
from tests.service.accounts.support import ELSEWHERE, GOOD, HOME, Parts
from tests.service.contents import contents

BETTER = "staple and something"


def signed_in(parts: Parts, player: str, way: Way = Way.PASSWORD) -> Bearer:
    return parts.bearers.authenticate(parts.accounts.begin_session(player, way, HOME))


def test_a_player_signs_in_by_name_and_password(parts: Parts) -> None:
    ada = parts.accounts.register("Ada  King", GOOD, HOME)
    assert parts.players.names([ada]) == {ada: "Ada King"}
    assert parts.accounts.sign_in(" ada KING", GOOD, HOME) == ada
    for name, password in (("Ada King", BETTER), ("Ada", GOOD), ("", ""), ("Ada King", "")):
        with pytest.raises(SignInRefused, match="do not match"):
            parts.accounts.sign_in(name, password, HOME)


def test_what_is_kept_is_no_password_and_not_in_the_log(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    kept = contents(parts.store.store)
    assert GOOD.encode() not in b"".join(kept.values())
    log = b"".join(value for key, value in kept.items() if b":{p" in key)
    assert b"argon2" not in log
    assert b"argon2id" in kept[f"{PLAYER}{ada}".encode()]


def test_a_name_is_one_players_and_a_refused_registration_leaves_nothing(parts: Parts) -> None:
    parts.accounts.register("Ada", GOOD, HOME)
    before = contents(parts.store.store, "movelog:{*")
    with pytest.raises(NameInUse, match="somebody else signs in as 'ADA'"):
        parts.accounts.register("ADA", BETTER, ELSEWHERE)
    with pytest.raises(WeakPassword):
        parts.accounts.register("Brahim", "12345678", HOME)
    with pytest.raises(BadValue):
        parts.accounts.register("admin", GOOD, HOME)
    assert contents(parts.store.store, "movelog:{*") == before


def test_an_unknown_name_costs_as_much_as_a_wrong_password(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    own = parts.store.find_part(ada, "password")
    compared: list[str] = []
    verify = passwords._verify

    def note(hasher: PasswordHasher, hash: str, password: str) -> bool:
        compared.append(hash)
        return verify(hasher, hash, password)

    monkeypatch.setattr(passwords, "_verify", note)
    for name in ("Ada", "Nobody"):
        with pytest.raises(SignInRefused):
            parts.accounts.sign_in(name, BETTER, HOME)
    assert compared == [own, NOBODYS]


def test_a_guest_keeps_everything_when_they_register(parts: Parts) -> None:
    guest = parts.accounts.register_guest("")
    name = parts.players.names([guest])[guest]
    assert name.startswith("Guest ")
    assert parts.players.load(guest).claimed
    assert parts.accounts.proofs.is_guest(guest)
    assert signed_in(parts, guest, Way.GUEST).guest
    parts.accounts.keep_guest(guest, "Ada", GOOD, HOME)
    assert parts.players.names([guest]) == {guest: "Ada"}
    assert parts.accounts.sign_in("Ada", GOOD, HOME) == guest
    assert not parts.accounts.proofs.is_guest(guest)
    assert parts.accounts.register_guest("Zoë") != guest


def test_a_password_is_changed_and_the_old_name_is_free(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    parts.accounts.choose_password(ada, "Countess", BETTER, HOME)
    assert parts.accounts.sign_in("Countess", BETTER, HOME) == ada
    with pytest.raises(SignInRefused):
        parts.accounts.sign_in("Ada", GOOD, HOME)
    other = parts.accounts.register("Ada", GOOD, ELSEWHERE)
    with pytest.raises(NameInUse):
        parts.accounts.choose_password(ada, "ada", GOOD, HOME)
    assert parts.accounts.sign_in("Ada", GOOD, HOME) == other
    assert parts.players.names([ada]) == {ada: "Ada"}


def test_the_last_way_in_stays(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    with pytest.raises(LastWayIn, match="only way"):
        parts.accounts.remove_password(ada)
    parts.players.issue(ada, [PLAY], Principal(ada, None))
    parts.accounts.remove_password(ada)
    with pytest.raises(SignInRefused):
        parts.accounts.sign_in("Ada", GOOD, HOME)
    parts.accounts.register("Ada", GOOD, ELSEWHERE)


def test_whoever_signed_in_long_ago_gives_the_password_again(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    session = signed_in(parts, ada)
    parts.accounts.proofs.check_may_change(session, None, HOME)
    parts.clock.now += FRESH
    with pytest.raises(StaleSession, match="a while ago"):
        parts.accounts.proofs.check_may_change(session, None, HOME)
    with pytest.raises(SignInRefused):
        parts.accounts.proofs.check_may_change(session, BETTER, HOME)
    parts.accounts.proofs.check_may_change(session, GOOD, HOME)
    guest = parts.accounts.register_guest("")
    session = signed_in(parts, guest, Way.GUEST)
    parts.clock.now += FRESH
    parts.accounts.proofs.check_may_change(session, None, HOME)


def test_a_lesser_token_cannot_become_the_player(parts: Parts) -> None:
    """Choosing a password must not turn a limited token into all rights of its player."""
    admin = parts.players.register("Root", None, scopes=[PLAY, ADMIN])
    lesser = parts.players.issue(admin.id, [PLAY], Principal(admin.id, None))
    brief = parts.players.issue(
        admin.id, [PLAY, ADMIN], Principal(admin.id, None), parts.clock.now + 60_000
    )
    for made in (lesser, brief):
        for bearer in (
            parts.bearers.authenticate(made.secret),
            parts.bearers.authenticate(
                parts.accounts.begin_session(admin.id, Way.TOKEN, HOME, made.token.id)
            ),
        ):
            with pytest.raises(LesserSession, match="does not allow everything"):
                parts.accounts.proofs.check_may_change(bearer, None, HOME)
    whole = parts.accounts.begin_session(admin.id, Way.TOKEN, HOME, admin.token.token.id)
    parts.accounts.proofs.check_may_change(parts.bearers.authenticate(whole), None, HOME)
    by_token = parts.bearers.authenticate(admin.token.secret)
    with pytest.raises(StaleSession):
        parts.accounts.proofs.check_may_change(by_token, None, HOME)


def test_nothing_is_left_of_an_erased_player(parts: Parts) -> None:
    before = contents(parts.store.store, "movelog:{accounts}:*")
    ada = parts.accounts.register("Ada", GOOD, HOME)
    parts.accounts.begin_session(ada, Way.PASSWORD, HOME)
    parts.players.erase(ada, Principal(ada, None))
    with pytest.raises(SignInRefused):
        parts.accounts.sign_in("Ada", GOOD, HOME)
    parts.accounts.erase(ada)
    kept = contents(parts.store.store, "movelog:{accounts}:*")
    assert {key for key in kept if b":tries:" not in key} == before.keys()
    parts.accounts.register("Ada", GOOD, HOME)


def test_accounts_are_exported_and_restored(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    session = parts.accounts.begin_session(ada, Way.PASSWORD, HOME)
    kept = contents(parts.store.store, "movelog:{accounts}:*")
    copy = list(parts.store.export())
    assert [player for player, _ in copy] == [ada]
    parts.store.erase(ada)
    for player, values in copy:
        parts.store.restore(player, values)
    assert contents(parts.store.store, "movelog:{accounts}:*") == kept
    assert parts.bearers.authenticate(session).actor.player == ada


def test_names_of_any_length_are_folded_and_refused_at_little_cost(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Putting marks in order takes the square of their number."""
    normalize, lengths = unicodedata.normalize, []

    def note(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
        lengths.append(len(text))
        return normalize(form, text)

    monkeypatch.setattr(unicodedata, "normalize", note)
    marks = "a" + 100_000 * "\u0301" + 100_000 * "\u0316"
    with pytest.raises(SignInRefused):
        parts.accounts.sign_in(marks, GOOD, HOME)
    for begin in (parts.accounts.register_guest, chosen_name):
        with pytest.raises(BadValue, match="200001 characters"):
            begin(marks)
    with pytest.raises(BadValue, match="characters"):
        parts.accounts.register(marks, GOOD, HOME)
    assert max(lengths) <= LONGEST_FOLDED


def test_a_name_is_free_again_if_its_registration_was_killed(parts: Parts) -> None:
    killed = new_id()
    parts.accounts.logins.claim(killed, "Zed")
    with pytest.raises(NameInUse):
        parts.accounts.register("ZED", GOOD, HOME)
    # Ten minutes later.
    parts.accounts.logins.settle(killed)
    zed = parts.accounts.register("ZED", GOOD, HOME)
    assert parts.accounts.sign_in("zed", GOOD, HOME) == zed
    assert parts.store.find_once(f"claiming-logins:{zed}") is None
    with pytest.raises(NameInUse):
        parts.accounts.register("Zed", GOOD, HOME)
    assert parts.accounts.sign_in("zed", GOOD, HOME) == zed
