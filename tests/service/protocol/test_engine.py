"""The engine's protocol, in this process and with an engine in a process of its own."""

from __future__ import annotations

import sys
from queue import Queue

import pytest

from engine.registry import VARIANTS, find_variant
from engine.search import Limits
from engine.search.time_management import TimeLeft
from notation.registry import find_dialect
from service.protocol import engine as module
from service.protocol.engine import Engine
from service.protocol.errors import EngineFailed
from service.protocol.process import EngineProcess

NEVER_SO_LONG = 60


class Conversation:
    """An engine and its output."""

    def __init__(self, name: str = "katruji") -> None:
        self.said: Queue[str] = Queue()
        self.engine = Engine(self.said.put, find_variant(name))

    def ask(self, *lines: str, until: str) -> list[str]:
        """Send lines; return the output up to the first line that begins with `until`."""
        for line in lines:
            assert self.engine.obey(line)
        heard: list[str] = []
        while not (heard and heard[-1].startswith(until)):
            heard.append(self.said.get(timeout=NEVER_SO_LONG))
        return heard


def test_it_introduces_itself() -> None:
    heard = Conversation().ask("uci", until="uciok")
    assert heard[0] == "id name Movelog"
    assert any(line.startswith("option name MultiPV type spin default 1") for line in heard)
    assert Conversation().ask("", "isready", until="readyok") == ["readyok"]


@pytest.mark.parametrize("name", VARIANTS)
def test_it_searches_and_names_a_legal_action(name: str) -> None:
    talk = Conversation()
    heard = talk.ask(f"setoption name Variant value {name}", "go nodes 1500", until="bestmove")
    assert heard[0].startswith("info depth 1 ")
    position = find_variant(name).start()
    action = heard[-1].split()[1]
    assert find_dialect(name).resolve(position, action) in position.legal()
    assert f" pv {action}" in heard[-2]


def test_a_clock_is_managed_and_an_only_action_played_at_once() -> None:
    talk = Conversation()
    talk.ask("setoption name Overhead value 50", "isready", until="readyok")
    heard = talk.ask("go time 2000 inc 10", until="bestmove")
    told = heard[-2].split()
    assert int(told[told.index("time") + 1]) < 1_000
    only = "position fen ciia1/6/7/8/9/8/7/6/C4 r - 0-0 40"
    talk.ask("setoption name Variant value kerak", only, "isready", until="readyok")
    heard = talk.ask("go time 600000", until="bestmove")
    assert [line.split()[0] for line in heard] == ["info", "bestmove"]


def make_engine_command(refused: str) -> str:
    """A program that refuses each `go` with this word in it, and copies all to standard error."""
    script = (
        "import sys\nfor line in sys.stdin:\n"
        "    if line == 'isready\\n': print('readyok')\n"
        "    if line[:2] != 'go': continue\n"
        "    print(line.strip(), file=sys.stderr)\n"
        f"    if '{refused}' in line: print('info string error: what is that?')\n"
        "    else: print('bestmove b3c4')"
    )
    return f'{sys.executable} -ISuc "{script}"'


@pytest.mark.parametrize(
    ("refused", "asked"),
    [
        ("xxx", ["go nodes 5 time 8000 inc 100", "go nodes 5 time 8000 inc 100", "go nodes 5"]),
        (" time", ["go nodes 5 time 8000 inc 100", *["go nodes 5 movetime 495"] * 2, "go nodes 5"]),
    ],
)
def test_an_engine_that_knows_no_clocks_is_given_the_optimum(
    refused: str, asked: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    katruji = find_variant("katruji")
    engine = EngineProcess(make_engine_command(refused), katruji)
    for time in (TimeLeft(8_000, increment=100), TimeLeft(8_000, increment=100), None):
        engine.choose(katruji.start(), Limits(nodes=5), time)
    engine.close()
    assert capfd.readouterr().err.splitlines() == asked


def test_several_lines_are_told() -> None:
    heard = Conversation().ask("setoption name MultiPV value 3", "go depth 2", until="bestmove")
    assert [line.split()[6] for line in heard[:3]] == ["1", "2", "3"]


def test_a_draw_is_worth_what_is_agreed() -> None:
    talk = Conversation("kerak")
    drawn = "position fen c4/v5/7/8/9/4i3/3I3/6/4C r - 5-5 40"
    assert " win " not in talk.ask(drawn, "go depth 2", until="bestmove")[-2]
    agreed = "setoption name DrawByPoints value 1"
    heard = talk.ask(agreed, drawn, "go depth 2", until="bestmove")
    assert heard[-1] == "bestmove d4e4"
    assert " score win 1 " in heard[-2]


def test_an_engine_that_knows_no_agreements_plays_without_them() -> None:
    script = (
        "import sys\nfor line in sys.stdin:\n"
        "    if 'DrawByPoints' in line: print('info string error: no option')\n"
        "    if line == 'isready\\n': print('readyok')\n"
        "    if line[:2] == 'go': print('bestmove d4d5')"
    )
    command = f'{sys.executable} -ISuc "{script}"'
    engine = EngineProcess(command, find_variant("kerak"), draw_by_points=True)
    position = find_dialect("kerak").read_fen("c4/v5/7/8/9/4i3/3I3/6/4C r - 5-5 40")
    action = engine.choose(position, Limits(nodes=1))
    engine.close()
    assert find_dialect("kerak").coordinate(action) == "d4d5"


def test_a_stop_ends_a_search_without_limits_and_only_then_it_answers() -> None:
    talk = Conversation()
    talk.ask("go infinite", until="info depth 1 ")
    refused = talk.ask("position startpos", until="info string error")
    assert "wait for the search" in refused[-1]
    talk.ask("isready", until="readyok")
    assert talk.ask("stop", until="bestmove")[-1] != "bestmove none"
    talk.ask("position startpos", "newgame", "go depth 1", until="bestmove")


def test_quit_ends_a_search() -> None:
    talk = Conversation()
    talk.ask("go infinite", until="info depth 1 ")
    assert not talk.engine.obey("quit")


def test_a_finished_game_has_a_score_and_no_best_move() -> None:
    won_by_north = "4/4/4/4/4/4/4/O2O s 3-18 - 0 9"
    heard = Conversation().ask(f"position fen {won_by_north}", "go depth 3", until="bestmove")
    assert "score lose 0" in heard[0]
    assert heard[1:] == ["bestmove none"]


def test_what_is_no_command_is_told_and_nothing_else_happens() -> None:
    talk = Conversation()
    for line in ("jump", "setoption name Variant value chess", "go soon"):
        assert talk.ask(line, until="info string error")
    talk.ask("go depth 1", until="bestmove")


def test_a_search_that_fails_is_told_and_the_engine_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = Conversation()

    def fail(*given: object, **named: object) -> None:
        raise MemoryError("no room")

    with monkeypatch.context() as broken:
        broken.setattr(module, "iterate_worlds", fail)
        heard = talk.ask("go nodes 100", until="bestmove")
    assert heard == [
        "info string error: the search failed: MemoryError no room",
        "bestmove none",
    ]
    assert talk.ask("go nodes 100", until="bestmove")[-1] != "bestmove none"


def test_there_is_one_table_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory for a second one may be lacking: then the search goes on with a small one."""
    talk = Conversation()
    talk.ask("setoption name Hash value 64", "isready", until="readyok")
    search = talk.engine._search
    large = search.table
    held = sys.getrefcount(large)

    def make(mebibytes: int) -> object:
        assert sys.getrefcount(large) < held
        raise MemoryError

    monkeypatch.setattr(talk.engine._helpers, "make_table", make)
    for command in ("newgame", "setoption name Hash value 128"):
        assert talk.ask(command, until="info") == [
            "info string error: no memory for a table of this size"
        ]
    assert talk.ask("go nodes 100", until="bestmove")[-1] != "bestmove none"


def test_an_engine_in_a_process_of_its_own_plays() -> None:
    katruji = find_variant("katruji")
    process = EngineProcess(f"{sys.executable} -m service.cli engine", katruji, Hash=1)
    try:
        position = katruji.start()
        for _ in range(3):
            position.play(process.choose(position, Limits(nodes=300)))
        assert 0 < process.nodes <= 300
    finally:
        process.close()


ECHO = f'{sys.executable} -uc "import sys\nfor line in sys.stdin: print({{!r}})"'


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("no-such-engine", "No such file"),
        (f"{sys.executable} -c pass", "has ended"),
        (ECHO.format("info string error: no"), "no"),
    ],
)
def test_an_engine_that_fails_is_named(command: str, reason: str) -> None:
    with pytest.raises(EngineFailed) as caught:
        EngineProcess(command, find_variant("katruji"))
    assert reason in caught.value.reason
    assert str(caught.value).startswith(command)


@pytest.mark.parametrize("answer", ["bestmove none", "bestmove a1a1"])
def test_an_engine_without_a_legal_answer_is_named(answer: str) -> None:
    script = (
        "import sys\nfor line in sys.stdin:\n"
        "    if line == 'isready\\n': print('readyok')\n"
        f"    if line[:2] == 'go': print('{answer}')"
    )
    katruji = find_variant("katruji")
    process = EngineProcess(f'{sys.executable} -uc "{script}"', katruji)
    try:
        with pytest.raises(EngineFailed):
            process.choose(katruji.start(), Limits(depth=1))
    finally:
        process.close()


def test_threads_search_at_the_same_time_and_end_with_it() -> None:
    talk = Conversation()
    options = ("setoption name Threads value 3", "setoption name Hash value 1")
    assert talk.ask(*options, "isready", until="readyok") == ["readyok"]
    for _ in range(2):
        heard = talk.ask("newgame", "go nodes 5000", until="bestmove")
        assert find_dialect("katruji").resolve(
            find_variant("katruji").start(), heard[-1].split()[1]
        )
    for value in ("0", "65", "2.5", "-1", "x", "9" * 5000):
        assert talk.ask(f"setoption name Threads value {value}", until="info string error")
    assert talk.ask("setoption name Threads value 1", "go depth 2", until="bestmove")
    assert not talk.engine.obey("quit")
