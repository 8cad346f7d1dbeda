"""Reads the games that a job about ended games names."""

from __future__ import annotations

from collections.abc import Iterator

from service.game.repository import KIND
from service.log.feed_range import FeedRange, parse_position
from service.log.interface import EventLog
from workers.task import Task


def list_named_games(task: Task) -> list[str]:
    """The ids of the games that a job of `service.reactions.ended_games` names, each once.

    A job that an older version has queued names a range of the feed instead.
    """
    arguments = task.arguments
    if "games" in arguments:
        return list(dict.fromkeys(arguments["games"]))
    return list(iterate_games(task.service.log, FeedRange(**arguments)))


def iterate_games(events: EventLog, feed_range: FeedRange) -> Iterator[str]:
    """The ids of the games that a range of the feed names, each once."""
    seen = set()
    after = feed_range.after
    while pointers := events.feed(feed_range.partition, after):
        for pointer in pointers:
            if parse_position(pointer.position) > parse_position(feed_range.upto):
                return
            if pointer.stream.kind == KIND and pointer.stream.id not in seen:
                seen.add(pointer.stream.id)
                yield pointer.stream.id
        after = pointers[-1].position
