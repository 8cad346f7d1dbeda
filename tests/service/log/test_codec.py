"""Events to JSON and back."""

from __future__ import annotations

import pytest

from service.log.codec import public_json
from service.log.errors import UnknownEvent
from tests.service.log.support import CODEC, Forgotten, Noted


def test_defaults_are_left_out() -> None:
    assert public_json(Noted(text="a", number=None, tags={})) == {"text": "a"}
    assert CODEC.encode(Noted(text="a", number=0, texts=("b",), tags={"c": "d"})) == (
        '{"text":"a","number":0,"texts":["b"],"tags":{"c":"d"}}'
    )


def test_text_is_stored_as_it_is() -> None:
    assert CODEC.encode(Noted(text="ž")) == '{"text":"ž"}'


def test_what_is_encoded_is_decoded() -> None:
    event = Noted(text="a", number=0, texts=("b", "c"), tags={"d": "e"})
    assert CODEC.decode("noted/1", CODEC.encode(event)) == event
    assert CODEC.decode("noted/1", CODEC.encode(event).encode()) == event


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UnknownEvent):
        CODEC.decode(Forgotten.stored_name, "{}")
