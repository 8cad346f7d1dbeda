from __future__ import annotations

from service.game.repository import Games
from service.projection.summary import summarise
from tests.service.projection.support import correct, create, end, play, score


def test_a_running_game_has_no_result_and_no_points(games: Games) -> None:
    create(games, "a", tags={"Event": "Open", "Annotator": "nobody", "Round": "3"})
    summary = summarise(play(games, "a", 3))
    assert (summary.result, summary.termination, summary.points) == (None, None, None)
    assert (summary.plies, summary.version, summary.scored) == (3, 4, False)
    assert summary.tags == {"Event": "Open", "Round": "3"}
    assert summary.seats == ("ann", "bob")


def test_points_are_shown_for_the_ending_they_were_counted_for(games: Games) -> None:
    create(games, "a")
    assert not summarise(end(games, "a", "1-0")).scored
    scored = summarise(score(games, "a", (3, 4)))
    assert (scored.points, scored.scored, scored.result) == ((3, 4), True, "1-0")
    corrected = summarise(correct(games, "a", "0-1"))
    assert (corrected.points, corrected.scored, corrected.result) == (None, False, "0-1")
