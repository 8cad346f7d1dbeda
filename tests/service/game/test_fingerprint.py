"""When two records are of the same game, and when they also say the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from notation.reader import read_game
from service.game.fingerprint import essence, identity, normalised
from service.game.importing import import_command
from tests.games import recorded
from tests.service.imports.support import GOOD


def identity_of(text: str) -> tuple[str, ...]:
    game = read_game(text)
    return identity(game, import_command(game, None, None).actions)


def essence_of(text: str) -> str:
    command = import_command(read_game(text), None, None)
    return essence(command.text, command.tags)


@pytest.mark.parametrize(
    "spelling", ["Ōe, Kenzaburō", "kenzaburō  ōe", " KENZABURŌ ŌE", "Kenzaburo\u0304 O\u0304e"]
)
def test_spellings_of_one_name(spelling: str) -> None:
    assert normalised(spelling) == "kenzaburō ōe"


def test_different_names() -> None:
    names = ["Ada", "Ada B", "B, A, C", "A C B", "Adá"]
    assert len(set(map(normalised, names))) == len(names)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"A"', '"C"'),
        ("Pd1", "Pd2"),
        ("1-0", "0-1"),
        ("[Variant", '[Date "2026.01.01"]\n[Variant'),
        ("[Variant", '[Event "x"]\n[Variant'),
        ("[Variant", '[Round "1"]\n[Variant'),
    ],
)
def test_what_makes_another_game(old: str, new: str) -> None:
    assert identity_of(GOOD.replace(old, new)) != identity_of(GOOD)


def test_the_secret_choices_make_no_other_game() -> None:
    disclosed = next(game for game in recorded("kerd") if game.tags.get("WhiteInfiltrator"))
    tags = {name: value for name, value in disclosed.tags.items() if "Infiltrator" not in name}
    secret = replace(disclosed, tags=tags)
    actions = import_command(disclosed, None, None).actions
    assert identity(secret, actions) == identity(disclosed, actions)


@pytest.mark.parametrize(
    ("old", "new"),
    [("Pd1", "Pd1 {x}"), ("Pd1", "Pd1!"), ("Pd1", "Pd1 (1. Pd2)"), ("[Var", '[Site "x"]\n[Var')],
)
def test_what_makes_the_same_game_say_something_else(old: str, new: str) -> None:
    other = GOOD.replace(old, new, 1)
    assert identity_of(other) == identity_of(GOOD)
    assert essence_of(other) != essence_of(GOOD)


def test_what_the_service_adds_on_the_way_out_says_nothing_new() -> None:
    added = '[Rules "1"]\n[MovelogGame "aaaaaaaaaaaaaaaa"]\n[RecordHash "00"]\n[Variant'
    other = GOOD.replace("[Variant", added)
    assert (identity_of(other), essence_of(other)) == (identity_of(GOOD), essence_of(GOOD))
