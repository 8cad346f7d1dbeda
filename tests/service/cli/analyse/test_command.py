"""`movelog analyse` without a service."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from engine.registry import VARIANTS
from service.cli import main
from tests.end_to_end.running import MOVELOG, ROOT, environment


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["analyse", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A record of a short game."""
    from notation.game import Game, Move
    from notation.registry import find_dialect
    from notation.writer import write

    position = find_dialect("katruji").start({})
    moves = []
    for _ in range(3):
        moves.append(Move(position.legal()[0]))
        position.play(moves[-1].action)
    file = tmp_path / "game.pgn"
    file.write_text(write(Game("katruji", {"South": "Ada", "North": "Brahim"}, tuple(moves))))
    return file


def test_several_cores_search_here_and_nowhere_else(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--threads", "2", "--nodes", "3000", "--json")
    assert json.loads(run(capsys, "start", "--variant", "katruji", *options)[-1])["finding"][
        "lines"
    ]
    assert len(run(capsys, str(record), *options)) == 5  # four positions and the judgements
    for refused in (["--game", "abc", "--threads", "2"], ["start", "--threads", "65"]):
        assert main(["analyse", *refused]) == 2
        assert "--threads" in capsys.readouterr().err


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_position_is_searched_deeper_and_deeper(
    variant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = run(capsys, "start", "--variant", variant, "--depth", "2", "--lines", "2")
    expected = ["1", "1", "2", "2"]
    if "guessed" in lines[0]:
        assert VARIANTS[variant].sides == ("White", "Black")
        lines = lines[1:]
        expected += ["2", "2"]  # the same, compared over all guesses
    assert lines[0].split() == ["depth", "score", "nodes", "nodes/s", "line"]
    depths = [line.split("/")[0].strip() for line in lines[1:]]
    assert depths == expected


def test_findings_are_lines_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "start", "--variant", "kerak", "--nodes", "300", "--json")
    found = [json.loads(line)["finding"] for line in lines]
    assert [one["depth"] for one in found] == list(range(1, len(found) + 1))
    assert found[-1]["nodes"] >= 300
    assert found[-1]["lines"][0]["san"][0]


def test_every_action_of_a_record_is_judged(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head, table, *rows, accuracy = run(capsys, str(record), "--nodes", "300")
    assert head == "1 katruji * Ada - Brahim"
    assert table.split() == ["action", "score", "chance", "best"]
    assert [row.split()[0] for row in rows] == ["1", "2", "3"]
    movetext = record.read_text().partition("\n\n")[2].split()
    assert [row.split()[1] for row in rows] == [word for word in movetext if word[0].isalpha()]
    assert accuracy.startswith("accuracy: South ")
    lines = [json.loads(line) for line in run(capsys, str(record), "--nodes", "300", "--json")]
    assert [line.get("index") for line in lines] == [0, 1, 2, 3, None]
    assert len(lines[-1]["judged"]) == 3


# Kerak: capturing the last captor draws the game, with Red a point ahead of Blue.
DRAWN = "c4/v5/7/8/9/4i3/3I3/6/4C r - 5-5 40"


@pytest.mark.parametrize(("options", "end"), [([], None), (["--draw-by-points"], 1)])
def test_a_draw_is_worth_what_is_agreed(
    options: list[str], end: int | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    searched = ["--depth", "2", "--json"]
    *_, last = run(capsys, DRAWN, "--variant", "kerak", *options, *searched)
    assert json.loads(last)["finding"]["plies_to_end"] == end
    tags = {"Variant": "kerak", "FEN": DRAWN, "DrawByPoints": "yes" if options else "no"}
    text = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    (tmp_path / "game.pgn").write_text(f"{text}\n*\n")
    first, *_ = run(capsys, str(tmp_path / "game.pgn"), *searched)
    assert json.loads(first)["finding"]["plies_to_end"] == end


def test_a_bad_record_does_not_stop_the_others(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record.write_text('[Variant "katruji"]\n\n1. Pz9 *\n\n' + record.read_text())
    assert main(["analyse", str(record), "--depth", "1"]) == 1
    written = capsys.readouterr()
    assert "game 1: " in written.err
    assert written.out.startswith("2 katruji")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["start"],
        ["start", "--variant", "chess"],
        ["start", "--variant", "katruji", "--game", "a"],
        ["start", "--variant", "katruji", "--ply", "1"],
        ["nonsense", "--variant", "katruji"],
        ["start", "--variant", "katruji", "--depth", "65"],
        ["--stale", "--game", "a"],
        ["--game", "a", "--draw-by-points"],
        ["start", "--variant", "katruji", "--draw-by-points"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", *arguments]) == 2
    written = capsys.readouterr()
    assert (written.out, written.err.count("\n")) == ("", 1)


def test_an_interrupt_leaves_the_best_line_so_far() -> None:
    command = [*MOVELOG, "analyse", "start", "--variant", "katruji", "--depth", "64", "--json"]
    with subprocess.Popen(
        command, env=environment(), cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        os.kill(process.pid, signal.SIGINT)
        begun = time.monotonic()
        rest = process.stdout.read().splitlines()
        assert process.wait(180) == 0
        assert time.monotonic() - begun < 180
    last = json.loads((rest or [first])[-1])["finding"]
    assert last["lines"]
    assert not last["complete"]
