"""Which passwords may be chosen, and the bound on how many are hashed at a time."""

from __future__ import annotations

import threading

import pytest

from service.accounts import passwords
from service.accounts.errors import TooBusy, WeakPassword
from service.accounts.passwords import (
    LONGEST,
    MOST_ADMITTED,
    MOST_FOR_ONE,
    NOBODYS,
    Passwords,
    check_password,
    list_commonest,
)
from tests.service.accounts.support import CHEAP, GOOD
from tests.waiting import eventually


@pytest.mark.parametrize(
    "password",
    [
        "",
        "short",
        "1234567",
        "Password",
        "SUNSHINE",
        "aaaaaaaaaaaa",
        "abababababab",
        "ada lovelace",
    ],
)
def test_a_password_that_is_tried_first_is_refused(password: str) -> None:
    with pytest.raises(WeakPassword, match="this password "):
        check_password(password, "Ada Lovelace")


@pytest.mark.parametrize("password", [GOOD, "x7#kQp2!", "пароль мой длинный", "a b c d e f"])
def test_any_other_of_eight_characters_may_be_chosen(password: str) -> None:
    check_password(password, "Ada")
    assert Passwords(CHEAP).matches(Passwords(CHEAP).hash(password, ""), password, "")


def test_a_password_may_be_long_but_not_endless() -> None:
    check_password("xyz" * (LONGEST // 3), "Ada")
    with pytest.raises(WeakPassword, match="more than"):
        check_password("xyz" * LONGEST, "Ada")


def test_the_commonest_are_many_and_in_small_letters() -> None:
    commonest = list_commonest()
    assert sum(len(one) >= 8 for one in commonest) > 10_000
    assert all(one == one.casefold() for one in commonest)


def test_a_password_is_known_again_and_another_is_not() -> None:
    own = Passwords()
    kept = own.hash("Käse und Brot", "here")
    assert own.hash("Käse und Brot", "here") != kept
    assert own.matches(kept, "Käse und Brot", "here")
    assert own.matches(kept, "Ka\u0308se und Brot", "here")
    assert not own.matches(kept, "käse und brot", "here")
    assert not own.matches(None, "Käse und Brot", "here")
    assert not own.is_outdated(kept)


def test_nobodys_hash_costs_what_a_real_one_does() -> None:
    assert not Passwords().is_outdated(NOBODYS)


def test_a_flood_is_refused_and_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    own, go_on = Passwords(), threading.Event()
    entered = threading.Semaphore(0)

    def wait(call: object) -> str:
        entered.release()
        assert go_on.wait(60)
        return "hash"

    monkeypatch.setattr(passwords, "call_natively", wait)
    addresses = [f"address {number // MOST_FOR_ONE}" for number in range(MOST_ADMITTED)]
    threads = [threading.Thread(target=own.hash, args=(GOOD, one)) for one in addresses]
    for thread in threads[:MOST_FOR_ONE]:
        thread.start()
    for _ in range(MOST_FOR_ONE):
        assert entered.acquire(timeout=60)
    with pytest.raises(TooBusy):
        own.hash(GOOD, addresses[0])
    for thread in threads[MOST_FOR_ONE:]:
        thread.start()
    eventually(lambda: own.count() == MOST_ADMITTED)
    with pytest.raises(TooBusy):
        own.hash(GOOD, "another address")
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert own.count() == 0
    assert own.hash(GOOD, addresses[0]) == "hash"
