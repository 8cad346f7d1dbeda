"""Starting, stopping, backing up and restoring whole services."""

from __future__ import annotations

import signal
import socket
import subprocess
import tempfile
from itertools import islice
from pathlib import Path

import pytest
import requests

from notation.reader import read
from notation.writer import write
from service.jobs.duties import MAILS, PROCESSES
from service.operations.serving import has_answer
from tests.end_to_end.conftest import Start
from tests.end_to_end.running import MOVELOG, RECORD, ROOT, Running, environment, is_alive, movelog
from tests.service.redis_server import RedisServer
from tests.waiting import PATIENCE, eventually

PARTS = ("redis", "web", "projector", *(duty.process for duty in PROCESSES if duty is not MAILS))


def import_games(running: Running, data: Path, games: int = 5) -> None:
    """Import the first games of a file, and wait until they are scored."""
    text = (data / "records" / "katruji.pgn").read_text()
    part = "\n\n".join(text.split("\n\n")[: 2 * games]) + "\n"
    answer = running.session.post(
        f"{running.url}/api/v1/imports?wait=30", data=part, headers={"Content-Type": RECORD}
    )
    assert answer.json()["counts"] == {"accepted": games}
    eventually(
        lambda: [g["scored"] for g in running.games()] == [True] * games, "all games are scored"
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_everything(running: Running, number: signal.Signals) -> None:
    processes = running.processes()
    assert len(processes) >= 1 + len(PARTS)
    assert running.stop(number) == 0
    assert not any(map(is_alive, processes))
    left = {path.name for path in running.data_dir.rglob("*") if path.is_file()}
    assert "admin.token" in left
    assert not [name for name in left if name.endswith((".pid", ".url"))]


def test_nothing_outlives_a_serve_that_is_killed(running: Running) -> None:
    processes = running.processes()
    running.stop(signal.SIGKILL)
    eventually(lambda: not any(map(is_alive, processes)), "every process has ended")


def test_the_data_directory_is_private_and_has_one_service(running: Running) -> None:
    assert running.data_dir.stat().st_mode & 0o777 == 0o700
    for name in ("admin.token", "secret.key"):
        assert (running.data_dir / name).stat().st_mode & 0o777 == 0o600
    second = movelog("serve", "--port", "0", "--data-dir", running.data_dir)
    assert (second.returncode, second.stdout) == (1, "")
    assert second.stderr == (
        f"movelog: {running.data_dir} is in use by another movelog"
        f" (process {running.process.pid}); stop it first, or use another --data-dir\n"
    )


def test_an_address_in_use_is_told(running: Running, tmp_path: Path) -> None:
    port = running.url.rpartition(":")[2]
    second = movelog("serve", "--port", port, "--data-dir", tmp_path / "second")
    assert second.returncode == 1
    assert second.stderr == (
        f"movelog: cannot listen on 127.0.0.1 port {port}: Address already in use;"
        " set another with --port or MOVELOG_PORT\n"
    )


def test_an_object_store_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    url = f"file://{tmp_path}/file/objects"
    command = ("serve", "--port", "0", "--data-dir", tmp_path / "data")
    refused = movelog(*command, MOVELOG_OBJECTS_URL=url)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith(f"movelog: the object store {url} cannot be used (")
    assert refused.stderr.endswith(
        "; check MOVELOG_OBJECTS_URL, and that it can be reached, read and written\n"
    )


def test_a_restart_keeps_everything(running: Running, data: Path) -> None:
    import_games(running, data)
    before, token = running.everything(), running.token
    running.restart()
    assert running.token == token
    assert running.everything() == before


def test_a_backup_of_a_running_service_restores_to_equal_exports(
    start: Start, data: Path, tmp_path: Path
) -> None:
    running = start()
    import_games(running, data)
    made = running.post(
        "/games",
        {
            "variant": "katruji",
            "mode": "scribe",
            "players": {"first": {"name": "Ada"}, "second": {"name": "Zoë"}},
        },
        key="mine",
    ).json()
    move = {"action": "Pc4", "expected_version": 1}
    running.post(f"/games/{made['id']}/actions", move, key="move")
    eventually(lambda: running.games()[0]["ply"] == 1, "the list is up to date")
    before = running.everything()

    file = tmp_path / "backup.gz"
    backup = movelog("backup", file, "--data-dir", running.data_dir)
    assert (backup.returncode, backup.stderr) == (0, "")
    other = tmp_path / "other"
    restored = movelog("restore", file, "--data-dir", other)
    assert (restored.returncode, restored.stderr) == (0, "")
    assert restored.stdout.endswith("6 games listed\n")

    second = start("other")
    assert second.token == running.token
    assert second.everything() == before
    # A client that repeats its request learns that it was carried out.
    again = second.post(f"/games/{made['id']}/actions", move, key="move")
    assert (again.status_code, again.json()["version"]) == (200, 2)
    refused = movelog("restore", file, "--data-dir", running.data_dir)
    assert refused.returncode == 1
    assert "is in use by another movelog" in refused.stderr


def test_a_lost_token_is_replaced_beside_the_running_service(running: Running) -> None:
    replaced = movelog("token", "--data-dir", running.data_dir)
    assert replaced.stdout == f"{running.data_dir / 'admin.token'}\n"
    assert running.post("/players", {"name": "Ada"}).status_code == 401
    token = (running.data_dir / "admin.token").read_text().strip()
    running.session.headers["Authorization"] = f"Bearer {token}"
    assert running.post("/players", {"name": "Ada"}).status_code == 201


def test_the_lists_are_rebuilt_beside_the_running_service(running: Running, data: Path) -> None:
    import_games(running, data)
    before = running.games()
    rebuilt = movelog("rebuild", "--data-dir", running.data_dir)
    assert (rebuilt.returncode, rebuilt.stdout) == (0, "5 games listed\n")
    assert running.games() == before


@pytest.mark.parametrize("part", ["web", "worker", "projector"])
def test_a_part_needs_a_redis_to_be_named(part: str) -> None:
    alone = movelog(part)
    assert (alone.returncode, alone.stdout) == (2, "")
    assert "MOVELOG_REDIS_URL is not set" in alone.stderr
    assert alone.stderr.count("\n") == 1


def test_the_parts_run_one_by_one_on_a_redis_of_somebodys_own(data: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="movelog-") as folder:
        server = RedisServer(Path(folder))
        server.start()
        given = {"MOVELOG_REDIS_URL": server.url, "MOVELOG_DATA_DIR": f"{folder}/data"}
        port = free_port()
        parts = [
            subprocess.Popen([*MOVELOG, *part], env=environment(**given), cwd=ROOT)
            for part in (["web", "--port", str(port)], ["worker"], ["projector"])
        ]
        try:
            assert movelog("token", **given).stdout == f"{folder}/data/admin.token\n"
            given["MOVELOG_TOKEN"] = (Path(folder) / "data" / "admin.token").read_text().strip()
            url = f"http://127.0.0.1:{port}"
            eventually(lambda: has_answer(url, "/readyz"), "the web answers")
            file = Path(folder) / "five.pgn"
            with (data / "records" / "katruji.pgn").open("rb") as records:
                file.write_text("\n".join(write(v.game) for v in islice(read(records), 5)))
            played = movelog("play", file, "--url", url, **given)
            assert (played.returncode, played.stderr) == (0, "")

            def scored() -> bool:
                games = requests.get(f"{url}/api/v1/games?limit=200").json()["items"]
                return [game["scored"] for game in games] == [True] * 5

            eventually(scored, "all games are scored")
        finally:
            for part in parts:
                part.terminate()
            ended = [part.wait(PATIENCE) for part in parts]
            server.kill()
        assert ended == [0, 0, 0]


def free_port() -> int:
    """A free port that nobody else gets for a while.

    The end that closes a connection first keeps its port in TIME_WAIT for a minute, in which
    nobody who asks for any port gets this one.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = int(listener.getsockname()[1])
        with socket.create_connection(("127.0.0.1", port)) as near:
            far, _ = listener.accept()
            far.close()
            assert near.recv(1) == b""
    return port
