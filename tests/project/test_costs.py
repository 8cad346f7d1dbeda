"""The cost of requests by clients, games and plies: the measuring clients and the charts."""

from __future__ import annotations

import itertools
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from xml.etree import ElementTree

import pytest

from benchmarks import costs
from benchmarks.chart import Axis, Line, Panel, ceil_step, draw, floor_step, list_steps
from benchmarks.cost_scales import QUICK
from benchmarks.crowd import FEWEST, Cost, ask, build, combine, connect

SVG = "{http://www.w3.org/2000/svg}"
RATES = Panel("Requests a second", "clients", [Line("read & seen", 1, [(1, 40), (100, 4000)])])
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n"


def texts(picture: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def test_a_picture_tells_units_names_and_the_numbers_of_both_axes() -> None:
    told = texts(draw("Rates", [RATES]))
    assert {"Requests a second", "clients", "read & seen"} <= set(told)
    assert {"1", "100"} <= set(told)
    assert {"20", "50", "200", "500", "2,000", "5,000"} <= set(told)


def test_a_line_goes_up_to_the_right_in_the_colour_of_its_series() -> None:
    picture = ElementTree.fromstring(draw("Rates", [RATES]))
    first, last = picture.iter(f"{SVG}circle")
    assert float(first.attrib["cx"]) < float(last.attrib["cx"])
    assert float(first.attrib["cy"]) > float(last.attrib["cy"])
    assert {one.attrib["class"] for one in (first, last)} == {"p1"}
    style = picture.find(f"{SVG}style")
    assert style is not None
    assert style.text
    light, dark = style.text.split("@media (prefers-color-scheme:dark)")
    assert all(f".s{series}" in half for series in range(3) for half in (light, dark))


def test_the_same_figures_give_the_same_picture_and_panels_do_not_overlap() -> None:
    picture = draw("Rates", [RATES] * 3)
    assert picture == draw("Rates", [RATES] * 3)
    groups = ElementTree.fromstring(picture).findall(f"{SVG}g")
    assert [one.attrib["transform"] for one in groups] == [
        "translate(0 0)",
        "translate(360 0)",
        "translate(0 264)",
    ]


def test_an_axis_is_logarithmic_and_begins_and_ends_at_round_numbers() -> None:
    assert Axis(1, 100, 0, 200).place(10) == 100
    assert [floor_step(one) for one in (1, 1.9, 0.07, 4999)] == pytest.approx([1, 1, 0.05, 2000])
    assert [ceil_step(one) for one in (1, 1.1, 0.07, 5001)] == pytest.approx([1, 2, 0.1, 10_000])
    assert list_steps(0.5, 20) == pytest.approx([0.5, 1, 2, 5, 10, 20])
    assert list_steps(0.5, 2000) == pytest.approx([1, 10, 100, 1000])


def test_a_value_alone_has_an_axis_too() -> None:
    assert "10" in texts(draw("One", [Panel("ms", "games", [Line("a", 0, [(1, 10), (2, 10)])])]))


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def answer(listening: socket.socket, answers: list[bytes]) -> list[bytes]:
    """Answer a connection's requests, byte by byte; returns the list that collects them."""
    heard: list[bytes] = []

    def serve() -> None:
        connection, _ = listening.accept()
        with connection:
            for one in answers:
                heard.append(connection.recv(1 << 16))
                for at in range(len(one)):
                    connection.sendall(one[at : at + 1])

    Thread(target=serve, daemon=True).start()
    return heard


def test_a_client_asks_one_after_the_other_and_hears_whole_answers(server: socket.socket) -> None:
    heard = answer(server, [OK + b"one", OK + b"two"])
    requests = [build("secret", "GET", "/a"), build("secret", "POST", "/b", '{"x":1}')]
    bodies: list[bytes] = []
    with connect(server.getsockname()[1], 1) as clients:
        taken = ask(clients, [iter(requests)], hear=bodies.append)
    assert bodies == [b"one", b"two"]
    assert heard == requests
    assert len(taken) == 2
    assert min(taken) > 0
    assert b"Bearer secret\r\n" in heard[0]
    assert heard[1].endswith(b'Content-Length: 7\r\nAccept: application/json\r\n\r\n{"x":1}')


def test_two_answers_are_heard_even_if_the_time_is_up(server: socket.socket) -> None:
    answer(server, [OK + b"one", OK + b"two"])
    with connect(server.getsockname()[1], 1) as clients:
        taken = ask(clients, [itertools.repeat(build("secret", "GET", "/a"))], seconds=0)
    assert len(taken) == FEWEST


def test_what_is_refused_ends_the_measuring(server: socket.socket) -> None:
    answer(server, [b"HTTP/1.1 409 CONFLICT\r\nContent-Length: 2\r\n\r\nno"])
    refused = pytest.raises(RuntimeError, match="409 CONFLICT")
    with refused, connect(server.getsockname()[1], 1) as clients:
        ask(clients, [itertools.repeat(build("secret", "GET", "/a"))])


def test_rounds_are_told_by_the_median_of_each_figure() -> None:
    rounds = [Cost(1, 20, 3, 4, 5), Cost(9, 2, 7, 1, 6), Cost(2, 8, 1, 2, 9)]
    assert combine(rounds) == Cost(2, 8, 3, 2, 6)
    assert combine(rounds).cpu == 8


@pytest.mark.slow
def test_all_three_scales_are_measured_told_and_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    costs.main(["--quick", "--into", str(tmp_path)])
    told = capsys.readouterr().out
    for scale, sizes in (
        ("clients at once", QUICK.clients),
        ("games in memory", QUICK.games),
        ("plies of a game", QUICK.plies),
    ):
        for size in sizes:
            for request in ("submit an action", "read a game", "read a game anew"):
                assert re.search(rf"^{request}; {scale}: {size}\n +[\d,]+ a second", told, re.M)
    assert len(re.findall(r"^a whole game of \d+ plies", told, re.M)) == len(QUICK.plies)
    for name in ("clients", "games", "plies"):
        picture = (tmp_path / f"costs-{name}.svg").read_text()
        panels = ElementTree.fromstring(picture).findall(f"{SVG}g")
        assert len(panels) == 4
        # One point per step and line of the usual requests; latencies have two lines each.
        for panel, lines in zip(panels, (3, 6, 3), strict=False):
            assert len(panel.findall(f"{SVG}circle")) == 2 * lines
