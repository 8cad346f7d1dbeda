"""The command line as a whole: help, usage errors, errors in one line."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from service.cli import main
from service.cli.commands import COMMANDS, movelog
from service.cli.options import load_existing_settings
from service.operations.errors import CannotListen, NoService
from service.operations.serving import listen


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"movelog {command}" in capsys.readouterr().out


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    assert all(f"  {command} " in listed for command in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_of_a_command_what_its_help_says(name: str) -> None:
    command = movelog.get_command(click.Context(movelog), name)
    assert command is not None
    assert COMMANDS[name].summary == command.get_short_help_str(1000).removesuffix(".")


def list_options(command: click.Command, path: str) -> Iterator[tuple[str, click.Option]]:
    """The options of a command and of those below it, each with the words before it."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from list_options(below, f"{path} {name}")
    for each in command.params:
        if isinstance(each, click.Option):
            yield path, each


def test_help_says_what_holds_without_an_option() -> None:
    silent = [
        f"{path} {option.opts[0]}"
        for path, option in list_options(movelog, "movelog")
        if isinstance(option.default, int | float | str)
        and not isinstance(option.default, bool)
        and option.default != ""
        and not (option.show_default or "[" in (option.help or ""))
    ]
    assert silent == []


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["--help"], {"click", "service"}),
        (["position"], {"click", "engine", "notation", "service"}),
    ],
    ids=["help", "position"],
)
def test_a_command_imports_what_it_needs_alone(arguments: list[str], needed: set[str]) -> None:
    loaded = list_packages("from service.cli import main\nmain(sys.argv[1:])", *arguments)
    of_compiled_games = {name for name in loaded if "cython" in name}
    assert loaded - of_compiled_games - list_packages("") == needed


def list_packages(program: str, *arguments: str) -> set[str]:
    """The packages outside the standard library that a program has imported when it ends."""
    names = 'print(*{name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names)'
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{program}\n{names}", *arguments],
        input="katruji\tstart\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [[], ["tournament"], ["key"]], ids=["", "tournament", "key"])
def test_without_a_command_those_there_are_are_listed(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    listed = capsys.readouterr()
    assert listed.out == ""
    assert "\nCommands:\n" in listed.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["perft"],
        ["perft", "katruji", "-1"],
        ["perft", "katruji", "many"],
        ["perft", "chess", "1"],
        ["perft", "katruji", "1", "--fen", "nonsense"],
        ["replay"],
        ["replay", "no/such/file.pgn"],
        ["position", "no/such/file"],
        ["serve", "--port", "70000"],
        ["combat", "d4", "e4"],
        ["combat", "nonsense", "d4", "e4"],
        ["combat", "c4/6/7/8/4A4/4h3/3Ii2/6/4C r - 0-0 40", "d4", "z9"],
        ["combat", "c4/6/7/8/4A4/4h3/3Ii2/6/4C r - 0-0 40", "d4", "e4", "--ply", "1"],
        ["combat", "c4/6/7/8/4A4/4h3/3Ii2/6/4C r - 0-0 40", "d4", "e4", "--game", "a"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line_and_status_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith("movelog")
    assert written.err.count("\n") == 1


def test_failures_are_one_line_and_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MOVELOG_REDIS_URL", f"unix://{tmp_path}/nothing.sock")
    assert main(["rebuild"]) == 1
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith("movelog: ")
    assert written.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["rebuild"],
        ["backup", "file"],
        ["prune", "--days", "1"],
        ["archive"],
        ["token"],
        ["key", "rotate"],
        ["key", "rotate-signing"],
        ["audit"],
    ],
    ids=" ".join,
)
def test_what_works_on_a_service_makes_none(
    arguments: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoService):
        load_existing_settings(str(tmp_path / "mistyped"))
    assert main([*arguments, "--data-dir", "mistyped"]) == 1
    assert capsys.readouterr().err == (
        f"movelog: there is no service in {tmp_path}/mistyped;"
        " name the service's data directory with --data-dir or MOVELOG_DATA_DIR\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_what_the_system_refuses_is_told_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "secret.key").write_bytes(b"x" * 32)
    missing = tmp_path / "no" / "folder"
    assert main(["backup", str(missing / "b.gz"), "--data-dir", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"movelog: {missing}")
    assert told.endswith(": No such file or directory\n")


def test_a_damaged_backup_leaves_no_data_directory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, data = tmp_path / "damaged", tmp_path / "data"
    file.write_bytes(b"no backup")
    assert main(["restore", str(file), "--data-dir", str(data)]) == 1
    assert "it is not gzipped, or it was altered" in capsys.readouterr().err
    assert not data.exists()


def test_a_port_that_is_taken_leaves_no_data_directory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--port", port, "--data-dir", str(data)]) == 1
        with pytest.raises(CannotListen), listen("127.0.0.1", int(port)):
            pass
    assert capsys.readouterr().err == (
        f"movelog: cannot listen on 127.0.0.1 port {port}: Address already in use;"
        " set another with --port or MOVELOG_PORT\n"
    )
    assert not data.exists()


def test_bad_settings_are_told_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MOVELOG_MAX_BODY", "much")
    assert main(["rebuild"]) == 1
    assert capsys.readouterr().err.startswith("movelog: MOVELOG_MAX_BODY: a whole number from 1024")


def test_a_reader_that_has_enough_is_no_error() -> None:
    command = [sys.executable, "-m", "service.cli", "position"]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        ended = subprocess.run(
            command, input=b"katruji\tstart\n" * 100, stdout=closed, stderr=subprocess.PIPE
        )
    assert ended.stderr == b""
