"""Kerak's tokens and position strings, beyond what the every-game suite checks."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kerak.action import is_move, origin_of, target_of
from engine.kerak.board import BOARD
from engine.kerak.kernel import Position
from engine.kerak.pieces import PieceKind
from engine.position import Action
from engine.random_play import random_play
from notation.errors import AfterTheEnd, AmbiguousMove, BadFen, IllegalMove, UnreadableToken
from notation.katruji import KatrujiDialect
from notation.kerak.dialect import KerakDialect
from notation.kerak.token import LETTERS, MoveSyntax, PassSyntax, PlacementSyntax, parse_token
from tests.engine.kerak_support import at, random_set_up

KERAK = KerakDialect()
START = "5/6/7/8/9/8/7/6/5 r I9A3V2N2HCi9a3v2n2hc 0-0 1"
# Red Cavalry e4 between Infantry d4 and f4; Blue Hero e5 with Infantry f5.
MELEE = "Ve4 Id4 If4 he5 if5"


def meaning(position: Position, token: str) -> str:
    return KERAK.coordinate(KERAK.resolve(position, token))


def positions(seed: int, plies: int) -> list[Position]:
    """Copies of the positions of a random game."""
    position = KERAK.read_fen(START)
    return [after.copy() for _, after in random_play(position, Random(seed), plies)]


def naive_san(position: Position, action: Action) -> str:
    """SAN derived from the list of legal actions, by the wording of PGN's rule."""
    if not is_move(action):
        return KERAK.coordinate(action)
    origin, target = BOARD.names[origin_of(action)], BOARD.names[target_of(action)]
    piece = position.piece_at(origin_of(action))
    same = [
        BOARD.names[origin_of(other)]
        for other in position.legal()
        if other != action
        and target_of(other) == target_of(action)
        and position.piece_at(origin_of(other)) == piece
    ]
    told = ""
    if same:
        if not [other for other in same if other[0] == origin[0]]:
            told = origin[0]
        elif not [other for other in same if other[1] == origin[1]]:
            told = origin[1]
        else:
            told = origin
    captured = position.piece_at(target_of(action))
    ending = "#" if captured & 7 == 6 else ""
    return LETTERS[(piece & 7) - 1] + told + ("x" if captured else "") + target + ending


# Tokens.


def test_tokens_are_parsed_without_a_position() -> None:
    assert parse_token("I@c3") == (PlacementSyntax(PieceKind.INFANTRY, BOARD.names.index("c3")),)
    assert parse_token("Vexd4") == (MoveSyntax(PieceKind.CAVALRY, "e", BOARD.names.index("d4")),)
    assert parse_token("e4d4") == (MoveSyntax(None, "e4", BOARD.names.index("d4")),)
    assert parse_token("--") == (PassSyntax(),)


UNREADABLE = """
e5 Ie0 Ij5 Ia1 Ii9 Ie10 ie5 Ke5 Pe5 I@ @e5 i@c3 I@@c3 I-e5 Ie4-e5 IXe5 Ixxe5 - --- e4 e4e e4e5e6
e4e10 a1e5 Ie5! Ie5=I O-O Id4d4d4 Iэ5 Ie٥ x +
"""


@pytest.mark.parametrize("token", [*UNREADABLE.split(), "", "I" * 300])
def test_what_no_form_fits_is_unreadable(token: str) -> None:
    with pytest.raises(UnreadableToken) as caught:
        KERAK.resolve(at(MELEE), token)
    assert caught.value.nearest
    assert len(caught.value.token) <= 32


@pytest.mark.parametrize(
    ("token", "action"),
    [
        ("e4f4", "e4f4"),
        ("E4F4", "e4f4"),
        ("e4xf4", "e4f4"),
        ("Vf3", "e4f3"),
        ("Vxf3+", "e4f3"),
        ("VF3#", "e4f3"),
        ("Ve4f3", "e4f3"),
        ("V4f3", "e4f3"),
        ("Vexf3", "e4f3"),
        ("VE4f3", "e4f3"),
        ("Vxf5", "e4f5"),
        ("Vf5", "e4f5"),
    ],
)
def test_readers_accept_what_people_write(token: str, action: str) -> None:
    assert meaning(at("Ve4 if5 ie8 if3 Aa5"), token) == action


def test_capital_letters_of_squares_may_be_ambiguous() -> None:
    position = at("Ia5 Ab5")
    assert meaning(position, "A5b4") == "b5b4"
    assert meaning(position, "a5b4") == "a5b4"
    assert meaning(position, "a5B4") == "a5b4"
    with pytest.raises(AmbiguousMove) as caught:
        KERAK.resolve(position, "A5B4")
    assert sorted(caught.value.nearest) == ["Ab4", "Ib4"]
    assert meaning(at("Ab5 Ii1"), "A5B4") == "b5b4"
    assert meaning(at("Ia5 Vi1"), "A5B4") == "a5b4"


def test_a_token_that_fits_as_written_is_not_read_otherwise() -> None:
    # No Archer can go to b4, and `A5b4` does not mean a5b4.
    with pytest.raises(IllegalMove):
        KERAK.resolve(at("Ia5 Vi1"), "A5b4")


def test_too_little_of_the_origin_is_ambiguous() -> None:
    for token in ("Ie5", "Iexe5"):
        with pytest.raises(AmbiguousMove) as caught:
            KERAK.resolve(at("Ie4 Ie6 Vd5"), token)
        assert caught.value.nearest == ("I4e5", "I6e5")


def test_disambiguation_is_the_letter_then_the_number_then_both() -> None:
    for men, forms in (
        ("Id5", {"Ie5"}),
        ("Id5 If5", {"Ide5", "Ife5"}),
        ("Ie4 Ie6", {"I4e5", "I6e5"}),
        ("Ie4 Ie6 Id6", {"I4e5", "Ie6e5", "Ide5"}),
    ):
        position = at(f"{men} Va5")
        sans = {KERAK.san(position, action) for action in position.legal()}
        assert {san for san in sans if san[0] == "I" and san.endswith("e5")} == forms


def test_capturing_the_castle_is_marked() -> None:
    position = at("Id9 Ie8")
    sans = [KERAK.san(position, a) for a in position.legal()]
    assert [san for san in sans if san.endswith("#")] == ["Idxe9#", "Iexe9#"]


@pytest.mark.slow
@given(st.integers(0, 2**32))
def test_san_is_what_the_text_of_the_rule_says(seed: int) -> None:
    for position in positions(seed, 150)[34::3]:
        sans = [KERAK.san(position, action) for action in position.legal()]
        assert sans == [naive_san(position, action) for action in position.legal()]
        assert len(set(sans)) == len(sans)


@given(st.integers(0, 2**32))
def test_loose_forms_mean_the_same_action(seed: int) -> None:
    for position in positions(seed, 120)[::4]:
        for action in position.legal()[::3]:
            san, exact = KERAK.san(position, action), KERAK.coordinate(action)
            for form in (san, exact, f"{san}+", f"{exact}#", san.replace("x", "").rstrip("#")):
                assert KERAK.resolve(position, form) == action


# Refusals.


def refusal(position: Position, token: str) -> str:
    with pytest.raises(IllegalMove) as caught:
        KERAK.resolve(position, token)
    assert caught.value.nearest
    return caught.value.reason


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("I@c3", "all pieces have been placed"),
        ("--", "Red has a legal move and may not pass"),
        ("Ne5", "there is no Knight of Red's"),
        ("Vd4e5", "there is no Cavalry of Red's on d4"),
        ("e5f4", "there is no piece of Red's on e5"),
        ("Ia9", "no Infantry of Red's can go to a9"),
        ("I4a9", "no Infantry of Red's on 4 can go to a9"),
        ("Ce2", "no Castle of Red's can go to e2"),
        ("Vxd4", "d4 holds a piece of the same side"),
        ("Vxe9", "Cavalry cannot capture a Castle, only Infantry and Archers can"),
        ("Ixe9", "no path of at most 1 step leads from d4 to e9"),
    ],
)
def test_a_refusal_says_why(token: str, reason: str) -> None:
    assert refusal(at(MELEE), token) == reason


def test_a_refused_placement_says_why() -> None:
    position = KERAK.read_fen(START)
    assert refusal(position, "a5b4") == "Red has pieces to place first"
    assert refusal(position, "--") == "Red has pieces to place first"
    assert refusal(position, "I@e5") == "e5 is not in Red's own three rows"
    for token in ("H@c3", "C@i5"):
        position.play(KERAK.resolve(position, token))
    assert refusal(position, "I@c3") == "c3 is taken"
    assert refusal(position, "H@c4") == "Red has no Hero left to place"


def test_the_refusal_of_a_capture_names_the_combat() -> None:
    position = at("Id4 he4 ie3 Ae5")
    combat = (
        "from d4: attack 2 (Infantry d4 1 + Archer e5 1) < defence 3 (Hero e4 2 + Infantry e3 1)"
    )
    for token in ("d4e4", "Ixe4", "Id4xe4", "Ie4"):
        assert refusal(position, token) == combat


def test_of_several_refused_captures_the_one_nearest_to_success_is_named() -> None:
    assert refusal(at("Id4 If4 he4 id5 nf3"), "Ixe4") == (
        "from d4: attack 2 (Infantry d4 1 + Infantry f4 1) < defence 3 (Hero e4 2 + Infantry d5 1)"
    )
    assert refusal(at("Id4 If4 he4 nd5 if3"), "Ixe4") == (
        "from f4: attack 2 (Infantry f4 1 + Infantry d4 1) < defence 3 (Hero e4 2 + Infantry f3 1)"
    )


def test_an_action_after_the_end() -> None:
    over = KERAK.read_fen("5/6/7/8/4I4/8/7/6/4C b - 0-0 40")
    for token in ("Ie5", "nonsense", "--"):
        with pytest.raises(AfterTheEnd):
            KERAK.resolve(over, token)


def test_positions_of_other_games_are_not_taken() -> None:
    with pytest.raises(TypeError):
        KERAK.write_fen(KatrujiDialect().start({}))


# Position strings.


@given(st.integers(0, 2**32))
def test_fen_round_trip_of_set_up_positions(seed: int) -> None:
    position = random_set_up(Random(seed))
    text = KERAK.write_fen(position)
    assert KERAK.read_fen(text).key() == position.key()
    assert KERAK.write_fen(KERAK.read_fen(text)) == text


def test_the_start() -> None:
    assert KERAK.write_fen(KERAK.start({})) == START
    melee = KERAK.write_fen(at(MELEE))
    assert KERAK.start({"SetUp": "1", "FEN": melee}).key() == at(MELEE).key()
    with pytest.raises(BadFen):
        KERAK.start({"SetUp": "1"})


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "placement"),
        ("c4/6/7/8/9/8/7/6/4C", "side"),
        ("c4/6/7/8/9/8/7/6 r - 0-0 1", "placement"),
        ("c4/6/7/8/9/8/7/6/4C/5 r - 0-0 1", "placement"),
        ("c4/6/7/8/9/8/7/6/5C r - 0-0 1", "placement"),
        ("c4/6/7/8/9/8/7/6/3C r - 0-0 1", "placement"),
        ("c4/6/7/8/45/8/7/6/4C r - 0-0 1", "placement"),
        ("c4/6/7/8/09/8/7/6/4C r - 0-0 1", "placement"),
        ("c4/6/7/8/9/8/7/6/3KC r - 0-0 1", "placement"),
        ("c4/6/7/8/9/8/7/6/3CC r - 0-0 1", "placement"),
        ("c4/6/7/8/C8/8/7/6/5 r - 0-0 1", "placement"),
        ("5/6/7/8/9/8/7/6/4C r - 0-0 1", "placement"),
        ("5/6/7/8/9/8/7/6/5 r - 0-0 1", "placement"),
        ("c4/6/7/8/9/8/7/6/4C R - 0-0 1", "side"),
        ("c4/6/7/8/9/8/7/6/4C w - 0-0 1", "side"),
        ("c4/6/7/8/9/8/7/6/4C r I 0-0 1", "hand"),
        ("5/6/7/8/9/8/7/6/5 r I9A3V2N2HCi9a3v2n2hc1 0-0 1", "hand"),
        ("5/6/7/8/9/8/7/6/5 r I9A3V2N2H1Ci9a3v2n2hc 0-0 1", "hand"),
        ("5/6/7/8/9/8/7/6/5 r A3I9V2N2HCi9a3v2n2hc 0-0 1", "hand"),
        ("5/6/7/8/9/8/7/6/5 r i9a3v2n2hcI9A3V2N2HC 0-0 1", "hand"),
        ("5/6/7/8/9/8/7/6/5 r I8A3V2N2HCi9a3v2n2hc 0-0 1", "hand"),
        ("5/6/7/8/9/8/7/6/5 r I10A3V2N2HCi9a3v2n2hc 0-0 1", "hand"),
        ("5/6/7/8/9/8/7/6/5 b I9A3V2N2HCi9a3v2n2hc 0-0 1", "side"),
        ("5/6/7/8/9/8/7/6/5 r I9A3V2N2HCi9a3v2n2hc 1-0 1", "points"),
        ("5/6/7/8/4I4/8/7/6/5 b I8A3V2N2HCi9a3v2n2hc 0-0 1", "placement"),
        ("c4/6/7/8/9/8/7/6/4C r - 0 1", "points"),
        ("c4/6/7/8/9/8/7/6/4C r - 00-0 1", "points"),
        ("c4/6/7/8/9/8/7/6/4C r - 57-0 1", "points"),
        ("c4/6/7/8/9/8/7/6/4C r - 0-0 0", "move"),
        ("c4/6/7/8/9/8/7/6/4C r - 0-0 01", "move"),
        ("c4/6/7/8/9/8/7/6/4C r - 0-0 99999999999999999999", "move"),
        ("c4/6/7/8/9/8/7/6/4C r - 0-0 1 ", "fen"),
        ("c4/6/7/8/9/8/7/6/4C  - 0-0 1", "side"),
    ],
)
def test_a_bad_fen_is_refused_with_its_field(text: str, field: str) -> None:
    with pytest.raises(BadFen) as caught:
        KERAK.read_fen(text)
    assert caught.value.field == field
    assert caught.value.reason
