"""However a process ends, the processes that play its match end too."""

from __future__ import annotations

from tests.orphans import assert_no_orphans

MATCH = """
from service.selfplay.match import Match, play
from service.selfplay.setting import read_setting

players = read_setting("nodes=2000"), read_setting("nodes=2000")
for _ in play(Match("katruji", players), 10_000, processes=2):
    print("begun", flush=True)
"""


def test_the_processes_of_a_match_end_with_a_killed_one() -> None:
    assert_no_orphans(MATCH, processes=3)
