"""`movelog prune`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from service.cli import main
from service.composition.service import compose
from service.errors import NotFound
from service.ids import new_id
from service.imports.state import ImportEnding, ImportMode
from service.settings import read_settings
from tests.service.imports.uploads import read_original
from tests.service.redis_server import RedisServer


def test_originals_of_old_imports_go_and_nothing_else(
    redis_server: RedisServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = {"MOVELOG_REDIS_URL": redis_server.url, "MOVELOG_DATA_DIR": str(tmp_path)}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    imports = compose(read_settings(given)).imports
    ended, running = new_id(), new_id()
    for id in (ended, running):
        with imports.uploads.receive(io.BytesIO(b"a record")) as received:
            state = imports.begin(id, received, ImportMode.QUARANTINE, "ann", None)
        imports.verdicts(state).add([{"number": 1, "status": "accepted"}])
        if id == ended:
            imports.end(state, ImportEnding.DONE, {"accepted": 1})

    assert main(["prune", "--days", "1"]) == 0
    assert capsys.readouterr().out == "0 files removed, 0 bytes\n"
    assert read_original(imports.uploads, ended) == b"a record"

    # A millisecond later, since an import that ended in this very millisecond stays.
    monkeypatch.setattr("service.composition.service.now", lambda: imports.clock() + 1)
    assert main(["prune", "--days", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"files": 1, "bytes": 8}
    with pytest.raises(NotFound):
        imports.uploads.open_original(ended)
    assert imports.verdicts(imports.load(ended)).tally()["accepted"] == 1
    assert read_original(imports.uploads, running) == b"a record"
    assert main(["prune", "--days", "0"]) == 0
    assert capsys.readouterr().out == "0 files removed, 0 bytes\n"
