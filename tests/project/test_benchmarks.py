"""The command line of the benchmarks, without running any."""

from __future__ import annotations

import pytest

from benchmarks.__main__ import BENCHMARKS, main


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
