"""Entities that cannot be loaded."""

from __future__ import annotations

from typing import Any

import pytest

from service.log.repository import Repository


def make_unreadable(
    repository: Repository[Any, Any, Any, Any], bad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make loading the entity `bad` fail, as damage to its stream does."""
    load = repository.load

    def load_others(id: str) -> Any:
        if id == bad:
            raise ValueError
        return load(id)

    monkeypatch.setattr(repository, "load", load_others)
