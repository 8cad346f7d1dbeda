"""Whatever can be recorded is exported in a form that can be verified."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.side import Side
from notation.game import Game
from notation.registry import find_dialect
from service.game.commands import Choose, CloseGame, PlayAction
from service.game.importing import import_command
from service.game.values import Mode
from service.verification.events import verify_events
from service.verification.record import verify_records
from tests.games import NAMES, games, random_actions, recorded
from tests.service.game.support import ID, SCRIBE, new_game
from tests.service.verification.support import Archive, archive

RECORDS = 4


def check(made: Archive) -> None:
    """Verify both exports of a game."""
    (record,) = verify_records(made.record(), made.keys)
    assert record.error is None, str(record)
    events = verify_events(made.log(), made.keys)
    assert events.error is None, str(events)


def imported(folder: Path, game: Game) -> Archive:
    """An archive with an imported record."""
    made = archive(folder)
    made.games.create(ID, import_command(game, None, None), SCRIBE)
    return made


@pytest.mark.parametrize("variant", NAMES)
def test_recorded_games(variant: str, tmp_path: Path) -> None:
    for number, game in enumerate(recorded(variant)[:RECORDS]):
        check(imported(tmp_path / str(number), game))


@pytest.mark.slow
@pytest.mark.parametrize("variant", NAMES)
@settings(max_examples=10)
@given(st.data())
def test_random_records(variant: str, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        check(imported(Path(folder), data.draw(games(variant))))


@pytest.mark.parametrize("variant", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_games_played_action_by_action(variant: str, seed: int, tmp_path: Path) -> None:
    made = archive(tmp_path)
    wish = new_game(Mode.SCRIBE, variant=variant)
    if find_dialect(variant).sealing is not None:
        wish = type(wish)(
            variant=variant,
            mode=Mode.SCRIBE,
            first="south",
            second="north",
            secret_choice="unknown",
        )
    made.games.create(ID, wish, SCRIBE)
    actions, _ = random_actions(variant, seed, plies=60)
    for action in actions:
        made.do(PlayAction(token=find_dialect(variant).coordinate(action)))
    check(made)
    if made.games.load(ID).ending is None:
        made.do(CloseGame())
        check(made)


@pytest.mark.parametrize("variant", [name for name in NAMES if find_dialect(name).sealing])
@pytest.mark.parametrize("seed", range(4))
def test_games_with_secret_choices(variant: str, seed: int, tmp_path: Path) -> None:
    """Exports with reveals and executions verify, both before the end and after it."""
    made = archive(tmp_path)
    random = Random(seed)
    made.games.create(ID, new_game(Mode.SCRIBE, variant=variant), SCRIBE)
    for side, squares in zip(Side, (("d11", "c11"), ("c2", "b1")), strict=True):
        nonce = f"{random.getrandbits(128):032x}"
        made.do(Choose(side=side, choice=random.choice(squares), nonce=nonce))
    for _ in range(40):
        state = made.games.load(ID)
        if state.ending is not None:
            break
        position = state.position.copy()
        action = random.choice(position.legal())
        made.do(PlayAction(token=find_dialect(variant).coordinate(action)))
    check(made)
    if made.games.load(ID).ending is None:
        made.do(CloseGame())
    check(made)
