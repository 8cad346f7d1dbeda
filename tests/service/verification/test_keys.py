"""Public keys and what they verify."""

from __future__ import annotations

import json

import pytest

from service.verification.errors import BadKeys, VerificationError, Wrong
from service.verification.keys import (
    PublicKey,
    PublicKeys,
    Signature,
    decode_base64url,
    encode_base64url,
)
from tests.service.verification.support import Archive

RFC_8037 = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
"""The public key of RFC 8037, appendix A.2, whose thumbprint is in A.3."""


def test_an_id_is_the_keys_thumbprint() -> None:
    key = PublicKey(decode_base64url(RFC_8037))
    assert key.id == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


@pytest.mark.parametrize("text", ["A", "AB", "AA==", "A+//", "ä", "A\nA"])
def test_base64url_has_one_spelling(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (any reason will do)
        decode_base64url(text)


def test_base64url_comes_back() -> None:
    for length in range(70):
        data = bytes(range(200 - length, 200))
        assert decode_base64url(encode_base64url(data)) == data


def test_keys_come_back_from_their_set(empty: Archive) -> None:
    empty.signer.rotate()
    served = empty.signer.public_keys.as_json()
    assert len(served["keys"]) == 2
    assert served["keys"][0]["kid"] == empty.signer.key
    assert all(key["kty"] == "OKP" and "d" not in key for key in served["keys"])
    assert PublicKeys.parse(json.dumps(served)).as_json() == served


def test_keys_of_other_kinds_are_passed_by() -> None:
    text = json.dumps({"keys": [{"kty": "RSA", "n": "…"}, {"crv": "Ed25519", "x": RFC_8037}]})
    assert len(PublicKeys.parse(text).as_json()["keys"]) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"keys": 1}',
        '{"keys": [1]}',
        '{"keys": [{"crv": "Ed25519"}]}',
        '{"keys": [{"crv": "Ed25519", "x": "AAAA"}]}',
        '{"keys": [{"crv": "Ed25519", "x": 7}]}',
    ],
)
def test_what_is_no_key_set_is_refused(text: str) -> None:
    with pytest.raises(BadKeys, match=r"^not a file of public keys: ") as refused:
        PublicKeys.parse(text)
    assert isinstance(refused.value, VerificationError)


def test_a_signature_is_of_one_statement_by_one_key(empty: Archive) -> None:
    statement = {"type": "test", "hash": "a"}
    signature = empty.signer.sign(statement)
    empty.keys.verify(statement, signature)
    assert Signature.parse(str(signature)) == signature
    for other, by in (
        ({**statement, "hash": "b"}, signature),
        (statement, Signature(signature.key, signature.value[:-4])),
        (statement, Signature(signature.key, "")),
        (statement, Signature("unknown", signature.value)),
    ):
        with pytest.raises(Wrong):
            empty.keys.verify(other, by)
