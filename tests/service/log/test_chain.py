"""The digests that chain a stream's events."""

from __future__ import annotations

from hashlib import sha256

from service.log.chain import canonical, link, public_part
from service.log.values import GENESIS, Recorded
from tests.service.log.support import GAME, Noted

ENTRY = Recorded(7, Noted(text='ž «"»', tags={"b": "2", "a": "1"}), 1_700_000_000_123, "p1")


def test_the_canonical_form_is_as_documented() -> None:
    text = (
        '{"at":"2023-11-14T22:13:20.123+00:00","by":"p1",'
        '"data":{"tags":{"a":"1","b":"2"},"text":"ž «\\"»"},'
        f'"previous":"{GENESIS}","stream":"game:a","type":"noted/1","version":7}}'
    )
    assert canonical(public_part(GAME, ENTRY)).decode() == text
    assert link(GAME, ENTRY) == sha256(text.encode()).hexdigest()
