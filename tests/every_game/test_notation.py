"""Text round trips that every game passes."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.random_play import random_play
from notation.errors import AfterTheEnd, BadFen, TokenError
from notation.fen import spread_cells
from notation.reader import read_game
from notation.registry import find_dialect
from notation.writer import write
from tests.games import LONGEST, NAMES, games, random_actions

SEEDS = st.integers(0, 2**32)
every_variant = pytest.mark.parametrize("variant", NAMES)


@every_variant
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_fen_round_trip(variant: str, seed: int) -> None:
    written = find_dialect(variant)
    for _, position in random_play(written.start({}), Random(seed), LONGEST):
        fen = written.write_fen(position)
        again = written.read_fen(fen)
        assert written.write_fen(again) == fen
        assert again.key() == position.key()
        assert again.legal() == position.legal()
        assert again.outcome() == position.outcome()


@every_variant
@given(seed=SEEDS)
@settings(max_examples=6, deadline=None)
def test_each_action_has_its_own_tokens(variant: str, seed: int) -> None:
    written = find_dialect(variant)
    for _, position in random_play(written.start({}), Random(seed), 150):
        legal = position.legal()
        before = position.key()
        short = {written.san(position, action): action for action in legal}
        exact = {written.coordinate(action): action for action in legal}
        assert len(short) == len(exact) == len(legal)
        for token, action in (*short.items(), *exact.items()):
            assert written.resolve(position, token) == action
        assert position.key() == before


@pytest.mark.slow
@every_variant
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_reading_undoes_writing(variant: str, data: st.DataObject) -> None:
    game = data.draw(games(variant))
    text = write(game)
    assert read_game(text) == game
    assert write(read_game(text)) == text


@every_variant
@given(seed=SEEDS, token=st.text(max_size=12))
@settings(max_examples=60, deadline=None)
def test_a_token_is_a_legal_action_or_a_token_error(variant: str, seed: int, token: str) -> None:
    written = find_dialect(variant)
    _, position = random_actions(variant, seed, seed % 50)
    before = position.key()
    error = None
    try:
        assert written.resolve(position, token) in position.legal()
    except TokenError as raised:
        error = raised
    assert position.key() == before
    if error is not None:
        assert error.reason
        assert set(error.nearest) <= {written.san(position, a) for a in position.legal()}


@every_variant
@given(seed=SEEDS, data=st.data())
@settings(max_examples=80, deadline=None)
def test_a_changed_fen_is_refused_or_canonical(
    variant: str, seed: int, data: st.DataObject
) -> None:
    written = find_dialect(variant)
    _, position = random_actions(variant, seed, seed % 80)
    fen = written.write_fen(position)
    at = data.draw(st.integers(0, len(fen)))
    width = data.draw(st.integers(0, 2))
    patch = data.draw(
        st.text(max_size=2) | st.sampled_from(["0", "1", "9", " ", "/", "-", fen[:3]])
    )
    changed = fen[:at] + patch + fen[at + width :]
    try:
        again = written.read_fen(changed)
    except BadFen:
        return
    assert written.write_fen(again) == changed
    assert written.cells(written.identify(again)) == spread_cells(changed)
    is_same = written.position_key(changed) == written.position_key(fen)
    assert (written.identify(again) == written.identify(position)) is is_same
    assert bool(again.legal()) is (again.outcome() is None)


@every_variant
@given(seed=SEEDS)
@settings(max_examples=4, deadline=None)
def test_positions_are_told_apart_as_by_their_fens(variant: str, seed: int) -> None:
    written = find_dialect(variant)
    pairs = set()
    for game in range(12):
        for _, position in random_play(written.start({}), Random(seed + game), 60):
            fen = written.write_fen(position)
            assert written.cells(written.identify(position)) == spread_cells(fen)
            pairs.add((written.position_key(fen), written.identify(position)))
    keys, identities = zip(*pairs, strict=True)
    assert len(pairs) == len(set(keys)) == len(set(identities)) > 60


@every_variant
def test_nothing_follows_the_end(variant: str) -> None:
    written = find_dialect(variant)
    ended = 0
    for seed in range(200):
        actions, position = random_actions(variant, seed, LONGEST)
        if position.outcome() is None:
            continue
        ended += 1
        for token in (written.coordinate(actions[-1]), "rubbish"):
            with pytest.raises(AfterTheEnd):
                written.resolve(position, token)
        if ended == 3:
            return
    pytest.fail("no random game ended")


@every_variant
@given(seed=SEEDS)
@settings(max_examples=6, deadline=None)
def test_a_position_is_known_again_in_another_game(variant: str, seed: int) -> None:
    written = find_dialect(variant)
    for _, position in random_play(written.start({}), Random(seed), 60):
        fen = written.write_fen(position)
        board, _, number = fen.rpartition(" ")
        later = f"{board} {int(number) + 7}"
        assert written.position_key(later) == written.position_key(fen)
        points = position.points()
        assert points is None or f"{points[0]}-{points[1]}" in written.position_key(fen)
        identity = written.identify(position)
        assert written.identify(written.read_fen(later)) == identity
        pieces = written.material(fen)
        assert set(filter(str.isalpha, pieces)) == set(filter(str.isalpha, fen.split(" ")[0]))
