"""Players known from records who may be the same person are suggested, each pair once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from service.composition.projector import rebuild
from service.composition.service import Service
from service.log.values import StreamId
from service.player.commands import Principal
from service.player.names.words import words
from service.projection import merge_suggestions
from service.projection.errors import BadCursor
from service.projection.merge_suggestions import MergeSuggestions, Suggestion
from service.projection.spellings import find_resemblance
from tests.service.projection.support import create, end, project_service

ADMIN = "admin"
FIRST = ("Ada", "Adam", "Bea", "Brahim", "Brahym", "Zoë", "Zoe", "A.", "B.")
LAST = ("King", "Kings", "Lovelace", "Lovelcae", "Müller", "Mueller", "Ng", "O'Hara", "de Boer")
ALONE = ("Ovelace", "Olvelace", "Llovelace", "Meuller")


def add(service: Service, *names: str) -> list[str]:
    """Add players who are known only from records, and project them."""
    ids = [service.players.unclaimed(name, ADMIN) for name in names]
    project_service(service)
    return ids


def every_suggestion(suggestions: MergeSuggestions, limit: int = 50) -> Iterator[Suggestion]:
    """The suggestions on all pages, which must be in the order of their likelihood."""
    cursor, before = None, (-101, "", "")
    while True:
        page = suggestions.page(cursor, limit)
        assert len(page.suggestions) <= limit
        for one in page.suggestions:
            place = (-one.likelihood, one.player.id, one.other.id)
            assert place > before
            before = place
            yield one
        cursor = page.next_cursor
        if cursor is None:
            return


def pairs(service: Service, limit: int = 50) -> dict[frozenset[str], str]:
    """The reason of each suggestion, by the pair of ids."""
    found = list(every_suggestion(service.merge_suggestions, limit))
    told = {frozenset((one.player.id, one.other.id)): one.reason for one in found}
    assert len(told) == len(found)
    return told


def random_name(random: Random) -> str:
    first, last = random.choice(FIRST), random.choice(LAST)
    alone = random.choice((last, *ALONE))
    forms = (f"{first} {last}", f"{last}, {first}", f"{first} M. {last}", alone)
    return random.choice(forms)


@pytest.mark.parametrize("count", [40, pytest.param(150, marks=pytest.mark.slow)])
def test_suggestions_are_those_of_comparing_everybody(
    service: Service, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(merge_suggestions, "COMMON", 1000)
    monkeypatch.setattr(merge_suggestions, "CHUNK", 7)
    random = Random(count)
    names = list(dict.fromkeys(random_name(random) for _ in range(count)))
    ids = add(service, *names)
    claimed = [service.players.register(name, None).id for name in ("Ada King", "Bea Ng")]
    project_service(service)
    named = dict(zip([*ids, *claimed], [*names, "Ada King", "Bea Ng"], strict=True))
    expected = {
        frozenset((one, other)): like.reason
        for one, other in combinations(named, 2)
        if not {one, other} <= set(claimed)
        and (like := find_resemblance(words(named[one]), words(named[other])))
    }
    assert len(expected) > count / 2
    assert pairs(service) == expected
    assert pairs(service, limit=3) == expected


def test_a_registered_player_is_whom_others_are_merged_into(service: Service) -> None:
    [spelt] = add(service, "King, Ada")
    claimed = service.players.register("Ada King", None).id
    service.players.register("Ada KING", None)
    project_service(service)
    found = list(every_suggestion(service.merge_suggestions))
    assert {one.player.id for one in found} == {spelt}
    assert all(one.other.claimed and not one.player.claimed for one in found)
    assert claimed in {one.other.id for one in found}


def test_who_played_each_other_is_hardly_one_person(service: Service) -> None:
    one, other, third = add(service, "Ada King", "King, Ada", "A. King")
    for game in "xy":
        create(service.games, game * 16, one, other)
        end(service.games, game * 16, "1-0")
    project_service(service)
    found = {
        frozenset((each.player.id, each.other.id)): each
        for each in every_suggestion(service.merge_suggestions)
    }
    met = found[frozenset((one, other))]
    assert (met.met, met.likelihood, met.player.games, met.other.games) == (2, 5, 2, 2)
    apart = found[frozenset((one, third))]
    assert (apart.met, apart.likelihood) == (0, 70)


def test_what_the_log_has_settled_is_not_suggested_again(service: Service) -> None:
    ids = add(service, "Ada King", "King, Ada", "Ada KING.", "ada  king")
    everybody = {frozenset(pair) for pair in combinations(ids, 2)}
    assert pairs(service).keys() == everybody
    one, other, merged, erased = ids
    # This holds even before any of it is projected.
    service.players.distinguish(other, one, ADMIN)
    service.players.distinguish(other, one, ADMIN)
    service.players.merge(merged, one, ADMIN)
    service.players.erase(erased, Principal(ADMIN, None))
    assert pairs(service) == {}
    project_service(service)
    rebuild(service)
    assert pairs(service) == {}
    service.players.part(merged, ADMIN)
    project_service(service)
    assert pairs(service).keys() == {frozenset((one, merged)), frozenset((other, merged))}
    stored = service.log.read(StreamId("player", other))
    assert [entry.event.stored_name for entry in stored] == [
        "player-registered/1",
        "player-distinguished/1",
    ]


def test_of_a_common_word_the_same_words_alone_are_looked_up(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge_suggestions, "COMMON", 3)
    wang, xiu, _ = add(service, "Wang Xiu", "Xiu Wang", "X. Wang")
    add(service, *(f"Wang {name}" for name in ("Bo", "Fu", "Li")))
    add(service, *(f"Xiu {name}" for name in ("Bo", "Fu", "Li")))
    assert pairs(service) == {frozenset((wang, xiu)): "same-words"}


def test_a_page_that_takes_too_long_leads_to_the_next(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge_suggestions, "CHUNK", 2)
    add(service, "Ada King", "King, Ada", "Bea Ng", "Ng, Bea", "Eve", "Zoë")
    slow = MergeSuggestions(service.database, service.log, budget=0)
    first = slow.page()
    assert first.next_cursor is not None
    assert len(list(every_suggestion(slow))) == 2


def test_the_likeliest_of_all_are_on_the_first_page(service: Service) -> None:
    ids = add(service, *(f"Ada {word} King" for word in ("Bo", "Fu", "Li", "Ng")), "Ada King")
    [twice] = add(service, "King, Ada")
    first = service.merge_suggestions.page(limit=1)
    [only] = first.suggestions
    assert {only.player.id, only.other.id} == {ids[-1], twice}
    assert only.likelihood == 95
    others = service.merge_suggestions.page(first.next_cursor).suggestions
    assert [one.likelihood for one in others] == [60] * 8


def test_a_single_name_is_found_wherever_its_wrong_letter_is(service: Service) -> None:
    right, exchanged, other, missing, _ = add(
        service, "Capablanca", "Cpaablanca", "Gapablanca", "apablanca", "Stamma"
    )
    near = [(right, exchanged), (right, other), (right, missing), (other, missing)]
    assert pairs(service) == {frozenset(pair): "typing-error" for pair in near}


def test_a_cursor_has_a_form(service: Service) -> None:
    for bad in ("", "x", "x.y", "95.x", "94.x.y", "95.X.y", "95.x.y.z", "٩٥.x.y"):
        with pytest.raises(BadCursor):
            service.merge_suggestions.page(bad)
