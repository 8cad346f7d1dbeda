"""Opening statistics: each game counts once, rare positions are left out; the shipped ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.registry import VARIANTS, find_variant
from notation.errors import IllegalMove
from notation.registry import find_dialect
from service.openings.self_play.statistics import SelfPlayStatistics, read_statistics
from training.__main__ import main
from training.errors import FolderInUse, NoGames
from training.folder_lock import locked
from training.game_files import GameFolder, Header
from training.openings import count_openings, write_openings
from training.plan import Plan
from training.played_game import PlayedGame

KATRUJI = find_variant("katruji")
TEXTS = find_dialect("katruji")
START = TEXTS.write_fen(TEXTS.start({}))


def played(*tokens: str, points: float = 1.0) -> PlayedGame:
    position = TEXTS.start({})
    actions = []
    for token in tokens:
        actions.append(TEXTS.resolve(position, token))
        position.play(actions[-1])
    return PlayedGame(START, actions, [None] * len(actions), points, "alka")


@pytest.fixture
def games(tmp_path: Path) -> GameFolder:
    """Four games, three of which begin with the same action and have different results."""
    folder = GameFolder(tmp_path / "games")
    folder.begin(Plan(nodes=70))
    made = [
        played("c1c2", "b8b7"),
        played("c1c2", points=0.0),
        played("c1c2", points=0.5),
        played("b2b3", "b8b7"),
    ]
    folder.write(Header("katruji", KATRUJI.rules, "build", 0, len(made), 0), made)
    return folder


def test_actions_are_counted_by_how_their_games_went(games: GameFolder) -> None:
    found = count_openings(games, KATRUJI, fewest=1)
    assert (found.source.games, found.source.nodes, found.source.build) == (4, 70, "build")
    start = found.find(TEXTS.position_key(START))
    assert list(start) == ["c1c2", "b2b3"]
    assert start["c1c2"] == {"1-0": 1, "1/2-1/2": 1, "0-1": 1}
    assert start["b2b3"] == {"1-0": 1, "1/2-1/2": 0, "0-1": 0}
    assert SelfPlayStatistics.parse(found.to_text()) == found


def test_every_build_that_played_is_named(games: GameFolder) -> None:
    more = [played("c1c2")]
    games.write(Header("katruji", KATRUJI.rules, "another", 1, len(more), 0), more)
    assert count_openings(games, KATRUJI).source.build == "another, build"


def test_positions_that_few_games_reached_are_left_out(games: GameFolder) -> None:
    found = count_openings(games, KATRUJI, fewest=2)
    assert list(found.positions) == [TEXTS.position_key(START)]
    assert found.find("no such position") == {}


def test_the_command_writes_a_file_of_each_variant_or_says_that_there_are_no_games(
    games: GameFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--folder", str(tmp_path), "--fewest", "1"]
    assert main(["openings", str(games.path), "katruji", *given]) == 0
    assert capsys.readouterr().out == "katruji: 3 positions\n"
    text = (tmp_path / "katruji.txt").read_text(encoding="utf-8")
    assert SelfPlayStatistics.parse(text) == count_openings(games, KATRUJI, fewest=1)
    assert main(["openings", str(games.path), "kerak", *given]) == 1
    assert "no games of kerak" in capsys.readouterr().err
    # Without names, the variants are those of which there are games.
    assert main(["openings", str(games.path), *given]) == 0
    assert capsys.readouterr().out == "katruji: 3 positions\n"
    with pytest.raises(NoGames):
        count_openings(games, find_variant("kerd"))


def test_one_command_writes_a_file_and_replaces_it_as_a_whole(
    games: GameFolder, tmp_path: Path
) -> None:
    target = tmp_path / "counted"
    assert write_openings(games, KATRUJI, target, 1) == 3
    with (target / "katruji.txt").open("rb") as before:
        assert write_openings(games, KATRUJI, target, 2) == 1
        assert before.read() == count_openings(games, KATRUJI, 1).to_text().encode()
    with locked(target, "katruji.lock"), pytest.raises(FolderInUse):
        write_openings(games, KATRUJI, target, 1)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_statistics_shipped_tell_of_legal_actions_from_the_first_position_on(name: str) -> None:
    statistics = read_statistics(name)
    assert statistics is not None
    dialect = find_dialect(name)
    wanted = [dialect.start({})]
    seen = 0
    while wanted:
        position = wanted.pop()
        key = dialect.position_key(dialect.write_fen(position))
        found = statistics.find(key)
        seen += bool(found)
        for action, results in found.items():
            assert sum(results.values()) > 0
            behind = position.copy()
            try:
                behind.play(dialect.resolve(behind, action))
            except IllegalMove:
                # Whether it may be declared depends on the clock, which the key leaves out.
                assert (name, action) == ("katruji", "Kyan")
                continue
            # Only often-reached positions, some by many paths: a full walk would take long.
            if sum(results.values()) >= 4 * statistics.source.fewest:
                wanted.append(behind)
        assert seen < 10_000
    assert seen > 1
