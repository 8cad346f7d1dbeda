"""The README's commands do what the README says, and its picture is what they draw."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.end_to_end.running import MOVELOG, ROOT, Running, environment

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def script(running: Running, folder: Path) -> str:
    """The commands of the README, for this service, with files in a folder of the test's."""
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
    assert '"code": "illegal-move"' in run.stderr  # the one refusal that the README shows
    assert run.stderr.count('"code"') == 1, run.stderr
    assert (tmp_path / "game.pgn").read_text().rstrip().endswith("1-0")
    picture = (tmp_path / "kerak.svg").read_bytes()
    assert picture == (ROOT / "docs" / "kerak.svg").read_bytes(), "draw it again with this command"
