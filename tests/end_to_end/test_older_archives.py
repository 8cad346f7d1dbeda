"""Archives of earlier versions are restored whole, exported unchanged, and pass the audit."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from service.computer.levels import LEVELS
from tests.end_to_end.conftest import Start
from tests.end_to_end.exports import (
    JSON,
    LINES,
    Reader,
    read_analyses,
    read_exports,
    read_webhooks,
)
from tests.end_to_end.running import movelog
from tests.waiting import eventually


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_an_older_archive_is_given_out_as_it_was(
    version: str, start: Start, data: Path, tmp_path: Path
) -> None:
    """The backup is compared with the exports and the audit made by the version that wrote it."""
    folder = data / "archives" / version
    kept = json.loads(lzma.decompress((folder / "exports.json.xz").read_bytes()))
    target = tmp_path / "restored"
    restored = movelog("restore", folder / "backup.gz", "--data-dir", target)
    assert (restored.returncode, restored.stderr) == (0, "")

    running = start("restored")
    reader = Reader(running.url, kept["tokens"])
    compare(kept, reader)
    rebuilt = movelog("rebuild", "--data-dir", target)
    assert (rebuilt.returncode, rebuilt.stderr) == (0, "")
    compare(kept, reader)

    audit = movelog("audit", "--json", "--data-dir", target)
    assert (audit.returncode, audit.stderr) == (0, "")
    found = json.loads(audit.stdout)
    assert (found["diverging"], found["diverging_tournaments"]) == (0, 0)
    # Version 2.1 did not audit tournaments yet.
    known = json.loads((folder / "audit.json").read_text())
    assert {name: found[name] for name in known} == known
    assert found["tournaments"] == len(found["tournament_items"]) > 0


def compare(kept: dict[str, Any], reader: Reader) -> None:
    """Once the lists are up to date, each export equals the old one byte for byte.

    JSON answers may have members that they did not have then.
    """

    def settled() -> bool:
        return bool(reader.http.get(f"{reader.url}/readyz").json()["projection_lag"] == 0)

    eventually(settled, "the lists are up to date")
    found = read_exports(reader, kept["ids"]["players"])
    assert sorted(found) == sorted(kept["exports"])
    differing = {
        name: (found[name], was)
        for name, was in kept["exports"].items()
        if found[name] != was and without_new_members(name, found[name], was) != was
    }
    assert differing == {}
    analyses = read_analyses(reader, kept["ids"]["analyses"])
    assert select_known(analyses, kept["analyses"]) == kept["analyses"]
    for webhook, was in zip(read_webhooks(reader), kept["webhooks"], strict=True):
        # After a restore, notifications of past events may be sent again, with the same id.
        attempts = [one for one in webhook["attempts"] if one["at"] <= was["attempts"][0]["at"]]
        assert select_known(webhook | {"attempts": attempts}, was) == was


def without_new_members(name: str, now: str, was: str) -> str:
    """A JSON or JSON Lines export, reduced to the members that the old one has."""
    if not name.endswith((JSON, LINES)):
        return now
    pairs = zip(now.splitlines(), was.splitlines(), strict=False)
    lines = [select_known(json.loads(new), json.loads(old)) for new, old in pairs]
    texts = [json.dumps(line, separators=(",", ":")) for line in lines]
    return "\n".join(texts) + "\n" * was.endswith("\n")


def is_computer(item: Any) -> bool:
    """Whether this is a computer player, which earlier versions did not have."""
    return isinstance(item, dict) and item.get("id") in {level.player for level in LEVELS}


def select_known(now: Any, was: Any) -> Any:
    """A value reduced, at any depth, to the members of an earlier one."""
    if isinstance(now, dict) and isinstance(was, dict):
        return {name: select_known(value, was[name]) for name, value in now.items() if name in was}
    if isinstance(now, list) and isinstance(was, list):
        kept = [new for new in now if not is_computer(new)]
        if len(kept) == len(was):
            return [select_known(new, old) for new, old in zip(kept, was, strict=True)]
    return now
