"""What `movelog import` says while an import has to wait."""

from __future__ import annotations

from typing import Any, cast

import pytest

from service.cli.client import Client
from service.cli.imports import command


class Answers:
    """Answers the requests for an import's status one after another."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self.answers = iter(answers)

    def get(self, path: str) -> dict[str, Any]:
        assert path == "/imports/i"
        return next(self.answers)


def status(state: str, reason: str = "") -> dict[str, Any]:
    read = {"progress": {"bytes": 0}, "size": 9, "counts": {}}
    return {"id": "i", "state": state, "reason": reason, **read}


def test_what_an_import_waits_for_is_said_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "POLL", (0, 0))
    answers = Answers(
        status("running", "no room"), status("queued", "no room"), status("running"), status("done")
    )
    done = command.wait_for_import(cast(Client, answers), status("queued"))
    assert done["state"] == "done"
    assert capsys.readouterr() == ("", "no room\n")
