"""`movelog search`, `players`, `explore` and `export` against a running service."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from notation.reader import read
from service.cli import main
from service.cli.client import Client, ConnectionLost
from service.cli.queries.explore import format_novelty
from service.cli.queries.export import (
    read_id_of_line,
    read_id_of_record,
    split_lines,
    split_records,
)
from service.cli.queries.players import format_player
from tests.service.projection.support import create, end, play
from tests.service.web_server import WebServer


@pytest.fixture(scope="module")
def service(server: WebServer) -> tuple[str, list[str]]:
    """The URL of a service that no test changes, and the ids of its games, newest first."""
    service = server.service
    ada, brahim = (service.players.unclaimed(name, "admin") for name in ("Ada King", "Brahim"))
    ids = ["g1", "g2", "g3"]
    for id in ids:
        create(service.games, id, ada, brahim)
        play(service.games, id, 4)
        end(service.games, id, "1-0")
    # The server's own projector lists them.
    assert service.checkpoints.wait_until(service.log.feed_positions(), 60)
    return server.url, ids[::-1]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


@pytest.mark.slow
def test_search(service: tuple[str, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    url, ids = service
    lines = run(capsys, "search", "--url", url, "--variant", "katruji").splitlines()
    assert [line.split(" ")[0] for line in lines] == ids
    assert lines[0].endswith(" katruji 1-0 4 Ada King - Brahim")
    found = run(capsys, "search", "--url", url, "--result", "1-0", "--limit", "2", "--json")
    assert [json.loads(line)["id"] for line in found.splitlines()] == ids[:2]
    assert main(["search", "--url", url, "--min-plies", "5"]) == 0
    assert capsys.readouterr() == ("", "0 games\n")


@pytest.mark.parametrize("command", ["search", "export"])
def test_a_player_is_named(
    service: tuple[str, list[str]], command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    url, ids = service
    lines = run(capsys, command, "--url", url, "--player", "KING", "--json").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ids
    assert run(capsys, command, "--url", url, "--player", "Kin", "--json") == ""


def test_players(service: tuple[str, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    url, _ = service
    assert [
        line.split(" ", 1)[1] for line in run(capsys, "players", "--url", url).splitlines()
    ] == [
        "Ada King",
        "Brahim",
    ]
    found = json.loads(run(capsys, "players", "king", "--url", url, "--json"))
    assert (found["name"], found["claimed"], found["ratings"]) == ("Ada King", False, {})


def test_a_players_ratings_stand_behind_the_name() -> None:
    player = {"id": "a", "name": "Ada", "ratings": {"kerd": {"rapid": {"rating": 1612.4}}}}
    assert format_player(player) == "a Ada (kerd rapid 1612)"


def test_what_the_service_refuses_is_one_line(
    service: tuple[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    url, _ = service
    for command in (["search"], ["export"]):
        assert main([*command, "--url", url, "--since", "never"]) == 1
        written = capsys.readouterr()
        assert written.out == ""
        assert written.err.startswith("movelog: refused (400 bad-parameter): --since: ")


def test_explore(service: tuple[str, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    url, _ = service
    title, row = run(capsys, "explore", "--variant", "katruji", "--url", url).splitlines()
    assert title.split() == ["action", "games", "1-0", "1/2-1/2", "0-1", "*"]
    assert row.split()[1:] == ["3", "3", "0", "0", "0"]
    told = json.loads(run(capsys, "explore", "--variant", "katruji", "--url", url, "--json"))
    assert told["actions"][0]["games"] == 3
    game = json.loads(run(capsys, "export", "--url", url, "--json").splitlines()[0])
    last = run(capsys, "explore", game["fen"], "--variant", "katruji", "--url", url)
    assert last.splitlines()[1].split() == ["(ended)", "3", "3", "0", "0", "0"]
    few = run(capsys, "explore", "--variant", "katruji", "--result", "0-1", "--url", url)
    assert len(few.splitlines()) == 1


@pytest.mark.parametrize("wrong", [["--game", "a" * 16, "--variant", "katruji"], []])
def test_explore_needs_a_variant_or_a_game(
    service: tuple[str, list[str]], capsys: pytest.CaptureFixture[str], wrong: list[str]
) -> None:
    assert main(["explore", *wrong, "--url", service[0]]) == 2
    assert "--variant" in capsys.readouterr().err


def test_where_a_game_left_the_archive_on_one_line() -> None:
    novelty: dict[str, Any] = {"ply": 1, "san": "Pd1", "games": 0, "last": None}
    assert format_novelty(novelty) == "left with action 1, Pd1: 0 earlier games"
    seat = {"id": "x", "name": "Ada", "mark": None}
    last = {"id": "g", "variant": "kerd", "result": "1-0", "ply": 9, "tags": {}}
    last["players"] = {"first": seat, "second": seat}
    told = format_novelty({"ply": None, "san": None, "games": 1, "last": last})
    assert told == "never left the archive: 1 earlier game, the last g kerd 1-0 9 Ada - Ada"


def test_export(
    service: tuple[str, list[str]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    url, ids = service
    file = tmp_path / "out.pgn"
    assert main(["export", "--url", url, "-o", str(file)]) == 0
    assert capsys.readouterr().err == "3 games\n"
    with file.open("rb") as stream:
        verdicts = list(read(stream))
    assert [verdict.error for verdict in verdicts] == [None] * 3
    assert [verdict.game.tags["MovelogGame"] for verdict in verdicts] == ids
    lines = run(capsys, "export", "--url", url, "--json", "--after", ids[0]).splitlines()
    assert [json.loads(line)["id"] for line in lines] == ids[1:]
    literate = run(capsys, "export", "--url", url, "--literate", "--tag", "Event:none")
    assert literate == ""


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["records", "lines"])
def test_an_export_that_goes_on_keeps_what_its_file_has(
    service: tuple[str, list[str]],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    form: tuple[str, ...],
) -> None:
    url, ids = service
    file = tmp_path / "out"
    export = ("export", "--url", url, *form)
    whole = run(capsys, *export)
    cut = split_lines if form else split_records
    file.write_bytes(next(cut(iter([whole.encode()]))))
    run(capsys, *export, "--after", ids[0], "-o", str(file))
    assert file.read_text() == whole
    # Without --after the file is replaced by a new export.
    run(capsys, *export, "-o", str(file))
    assert file.read_text() == whole


def test_a_path_is_taken_with_and_without_its_beginning(
    service: tuple[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [
        run(capsys, "api", "GET", path, "--get", "items", "--url", service[0])
        for path in ("/games?limit=1", "/api/v1/games?limit=1")
    ]
    assert asked[0] == asked[1]


@pytest.mark.parametrize(
    "accept",
    ["application/x-ndjson", "application/x-chess-pgn", "application/vnd.apache.parquet"],
)
def test_what_is_not_json_is_printed_byte_by_byte(
    service: tuple[str, list[str]], accept: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    url, path = service[0], "/export?variant=katruji"
    assert main(["api", "GET", path, "--accept", accept, "--url", url]) == 0
    answer = requests.get(f"{url}/api/v1{path}", headers={"Accept": accept}, timeout=60)
    assert capfdbinary.readouterr().out == answer.content


def test_what_is_no_id_is_named(
    service: tuple[str, list[str]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["export", "nope", "--url", service[0]]) == 1
    kept = tmp_path / "kept.pgn"
    kept.write_text("an earlier export")
    assert main(["export", "nope", "--url", service[0], "-o", str(kept)]) == 1
    assert kept.read_text() == "an earlier export"
    assert "refused (422 invalid-request): ids.0: " in capsys.readouterr().err


def test_ids_and_filters_do_not_go_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "a", "--variant", "katruji"]) == 2
    assert "either IDs" in capsys.readouterr().err


def test_a_connection_that_breaks_is_taken_up_again(
    service: tuple[str, list[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url, _ = service
    whole = [run(capsys, "export", "--url", url, *more) for more in ([], ["--json"])]
    stream = Client.stream

    def breaking(self: Client, *arguments: str, **sent: Any) -> Iterator[bytes]:
        """Break off every stream in the middle of its second game, if it has two."""
        text = b"".join(stream(self, *arguments, **sent))
        part = len(text) * 3 // 5
        yield text[:part]
        if (text.count(b"MovelogGame") or text.count(b"\n")) > 1:
            raise ConnectionLost("for the test")
        yield text[part:]

    monkeypatch.setattr(Client, "stream", breaking)
    for text, more in zip(whole, ([], ["--json"]), strict=True):
        assert run(capsys, "export", "--url", url, *more) == text


def test_a_service_that_breaks_off_for_ever(
    service: tuple[str, list[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(self: Client, *arguments: str, **sent: object) -> Iterator[bytes]:
        yield b"[Event"
        raise ConnectionLost("for the test")

    monkeypatch.setattr(Client, "stream", broken)
    assert main(["export", "--url", service[0]]) == 1
    assert "was lost" in capsys.readouterr().err


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_stream_is_cut_into_games_wherever_its_pieces_end(size: int) -> None:
    records = [
        b'[Event "x"]\n[MovelogGame "a"]\n\n1. Pd1 *\n',
        b'[Event "[y"]\n[MovelogGame "b"]\n\n{a\n [b} 1. Pd1 *\n',
    ]
    lines = [b'{"id":"a"}\n', b'{"id":"b"}\n']
    for parts, joined, cut, id_of in (
        (records, b"\n".join(records), split_records, read_id_of_record),
        (lines, b"".join(lines), split_lines, read_id_of_line),
    ):
        pieces = (joined[at : at + size] for at in range(0, len(joined), size))
        games = list(cut(pieces))
        assert games == parts
        assert [id_of(game) for game in games] == ["a", "b"]
    assert list(split_records(iter([]))) == []
    with io.BytesIO(b"\n".join(records)) as stream:
        assert len(list(read(stream))) == 2
