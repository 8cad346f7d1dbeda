"""Every form in which an event was ever stored can still be read.

`tests/data/events/NAME.VERSION.json` holds what was stored under `NAME/VERSION`, and the fields
that it must be read as. A file is never changed or removed; a new form adds a new one.
"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from service.composition.service import CODEC

FORMS = Path(__file__).parents[2] / "data" / "events"


def samples() -> list[tuple[str, dict[str, Any]]]:
    """Every sample, with the name that it is stored under."""
    found = [
        (path.stem.replace(".", "/"), sample)
        for path in sorted(FORMS.glob("*.json"))
        for sample in json.loads(path.read_text(encoding="utf-8"))
    ]
    assert found
    return found


def plain(value: object) -> object:
    """A tuple as a list, as in JSON; anything else as it is."""
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize(("name", "sample"), samples())
def test_a_stored_form_is_read_for_ever(name: str, sample: dict[str, Any]) -> None:
    event = CODEC.decode(name, sample["stored"])
    assert event.stored_name == name
    assert {f.name: plain(getattr(event, f.name)) for f in fields(event)} == sample["read"]
    # A list would make the value mutable.
    assert not [f.name for f in fields(event) if isinstance(getattr(event, f.name), list)]


@pytest.mark.parametrize(("name", "sample"), samples())
def test_what_is_read_is_stored_alike(name: str, sample: dict[str, Any]) -> None:
    assert CODEC.encode(CODEC.decode(name, sample["stored"])) == sample["stored"]


def test_every_event_has_a_sample() -> None:
    assert {name for name, _ in samples()} == set(CODEC.classes)
    assert all(cls.stored_name == name for name, cls in CODEC.classes.items())
