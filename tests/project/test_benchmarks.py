"""The command lines of the benchmarks, and the comparison of servers with a few games."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import load, servers
from benchmarks.__main__ import BENCHMARKS, main
from service.operations.server_program import find_server_program


def test_help_lists_each_benchmark_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    for name, benchmark in BENCHMARKS.items():
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        assert line.endswith(benchmark.shows)
        assert benchmark.shows.endswith(".")


def test_a_wrong_name_is_refused_before_anything_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["replay", "chess"])
    assert left.value.code == 2
    told = capsys.readouterr()
    assert "no benchmark 'chess'" in told.err
    assert not told.out


def test_the_comparison_of_servers_says_what_it_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mute = tmp_path / "redis-server"
    mute.write_text("#!/bin/sh\necho hello\n")
    mute.chmod(0o755)
    for arguments, told in (
        ([], "the following arguments are required: PROGRAM"),
        ([str(tmp_path / "none")], f"{tmp_path}/none cannot be run: No such file or directory"),
        ([str(mute)], f"{mute} does not say that it is Valkey or Redis"),
    ):
        with pytest.raises(SystemExit) as left:
            servers.main(arguments)
        assert left.value.code == 2
        assert told in capsys.readouterr().err


@pytest.mark.slow
def test_servers_are_compared_with_the_first_one_and_hold_the_same_games() -> None:
    program = find_server_program()
    base, other = servers.compare([program, program], held=20, rounds=3, games=2)
    assert base.ratios == [1.0, 1.0, 1.0]
    assert other.ratios == [own / first for own, first in zip(other.rates, base.rates, strict=True)]
    # Twenty-six games of some forty events each; used memory includes buffers.
    assert base.data == pytest.approx(other.data, rel=0.2)
    assert 100_000 < base.data < base.resident
    assert str(other).startswith(f"{program} (")
    assert f"resident {other.resident / 2**20:.1f} MiB" in str(other)


@pytest.mark.slow
def test_a_load_has_everybody_play_and_names_what_is_at_its_limit(
    capsys: pytest.CaptureFixture[str],
) -> None:
    load.main(["--first", "5", "--most", "5", "--seconds", "4"])
    told = capsys.readouterr().out
    found = re.search(r"5 tables: (\d+) actions a second .* (\d+) deliveries", told)
    assert found is not None, told
    assert all(int(number) > 0 for number in found.groups())
    assert "requests failed" not in told
    # A busy machine may miss a target.
    assert re.search(
        r"first limit: (none found|latency|the (lists|processor|machine|clients))", told
    )
