"""A player's stream while the list of their games lags behind the log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

import pytest

from service.api import player_stream
from service.api.player_stream import Listing, PlayerMessages
from service.api.subscriptions import News, Subscription
from service.game.repository import stream_of
from service.log.values import Pointer
from service.player.names.shown import ShownName
from service.projection.errors import DatabaseAway
from tests.service.projection.support import create, end, memory_games, play


@dataclass
class Lists:
    """A fake projection that is late at the first looks and complete afterwards."""

    late: list[list[str]]
    whole: list[str]
    asked: list[float] = field(default_factory=list)
    failing: set[int] = field(default_factory=set)
    """The looks at which the list cannot be read, although its progress can."""

    def wait_until(self, wanted: object, timeout: float) -> bool:
        self.asked.append(timeout)
        return len(self.asked) > len(self.late)

    def open_ids(self, player: str) -> list[str]:
        looks = len(self.asked) - 1
        if looks in self.failing:
            raise DatabaseAway("gone")
        return (self.late[looks:] or [self.whole])[0]


@dataclass
class Names:
    """Names that are as the ids; `asked` are the players of each request for some."""

    asked: list[list[str]] = field(default_factory=list)

    def shown(self, ids: Iterable[str]) -> dict[str, ShownName]:
        self.asked.append(sorted(set(ids)))
        return {id: ShownName(id) for id in self.asked[-1]}


def events(messages: Iterator[str]) -> list[str]:
    """The names of the events or the ids of their games, without comments."""
    told = []
    for text in messages:
        if text.startswith("id: "):
            told.append(text.split("\n")[0].removeprefix("id: ").split("-")[0])
        elif text.startswith("event: "):
            told.append(text.split("\n")[0].removeprefix("event: "))
    return told


def test_games_that_are_listed_late_are_told_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_stream, "LOOK", 0.01)
    games = memory_games()
    for id in ("a", "b", "c"):
        create(games, id)
    lists = cast(Any, Lists(late=[["a"], ["a", "b"]], whole=["a", "b", "c"]))
    listing = Listing(lists, lists, {0: "9-0"}, "ann")
    subscription = Subscription[News](["player:ann"], "")
    first = listing.look(5.0)
    assert not listing.whole
    messages = PlayerMessages(
        games, cast(Any, Names()), "ann", subscription, lambda: True
    ).stream_messages(listing, first, ends=True)
    assert events(messages) == ["a", "b", "c", "caught_up"]
    assert lists.asked == [5.0, 0, 0]


def follow_beside(lists: Lists, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a player's stream sends of two games, one of which changes while the lists are late."""
    monkeypatch.setattr(player_stream, "LOOK", 0.01)
    games = memory_games()
    for id in ("a", "b"):
        create(games, id)
    listing = Listing(cast(Any, lists), cast(Any, lists), {0: "9-0"}, "ann")
    subscription = Subscription[News](["player:ann"], "", None)
    state = play(games, "b", 1)
    pointer = Pointer("1-0", stream_of("b"), state.version, state.version, ("ann",))
    subscription.push(News(pointer, ()))
    messages = PlayerMessages(
        games, cast(Any, Names()), "ann", subscription, lambda: True
    ).stream_messages(listing, listing.look(5.0), True)
    return events(messages)


def test_what_changes_meanwhile_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = Lists(late=[[], []], whole=["a", "b"])
    assert follow_beside(lists, monkeypatch) == ["b", "a", "caught_up"]


def test_a_stream_goes_on_while_the_lists_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    # The list has caught up with the log at the third look, but cannot be read before the fifth.
    lists = Lists(late=[[], []], whole=["a", "b"], failing={1, 2, 3})
    assert follow_beside(lists, monkeypatch) == ["b", "a", "caught_up"]
    assert len(lists.asked) == 5


def test_names_are_read_once_and_not_at_each_turn() -> None:
    """No turn on the clock waits for the lists' database."""
    games, names = memory_games(), Names()
    for id, rival in (("a", "bob"), ("b", "bob"), ("c", "eve")):
        create(games, id, second=rival)
    subscription = Subscription[News](["player:ann"], "")
    messages = PlayerMessages(games, cast(Any, names), "ann", subscription, lambda: True)
    lists = cast(Any, Lists(late=[], whole=[]))
    told = messages.stream_messages(Listing(lists, lists, {}, "ann", True), ["a", "b", "c"], False)
    assert events(islice(told, 4)) == ["a", "b", "c", "caught_up"]
    assert names.asked == [["ann", "bob", "eve"]]
    for change, id in ((play, "a"), (end, "a"), (create, "d")):
        last = change(games, id).version
        subscription.push(News(Pointer("1-0", stream_of(id), last, last, ("ann",)), ()))
        assert events(islice(told, 1)) == [id]
    # Who plays again may have another name by then.
    assert names.asked[1:] == [["ann", "bob"]]
