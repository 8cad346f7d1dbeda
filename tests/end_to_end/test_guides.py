"""The README's commands do what it says, and draw its picture."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.end_to_end.running import MOVELOG, ROOT, Running, environment
from tests.waiting import eventually

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def script(running: Running, folder: Path) -> str:
    """The README's commands, adapted to this service and to a test folder."""
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(blocks) == 2
    text = "\n".join(blocks).replace("alias movelog=.venv/bin/movelog\n", "")
    text = re.sub(r"(?:/tmp|(?<=> )docs)/(?=\w+\.(?:pgn|json|svg))", f"{folder}/", text)
    text = text.replace("http://127.0.0.1:8320", running.url)
    return f'movelog() {{ {sys.executable} {" ".join(MOVELOG[1:])} "$@"; }}\n{text}'


def test_the_commands_of_the_readme_run(running: Running, tmp_path: Path) -> None:
    given = {"MOVELOG_URL": running.url, "MOVELOG_DATA_DIR": str(running.data_dir)}
    run = subprocess.run(
        ["bash", "-u", "-c", script(running, tmp_path)],
        env=environment(**given),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert '"code": "illegal-move"' in run.stderr  # the one refusal in the README
    assert run.stderr.count('"code"') == 1, run.stderr
    assert (tmp_path / "game.pgn").read_text().rstrip().endswith("1-0")
    picture = (tmp_path / "kerak.svg").read_bytes()
    assert picture == (ROOT / "docs" / "kerak.svg").read_bytes(), "draw it again with this command"


def test_the_tournament_of_the_tour_runs_twice(running: Running) -> None:
    tour = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    section = tour.partition("## Run a tournament")[2].partition("\n## ")[0]
    text = "\n".join(BLOCK.findall(section)).replace("data/admin", f"{running.data_dir}/admin")
    bob = running.session.post(f"{running.url}/api/v1/players", json={"name": "Bob"}).json()["id"]
    given = {"MOVELOG_URL": running.url, "MOVELOG_DATA_DIR": str(running.data_dir), "BOB_ID": bob}
    function = f'movelog() {{ {sys.executable} {" ".join(MOVELOG[1:])} "$@"; }}'
    run = subprocess.run(
        ["bash", "-eu", "-c", f"{function}\n{text}\nsleep 1\n{text}"],
        env=environment(**given),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr

    def list_finished() -> list[tuple[int, int]]:
        found = running.get("/tournaments")["items"]
        assert len(found) <= 4
        finished = [one for one in found if one["status"] == "finished"]
        return [(one["players"], one["rounds_ready"]) for one in finished] if found[3:] else []

    eventually(lambda: list_finished() == [(3, 3), (3, 3)], "two of four are listed as finished")


def test_the_guides_mean_one_thing_by_each_variable() -> None:
    """`$URL` is the API's address, `$GAME` is an id, and `$ARBITER` is set before its use."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
    for name, text in texts.items():
        assert not re.search(r"\$URL/(?:api/v1|\.well-known)", text), name
        assert not re.search(r"(?<!games/)\$GAME/", text), name
        assert not re.search(r"^GAME=\$URL", text, re.MULTILINE), name
    assert "\nARBITER=" in texts["api.md"]
    assert texts["api.md"].index("\nARBITER=") < texts["api.md"].index('"$ARBITER"')
