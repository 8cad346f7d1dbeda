"""Actions as described to boards: the changes described are those that happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.position import Action, Position
from engine.registry import VARIANTS
from engine.side import Side
from notation.registry import find_dialect
from service.boards.described_actions import DEED, DROP, MOVE, describe_actions, take_apart
from service.boards.registry import find_board
from service.boards.scene import place_letters
from tests.engine.kerd_support import at

Letters = dict[str, str]
WHOSE: list[tuple[Side, ...]] = [(), (Side.FIRST,), (Side.SECOND,), tuple(Side)]
PLIES = 90


def letters(variant: str, position: Position) -> Letters:
    """The letters on the board by cell, as in the position string."""
    return place_letters(find_board(variant), find_dialect(variant).write_fen(position))


def apply(standing: Letters, action: Mapping[str, Any]) -> Letters:
    """The board after an action, from the action's description only."""
    if "changes" in action:
        changes = action["changes"]
    elif action["kind"] == DROP:
        changes = {action["to"]: action["from"]}
    else:
        changes = {action["from"]: None, action["to"]: standing[action["from"]]}
    after = {**standing, **changes}
    return {name: letter for name, letter in after.items() if letter is not None}


def begin(variant: str, chosen: Collection[Side], random: Random) -> Position:
    """A start position in which these sides have made their secret choices, if the game has any."""
    position = VARIANTS[variant].start()
    sealing = find_dialect(variant).sealing
    for side in chosen if sealing else ():
        assert sealing is not None
        sealing.place(position, side, random.choice(sealing.choices(position, side)))
    return position


def view(
    variant: str, position: Position, hidden: Collection[Side]
) -> tuple[Position, list[Action]]:
    """The position and its actions, as known to somebody from whom these choices are hidden."""
    sealing = find_dialect(variant).sealing
    if sealing is None or not hidden:
        return position.copy(), list(position.legal())
    return sealing.view(position, hidden), list(sealing.visible_actions(position, hidden))


def walk(variant: str, seed: int, chosen: Collection[Side]) -> Iterator[Position]:
    """The positions of a random game in which captures are frequent."""
    random = Random(f"{variant} {seed}")
    position = begin(variant, chosen, random)
    written = find_dialect(variant)
    for _ in range(PLIES):
        yield position
        legal = position.legal()
        if not legal:
            return
        standing = letters(variant, position)
        weights = [
            4 if take_apart(written.coordinate(action)).target in standing else 1
            for action in legal
        ]
        position.play(random.choices(legal, weights)[0])


def check_changes(
    variant: str, seed: int, chosen: Collection[Side], hidden: Collection[Side]
) -> None:
    """Compare the descriptions of actions in a random game with what the actions do."""
    written = find_dialect(variant)
    for number, position in enumerate(walk(variant, seed, chosen)):
        if number % 9 != seed % 9:
            continue
        seen, actions = view(variant, position, hidden)
        told = describe_actions(variant, seen, actions)
        assert [one["action"] for one in told] == sorted(map(written.coordinate, actions))
        standing = letters(variant, position)
        for one in told:
            after = position.copy()
            after.play(written.resolve(position, one["action"]))
            assert apply(standing, one) == letters(variant, after)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("chosen", WHOSE)
def test_the_changes_of_an_action_are_what_happens(variant: str, chosen: tuple[Side, ...]) -> None:
    check_changes(variant, len(chosen), chosen, chosen[:1])


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@given(seed=st.integers(0, 999), chosen=st.sampled_from(WHOSE), hidden=st.sampled_from(WHOSE))
def test_the_changes_of_an_action_are_what_happens_in_many_games(
    variant: str, seed: int, chosen: tuple[Side, ...], hidden: tuple[Side, ...]
) -> None:
    check_changes(variant, seed, chosen, hidden)


@pytest.mark.parametrize("variant", VARIANTS)
def test_actions_that_begin_and_lead_alike_are_told_apart_in_words(variant: str) -> None:
    seen: Counter[str] = Counter()
    for position in walk(variant, 5, tuple(Side)):
        told = describe_actions(variant, position, position.legal())
        alike = Counter((one["from"], one["to"]) for one in told)
        labels = Counter((one["from"], one["to"], one.get("label")) for one in told)
        assert set(labels.values()) <= {1}
        for one in told:
            seen[one["kind"]] += 1
            deed = one["kind"] == DEED
            assert one.get("lasting", False) is deed
            assert ("label" in one) == (deed or alike[one["from"], one["to"]] > 1)
            assert (one["to"] is None) == deed
    assert seen[MOVE] + seen[DROP] > 100


@pytest.mark.slow
def test_every_kind_of_action_is_met() -> None:
    kinds = {
        variant: {
            one["kind"]
            for seed in range(2)
            for position in walk(variant, seed, tuple(Side))
            for one in describe_actions(variant, position, position.legal())
        }
        for variant in VARIANTS
    }
    assert kinds == {
        "katruji": {MOVE, DEED},
        "kerak": {MOVE, DROP},
        "kerd": {MOVE, DEED},
        "kerd-draft": {MOVE, DEED},
    }


def told(position: Position) -> dict[str, dict[str, Any]]:
    """The descriptions of the actions in a position of Kerd, by coordinate form."""
    return {one["action"]: one for one in describe_actions("kerd", position, position.legal())}


def test_a_plain_move_has_no_changes_and_no_words() -> None:
    moved = told(at("Td4 pd9"))
    plain = {"from": "d4", "kind": "move"}
    assert moved["d4d5"] == {"action": "d4d5", "san": "Td5", "to": "d5", **plain}
    assert moved["d4d9"] == {"action": "d4d9", "san": "Txd9", "to": "d9", **plain}


def test_castling_moves_both_pieces() -> None:
    castled = told(at("Kg1 Tl1 Jk1 kh9", castling="K"))["g1j1"]
    assert castled["san"] == "O-O"
    assert castled["from"] == "g1"
    assert sorted(letter or "" for letter in castled["changes"].values()) == ["", "", "K", "T"]


def test_what_a_pawn_may_bring_back_is_offered_in_words() -> None:
    position = told(at("Pe7", pool="TB"))
    assert {name: position[name]["label"] for name in ("e7e8", "e7e8=T", "e7e8=B")} == {
        "e7e8": "Bring nothing back",
        "e7e8=T": "Bring back a Tower",
        "e7e8=B": "Bring back a Bishop",
    }
    assert "changes" not in position["e7e8"]
    assert position["e7e8=T"]["changes"] == {"e7": None, "e8": "T"}


def test_a_joint_advance_is_offered_in_words() -> None:
    position = told(at("Cf4 Pe4 Pg4"))
    assert {name: position[name]["label"] for name in position if name.startswith("f4f5")} == {
        "f4f5": "The Commander alone",
        "f4f5&e4e5": "Together with the Pawn on e4",
        "f4f5&g4g5": "Together with the Pawn on g4",
    }
    assert position["f4f5&e4e5"]["changes"] == {"f4": None, "f5": "C", "e4": None, "e5": "P"}


def test_a_deed_asks_first_and_says_what_it_does() -> None:
    position = told(at("Pe2 pd9", infiltrators="d9/?", checked=1))
    executed = {"from": "e2", "to": None, "kind": "deed", "lasting": True}
    assert position["X:e2"] == executed | {
        "action": "X:e2",
        "san": "X:e2",
        "label": "Execute the piece on e2",
        "changes": {"e2": None},
    }
    assert position["R:d9"]["label"] == "Reveal the infiltrator on d9"
    assert position["R:d9"]["changes"] == {"d9": "P"}


def test_pieces_of_a_hand_are_those_of_its_side() -> None:
    written = find_dialect("kerak")
    position = written.start({})
    assert {one["from"] for one in describe_actions("kerak", position, position.legal())} == set(
        "IAVNHC"
    )
    position.play(position.legal()[0])
    assert {one["from"] for one in describe_actions("kerak", position, position.legal())} == set(
        "iavnhc"
    )


def test_a_declaration_begins_nowhere() -> None:
    declared = [
        one
        for seed in range(6)
        for position in walk("katruji", seed, ())
        for one in describe_actions("katruji", position, position.legal())
        if one["action"] == "Kyan"
    ]
    assert declared
    assert declared[0] == {
        "action": "Kyan",
        "san": "Kyan",
        "from": None,
        "to": None,
        "kind": "deed",
        "label": "Declare Kyan-A-Alka",
        "changes": {},
        "lasting": True,
    }
