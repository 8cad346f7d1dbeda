"""How often passwords may be guessed, without locking owners out of their accounts."""

from __future__ import annotations

import pytest

from service.accounts.errors import SignInRefused, TooManyTries
from service.accounts.guesses import (
    FREE_FOR_NAME,
    LONGEST_DELAY_S,
    MOST_FOR_NAME,
    MOST_OF_ADDRESS,
    WINDOW_S,
)
from service.accounts.visitor import Visitor
from tests.service.accounts.support import ELSEWHERE, GOOD, HOME, Parts
from tests.service.contents import contents


def fail(parts: Parts, login: str, visitor: Visitor, times: int) -> None:
    for _ in range(times):
        parts.accounts.guesses.admit(login, visitor.address, None, visitor.device)


def test_one_address_may_try_a_name_a_few_times(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    with pytest.raises(SignInRefused):
        parts.accounts.sign_in("Ada", "not the right one", ELSEWHERE)
    fail(parts, "ada", ELSEWHERE, MOST_FOR_NAME - 1)
    with pytest.raises(TooManyTries) as error:
        parts.accounts.sign_in("Ada", GOOD, ELSEWHERE)
    assert 0 < error.value.retry_after <= WINDOW_S
    # The owner, at another address, signs in unhindered.
    assert parts.accounts.sign_in("Ada", GOOD, HOME) == ada
    assert parts.slept == []


def test_one_address_may_not_go_through_all_names(parts: Parts) -> None:
    for number in range(MOST_OF_ADDRESS):
        fail(parts, f"name {number}", ELSEWHERE, 1)
    with pytest.raises(TooManyTries):
        fail(parts, "another name", ELSEWHERE, 1)
    fail(parts, "another name", HOME, 1)


def test_nothing_is_kept_of_names_once_an_address_has_tried_too_many(parts: Parts) -> None:
    for number in range(MOST_OF_ADDRESS):
        fail(parts, f"name {number}", ELSEWHERE, 1)
    before = len(contents(parts.store.store))
    for number in range(20):
        with pytest.raises(TooManyTries):
            fail(parts, f"further name {number}", ELSEWHERE, 1)
    assert len(contents(parts.store.store)) == before


def test_an_owner_behind_the_guessers_address_goes_on_in_a_known_browser(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    fail(parts, "ada", HOME, MOST_FOR_NAME)
    known = Visitor(HOME.address, HOME.browser, parts.accounts.guesses.make_device(ada))
    for _ in range(3 * MOST_FOR_NAME):
        assert parts.accounts.sign_in("Ada", GOOD, known) == ada
    others = parts.accounts.register("Eve", GOOD, ELSEWHERE)
    for forged in (parts.accounts.guesses.make_device(others), "x.y", ".", "ž.ž", None):
        with pytest.raises(TooManyTries):
            parts.accounts.sign_in("Ada", GOOD, Visitor(HOME.address, HOME.browser, forged))


def test_a_known_browser_that_guesses_is_known_no_more(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    device = parts.accounts.guesses.make_device(ada)
    stolen = Visitor(ELSEWHERE.address, ELSEWHERE.browser, device)
    for _ in range(2 * MOST_FOR_NAME):
        parts.accounts.guesses.admit("ada", stolen.address, ada, stolen.device)
    with pytest.raises(TooManyTries):
        parts.accounts.sign_in("Ada", GOOD, stolen)


def test_a_name_that_all_the_world_tries_becomes_slow_and_never_locked(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    for number in range(FREE_FOR_NAME + 200):
        fail(parts, "ada", Visitor(f"198.51.100.{number}", ""), 1)
    assert parts.slept == sorted(parts.slept)
    assert parts.slept[-1] == LONGEST_DELAY_S
    known = Visitor(HOME.address, HOME.browser, parts.accounts.guesses.make_device(ada))
    waits = len(parts.slept)
    assert parts.accounts.sign_in("Ada", GOOD, known) == ada
    assert len(parts.slept) == waits
    assert parts.accounts.sign_in("Ada", GOOD, HOME) == ada
    assert parts.slept[waits:] == [LONGEST_DELAY_S]


def test_a_right_password_is_not_counted(parts: Parts) -> None:
    ada = parts.accounts.register("Ada", GOOD, HOME)
    for _ in range(MOST_FOR_NAME + 5):
        assert parts.accounts.sign_in("Ada", GOOD, HOME) == ada
