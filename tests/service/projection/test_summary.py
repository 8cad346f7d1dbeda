from __future__ import annotations

import json

from service.game.repository import Games
from service.game.values import GameStatus
from service.projection.summary import from_json, places, summarise
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


def test_json_and_back(games: Games) -> None:
    create(games, "a", tags={"Event": "Ärger"})
    end(games, "a", "1-0")
    for state in (games.load("a"), create(games, "b", mode="challenge"), score(games, "a")):
        summary = summarise(state)
        assert from_json(summary.to_json()) == summary
        assert from_json(summary.to_json().encode()) == summary


def test_a_summary_that_was_stored_without_terms_is_read(games: Games) -> None:
    create(games, "a")
    summary = summarise(games.load("a"))
    stored = json.loads(summary.to_json())
    del stored["infiltrators"], stored["fen"]
    assert from_json(json.dumps(stored)) == summary


def test_json_is_the_same_whatever_the_order_of_tags(games: Games) -> None:
    create(games, "a", tags={"Event": "x", "Round": "1"})
    summary = summarise(games.load("a"))
    other = json.loads(summary.to_json())
    other["tags"] = dict(reversed(other["tags"].items()))
    assert from_json(json.dumps(other)).to_json() == summary.to_json()


def test_a_game_stands_where_it_belongs(games: Games) -> None:
    running = create(games, "a")
    assert ("open", "ann") in places(running)
    assert ("open", "scribe") in places(running)
    assert ("status", GameStatus.RUNNING) in places(running)
    ended = places(end(games, "a", "1/2-1/2"))
    assert ("result", "1/2-1/2") in ended
    assert ("termination", "adjudication") in ended
    assert not [place for place in ended if place[0] == "open"]
