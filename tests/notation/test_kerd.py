"""Kerd's tokens: coordinate form, SAN, and lenient reading."""

from __future__ import annotations

import pytest

from engine.kerd.kernel import Position
from engine.kerd.knowledge import claimable_outcome
from engine.outcome import Outcome, Termination
from engine.side import Side
from notation.errors import AfterTheEnd, AmbiguousMove, IllegalMove, UnreadableToken
from notation.katruji import KatrujiDialect
from notation.kerd.token import LONGEST, Castling, Joint, MoveSyntax, RevealOrExecution, parse_token
from tests.engine.kerd_support import DRAFT, KERD, action, at

CASTLING = "Kg1 Tl1 Ta1 Jk1 Jb1 kd11"
MATED = "Ka12 Pb12 Pa11 Pb11 kl1"


def san(position: Position, name: str) -> str:
    return KERD.san(position, action(position, name))


def meaning(position: Position, token: str) -> str:
    return KERD.coordinate(KERD.resolve(position, token))


@pytest.mark.parametrize(
    ("pieces", "name", "written"),
    [
        ("Hd1", "d1e3", "He3"),
        ("Hd1 pe3", "d1e3", "Hxe3"),
        ("Hd1 Hf1 Ka5", "d1e3", "Hde3"),
        ("Hd1 Hd5 Ka5", "d1e3", "H1e3"),
        ("Pe3", "e3e4", "e4"),
        ("Pd4 he5", "d4e5", "dxe5"),
        ("Pe7", "e7e8=T", "e8=T"),
        ("Pd7 se8", "d7e8=Q", "dxe8=Q"),
        ("Pe7", "e7e8", "e8"),
        ("Cf2 Pe2", "f2f4&e2e4", "Cf4&e4"),
        ("Ce6 Pd7", "e6e7&d7d8=T", "Ce7&d8=T"),
        ("Ce6 Pd7", "e6e7&d7d8", "Ce7&d8"),
        ("Kb2", "b2b3", "Kb3"),
        ("Jb3 Pb4", "b3b5", "Jb5"),
        ("Hd4", "d4d4", "X:d4"),
    ],
)
def test_san_and_coordinates(pieces: str, name: str, written: str) -> None:
    position = at(pieces, pool="QTqt", infiltrators="-/?")
    name = written if ":" in written else name
    assert san(position, name) == written
    assert meaning(position, written) == meaning(position, name) == name


def test_castling_is_written_with_letters_and_read_from_the_kings_move_too() -> None:
    position = at(CASTLING, castling="KQ")
    assert san(position, "g1j1") == "O-O"
    assert san(position, "g1c1") == "O-O-O"
    assert meaning(position, "0-0") == meaning(position, "O-O+") == meaning(position, "g1j1")
    assert meaning(position, "0-0-0") == meaning(position, "g1c1") == "g1c1"
    assert meaning(position, "Kg1c1") == "g1c1"
    black = at("kg12 ta12 jb12 Kd1", "b", castling="q")
    assert san(black, "g12c12") == "O-O-O"


def test_reveals_and_executions_are_written_with_their_square() -> None:
    position = at("hd8 Pi3", infiltrators="d8/?", checked=1)
    assert san(position, "R:d8") == "R:d8"
    assert san(position, "X:i3") == "X:i3"


def test_both_letter_and_number_tell_apart_where_neither_does_alone() -> None:
    three = at("Hd1 Hd5 hf1 Ka5", infiltrators="f1/x", checked=1)
    three.play(action(three, "R:f1"))
    three.play(action(three, "l11l10"))
    assert san(three, "d1e3") == "Hd1e3"
    assert san(three, "f1e3") == "Hfe3"
    assert san(three, "d5e3") == "H5e3"


def test_only_legal_actions_of_the_same_kind_tell_a_piece_apart() -> None:
    pinned = at("Ka1 Ha3 Hd2 ta9")
    assert san(pinned, "d2b1") == "Hb1"


def test_a_recapture_tells_commanders_apart_by_rank() -> None:
    position = at("Cg5 Cg7 qh6 Kb1", recapture="h6", infiltrators="x/x")
    assert san(position, "g5h6") == "C5xh6"
    assert san(position, "g7h6") == "C7xh6"


def test_plus_stands_for_an_attacked_king_also_behind_reveals_and_executions() -> None:
    assert san(at("Ta5 kk11 Kb1"), "a5a11") == "Ta11+"
    executed = at("Ta5 Hd5 kk5 Kb1", infiltrators="x/?")
    assert san(executed, "X:d5") == "X:d5+"
    revealed = at("hk8 kk11 Kb1", infiltrators="k8/x", checked=1)
    assert san(revealed, "R:k8") == "R:k8+"


def test_hash_stands_for_mate_and_in_the_draft_for_the_captured_king() -> None:
    assert san(at("Kg10 Qe9 kg12"), "e9b12") == "Qb12#"
    taken = at("Ta1 Kb1 ka9", dialect=DRAFT)
    assert DRAFT.san(taken, action(taken, "a1a9")) == "Txa9#"
    attacked = at("Kg10 Qe9 kg12", dialect=DRAFT)
    assert DRAFT.san(attacked, action(attacked, "e9b12")) == "Qb12+"


def test_stalemate_has_no_suffix() -> None:
    assert san(at("Qg6 kl12"), "g6k10") == "Qk10"


def test_r32_an_accepted_claim_of_mate_is_written_with_a_hash() -> None:
    mate = Outcome(Side.SECOND, Termination.MATE)
    position = at(f"{MATED} hd9", "b", infiltrators="?/-", checked=1)
    last = action(position, "d9c11")
    assert KERD.san(position, last) == "Hc11+"
    assert KERD.san(position, last, Outcome(Side.SECOND, Termination.RESIGNATION)) == "Hc11+"
    assert KERD.san(position, last, mate) == "Hc11#"
    position.play(last)
    assert claimable_outcome(position) == mate
    assert KERD.accepts(position, mate)
    assert not KERD.accepts(position, Outcome(Side.FIRST, Termination.MATE))
    assert not KERD.accepts(position, Outcome(Side.SECOND, Termination.STALEMATE))


def test_r32_a_claim_that_is_not_accepted_changes_nothing() -> None:
    mate = Outcome(Side.SECOND, Termination.MATE)
    for pieces, choice in ((f"{MATED} hd9", "d9"), (f"{MATED} hd9 Tc3", "?")):
        position = at(pieces, "b", infiltrators=f"{choice}/-", checked=1)
        assert KERD.san(position, action(position, "d9c11"), mate) == "Hc11+"


# Reading

LENIENT = {
    "He3+": "d1e3",
    "He3#": "d1e3",
    "Hd1e3": "d1e3",
    "Hde3": "d1e3",
    "H1e3": "d1e3",
    "Hd1xe3": "d1e3",
    "Hxe3": "d1e3",
    "d1xe3": "d1e3",
    "D1E3": "d1e3",
    "HE3": "d1e3",
    "Pe4": "e2e4",
    "ee4": "e2e4",
    "E4": "e2e4",
    "e2e4": "e2e4",
    "Cf4&e4+": "f2f4&e2e4",
    "Cf2f4&e2e4": "f2f4&e2e4",
    "Cxf4&exe4": "f2f4&e2e4",
    "f2xf4&e2xe4": "f2f4&e2e4",
    "CF4&E4": "f2f4&e2e4",
    "X:E2": "X:e2",
    "ixj4": "i3j4",
    "ij4": "i3j4",
}


@pytest.mark.parametrize("token", LENIENT)
def test_readers_accept_what_people_write(token: str) -> None:
    position = at("Hd1 Cf2 Pe2 Pi3 sj4", infiltrators="x/?")
    assert meaning(position, token) == LENIENT[token]


@pytest.mark.parametrize("token", ["e8=Q", "E8=Q", "e7e8=Q", "e8=Q#"])
def test_a_promotion_must_be_said(token: str) -> None:
    position = at("Pe7", pool="Q")
    assert meaning(position, token) == "e7e8=Q"
    assert meaning(position, "e8") == "e7e8"


def test_capitals_are_read_as_written_first() -> None:
    position = at("Bd4 Pb4 qc5 Kl1 ka12")
    assert meaning(position, "Bc5") == meaning(position, "Bxc5") == "d4c5"
    assert meaning(position, "bxc5") == meaning(position, "bc5") == "b4c5"


def test_capitals_that_hide_two_legal_actions_are_refused() -> None:
    position = at("Bd4 Pb4 qc5 Kl1 ka12")
    with pytest.raises(AmbiguousMove) as caught:
        KERD.resolve(position, "BC5")
    assert set(caught.value.nearest) == {"Bxc5", "bxc5"}


def test_an_ambiguous_token_names_the_candidates() -> None:
    position = at("Hd1 Hf1 Ka5")
    with pytest.raises(AmbiguousMove) as caught:
        KERD.resolve(position, "He3")
    assert set(caught.value.nearest) == {"Hde3", "Hfe3"}


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("He4", "no Hussar of the side to move can go to e4"),
        ("Ha1e4", "no Hussar on a1 of the side to move can go to e4"),
        ("e3e4", "no piece on e3 of the side to move can go to e4"),
        ("e3=Q", "no Pawn of the side to move can go to e3 and bring back a Queen"),
        ("O-O", "no castling to the short side here"),
        ("0-0-0", "no castling to the long side here"),
        ("R:d1", "nothing can be revealed on d1"),
        ("X:k1", "nothing can be executed on k1"),
        ("Cf4&e4", "no Commander and Pawn can advance together to f4 and e4"),
    ],
)
def test_an_illegal_token_says_why_and_what_comes_nearest(token: str, reason: str) -> None:
    position = at("Hd1 Pe2", infiltrators="x/?")
    with pytest.raises(IllegalMove) as caught:
        KERD.resolve(position, token)
    assert caught.value.reason == reason
    assert set(caught.value.nearest) <= {KERD.san(position, each) for each in position.legal()}
    assert caught.value.nearest


UNREADABLE = [
    "",
    "e0",
    "e13",
    "m4",
    "Xe4",
    "x:e4",
    "R:e13",
    "He",
    "H",
    "=Q",
    "e8=K",
    "e8=P",
    "e8=q",
    "--",
    "O-0-O-O",
    "He3&e4",
    "Cf4&",
    "f4&e4",
    "He3!",
    "A" * 20,
    "e4" * 100,
    "e٤",
]


@pytest.mark.parametrize("token", UNREADABLE)
def test_what_no_form_fits_is_unreadable(token: str) -> None:
    position = at("Hd1 Pe2")
    assert parse_token(token) == ()
    with pytest.raises(UnreadableToken) as caught:
        KERD.resolve(position, token)
    assert len(caught.value.token) <= LONGEST


def test_every_form_is_parsed_without_a_position() -> None:
    assert [type(parse_token(token)[0]) for token in ("e4", "Cf4&e4", "O-O", "R:e4")] == [
        MoveSyntax,
        Joint,
        Castling,
        RevealOrExecution,
    ]


@pytest.mark.parametrize("token", ["Qa1", "rubbish"])
def test_nothing_is_read_behind_the_end(token: str) -> None:
    position = at("Kg10 Qe9 kg12")
    position.play(KERD.resolve(position, "Qb12"))
    with pytest.raises(AfterTheEnd):
        KERD.resolve(position, token)


def test_a_position_of_another_game_is_refused() -> None:
    with pytest.raises(TypeError):
        KERD.write_fen(KatrujiDialect().start({}))


def test_the_infiltrators_are_no_part_of_what_makes_a_position_the_same() -> None:
    hidden, known = (at("Pe3 ph9 kg12 Ka1", infiltrators=both) for both in ("?/?", "h9/x"))
    keys = {KERD.position_key(KERD.write_fen(position)) for position in (hidden, known)}
    assert len(keys) == 1
    assert KERD.identify(hidden) == KERD.identify(known)
    moved = at("Pe4 ph9 kg12 Ka1", infiltrators="?/?")
    assert KERD.position_key(KERD.write_fen(moved)) not in keys
    assert KERD.identify(moved) != KERD.identify(hidden)
