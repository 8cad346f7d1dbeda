"""Passkeys: adding them, signing in with them, and attacks on both."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from webauthn.helpers import bytes_to_base64url

from service.accounts.ceremonies import LONGEST_ID, LONGEST_KEY
from service.accounts.errors import LastWayIn, PasskeyRefused
from service.accounts.passkeys import LASTS_S, MOST
from service.accounts.site import Site
from tests.service.accounts.authenticator import Authenticator
from tests.service.accounts.support import Parts

SITE = Site("https://club.example", "club.example")


def device(parts: Parts, player: str, **shape: Any) -> Authenticator:
    """A device that has added a passkey to a player's account."""
    made = Authenticator(SITE.origin, SITE.domain, **shape)
    options = parts.accounts.passkeys.begin_adding(SITE, player, "Ada")
    parts.accounts.passkeys.add(SITE, player, made.make(options), "my phone")
    return made


@pytest.fixture
def ada(parts: Parts) -> str:
    return parts.accounts.register_guest("Ada")


def refused(parts: Parts, credential: Any) -> bool:
    with pytest.raises(PasskeyRefused, match="not known here"):
        parts.accounts.passkeys.sign_in(SITE, credential)
    return True


def test_a_player_signs_in_with_a_passkey(parts: Parts, ada: str) -> None:
    own = device(parts, ada)
    for _ in range(2):
        options = parts.accounts.passkeys.begin_signing_in(SITE)
        assert parts.accounts.passkeys.sign_in(SITE, own.answer(options)) == ada
    (kept,) = parts.store.load(ada).passkeys
    assert (kept.name, kept.sign_count) == ("my phone", 2)
    assert not parts.accounts.proofs.is_guest(ada)
    with pytest.raises(LastWayIn):
        parts.accounts.remove_passkey(ada, kept.id)
    device(parts, ada)
    parts.accounts.remove_passkey(ada, kept.id)
    assert refused(parts, own.answer(parts.accounts.passkeys.begin_signing_in(SITE)))


def test_an_answer_is_good_once(parts: Parts, ada: str) -> None:
    own = device(parts, ada)
    answer = own.answer(parts.accounts.passkeys.begin_signing_in(SITE))
    assert parts.accounts.passkeys.sign_in(SITE, copy.deepcopy(answer)) == ada
    assert refused(parts, answer)


def test_an_answer_comes_in_time(parts: Parts, ada: str) -> None:
    own = device(parts, ada)
    options = parts.accounts.passkeys.begin_signing_in(SITE)
    assert parts.store.store.ttl(f"movelog:{{accounts}}:once:challenge:{options['challenge']}") > 0
    assert LASTS_S < 3600
    parts.store.take_once(f"challenge:{options['challenge']}")
    assert refused(parts, own.answer(options))


def test_an_answer_for_another_site_is_refused(parts: Parts, ada: str) -> None:
    own = device(parts, ada)
    own.origin = "https://club.example.evil.example"
    assert refused(parts, own.answer(parts.accounts.passkeys.begin_signing_in(SITE)))
    own.origin, own.domain = SITE.origin, "evil.example"
    assert refused(parts, own.answer(parts.accounts.passkeys.begin_signing_in(SITE)))


def test_a_device_that_asks_for_nothing_is_refused(parts: Parts, ada: str) -> None:
    with pytest.raises(PasskeyRefused):
        device(parts, ada, verifies=False)
    own = device(parts, ada)
    own.flags = 1
    assert refused(parts, own.answer(parts.accounts.passkeys.begin_signing_in(SITE)))


def test_a_copied_passkey_is_noticed_by_its_count(parts: Parts, ada: str) -> None:
    own = device(parts, ada)
    for _ in range(3):
        options = parts.accounts.passkeys.begin_signing_in(SITE)
        parts.accounts.passkeys.sign_in(SITE, own.answer(options))
    own.count = 1
    assert refused(parts, own.answer(parts.accounts.passkeys.begin_signing_in(SITE)))


def test_a_challenge_is_for_one_purpose_and_one_player(parts: Parts, ada: str) -> None:
    own, eve = device(parts, ada), parts.accounts.register_guest("Eve")
    passkeys = parts.accounts.passkeys
    assert refused(parts, own.answer(passkeys.begin_adding(SITE, ada, "Ada")))
    made = Authenticator(SITE.origin, SITE.domain)
    credential = made.make(passkeys.begin_adding(SITE, ada, "Ada"))
    with pytest.raises(PasskeyRefused):
        passkeys.add(SITE, eve, credential, "stolen")
    assert parts.store.load(eve).passkeys == ()


def test_a_passkey_signs_nobody_else_in(parts: Parts, ada: str) -> None:
    own, eve = device(parts, ada), parts.accounts.register_guest("Eve")
    device(parts, eve)
    for user in (eve.encode(), b"", b"\xff", b"x" * 100):
        own.user = user
        assert refused(parts, own.answer(parts.accounts.passkeys.begin_signing_in(SITE)))


NESTED = bytes_to_base64url(b"[" * 100_000)
"""Base64 of JSON that is nested too deeply for any parser."""


@pytest.mark.parametrize("wrong", [None, {}, [], "x", {"response": {}}, {"response": None}])
def test_what_is_no_answer_is_refused(parts: Parts, wrong: Any) -> None:
    assert refused(parts, wrong)


def test_an_answer_with_parts_left_out_is_refused(parts: Parts, ada: str) -> None:
    own = device(parts, ada)
    for part in ("authenticatorData", "clientDataJSON", "signature", "userHandle"):
        for value in (None, "", "!", bytes_to_base64url(b"nonsense"), NESTED):
            answer = own.answer(parts.accounts.passkeys.begin_signing_in(SITE))
            answer["response"][part] = value
            assert refused(parts, answer)


def test_a_player_has_so_many_passkeys_at_most(parts: Parts, ada: str) -> None:
    for _ in range(MOST):
        device(parts, ada)
    with pytest.raises(PasskeyRefused):
        device(parts, ada)


@pytest.mark.parametrize("key", [{}, 5, "x", [], {1: 2, 3: -7}])
def test_a_malformed_key_is_refused(parts: Parts, ada: str, key: object) -> None:
    options = parts.accounts.passkeys.begin_adding(SITE, ada, "Ada")
    made = Authenticator(SITE.origin, SITE.domain).make(options, key)
    with pytest.raises(PasskeyRefused):
        parts.accounts.passkeys.add(SITE, ada, made, "my phone")
    assert parts.store.load(ada).passkeys == ()


def test_a_passkey_larger_than_any_devices_is_refused(parts: Parts, ada: str) -> None:
    def add(id: bytes, modulus: int) -> None:
        made = Authenticator(SITE.origin, SITE.domain)
        made.id = id
        options = parts.accounts.passkeys.begin_adding(SITE, ada, "Ada")
        key = {1: 3, 3: -257, -1: b"n" * modulus, -2: b"\x01\x00\x01"}
        parts.accounts.passkeys.add(SITE, ada, made.make(options, key), "my phone")

    add(b"i" * LONGEST_ID, 2048)
    for id, modulus in ((b"j" * (LONGEST_ID + 1), 256), (b"k", LONGEST_KEY), (b"l", 600_000)):
        with pytest.raises(PasskeyRefused):
            add(id, modulus)
    assert len(parts.store.load(ada).passkeys) == 1


@pytest.mark.parametrize(
    ("format", "statement"),
    [("packed", {"x5c": [1]}), ("tpm", {"ver": b"x"}), ("apple", {"x5c": 5}), ("odd", {})],
)
def test_a_malformed_attestation_is_refused(
    parts: Parts, ada: str, format: str, statement: dict[str, object]
) -> None:
    options = parts.accounts.passkeys.begin_adding(SITE, ada, "Ada")
    made = Authenticator(SITE.origin, SITE.domain).make(options, format=format, **statement)
    with pytest.raises(PasskeyRefused):
        parts.accounts.passkeys.add(SITE, ada, made, "my phone")
    assert parts.store.load(ada).passkeys == ()


@pytest.mark.parametrize(
    "credential", [None, 5, "x", [], {}, {"id": 5}, {"id": "x", "response": 5}]
)
def test_what_is_no_credential_is_refused(parts: Parts, ada: str, credential: object) -> None:
    parts.accounts.passkeys.begin_adding(SITE, ada, "Ada")
    with pytest.raises(PasskeyRefused):
        parts.accounts.passkeys.add(SITE, ada, credential, "my phone")
    with pytest.raises(PasskeyRefused):
        parts.accounts.passkeys.sign_in(SITE, credential)
