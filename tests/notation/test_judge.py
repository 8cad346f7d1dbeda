"""Records of Katruji judged by the rules. The games are those of the test data."""

from __future__ import annotations

import pytest

from engine.outcome import Outcome, Termination
from engine.registry import VARIANTS
from engine.side import Side
from notation.agreement import Agreement
from notation.errors import BadAnnotation, RecordError
from notation.game import Game
from notation.judge import read_claim
from notation.reader import read_game
from notation.writer import write
from tests.games import recorded

QUIET = "1. Pd2 Pa7 2. Pd1 Pa6"
SEVEN_QUIET = "O2O/P1SO/O1O1/4/1P2/SO2/OOO1/2O1 s 0-0 - 7 6"
ENDED = next(g for g in recorded("katruji") if g.tags["Termination"] == "yara")


def record(movetext: str, **tags: str) -> str:
    pairs = {"Variant": "katruji", **tags}
    return "".join(f'[{name} "{value}"]\n' for name, value in pairs.items()) + f"\n{movetext}\n"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Katruji", "katruji"),
        ("KATRUJI", "katruji"),
        ("Zilatran Chess", "katruji"),
        ("zilatran-chess", "katruji"),
        ("  Zilatran  CHESS ", "katruji"),
        ("Kerak", "kerak"),
        ("Kerd", "kerd"),
        ("Kerd Draft", "kerd-draft"),
        ("KERD-DRAFT", "kerd-draft"),
        ("kerd draft", "kerd-draft"),
    ],
)
def test_r38_a_rule_books_name_is_read_for_the_variants_own(title: str, name: str) -> None:
    game = read_game(record("*", Variant=title))
    assert (game.variant, game.tags["Variant"]) == (name, name)
    assert f'[Variant "{name}"]\n' in write(game)
    assert read_game(write(game)) == game


@pytest.mark.parametrize("title", ["Zilatran", "Chess", "Kerd-Draft-2", "kerddraft", "-", ""])
def test_r38_another_name_is_no_variant(title: str) -> None:
    assert code(record("*", Variant=title)) == ("unknown-variant", 1, None)


def code(text: str) -> tuple[str, int | None, int | None]:
    with pytest.raises(RecordError) as caught:
        read_game(text)
    return caught.value.code, caught.value.line, caught.value.ply


def changed(game: Game, **tags: str | None) -> str:
    kept = {name: value for name, value in game.tags.items() if name not in tags}
    kept |= {name: value for name, value in tags.items() if value is not None}
    pairs = "".join(f'[{name} "{value}"]\n' for name, value in kept.items())
    return pairs + write(game).partition("]\n\n")[2]


def test_missing_tags_are_not_held_against_a_record() -> None:
    game = read_game(record(f"{QUIET} *"))
    assert game.tags["Result"] == "*"
    assert game.tags["South"] == "?"
    names = ("Termination", "SouthPoints", "NorthPoints", "Result", "Event")
    assert read_game(changed(ENDED, **dict.fromkeys(names))).actions == ENDED.actions


@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2", "*"])
@pytest.mark.parametrize(
    "termination", ["resignation", "agreement", "adjudication", "time forfeit", "normal", "death"]
)
def test_a_game_not_ended_by_the_rules_may_have_any_result(result: str, termination: str) -> None:
    game = read_game(record(f"{QUIET} {result}", Result=result, Termination=termination))
    assert (game.result, game.tags["Termination"]) == (result, termination)


@pytest.mark.parametrize("termination", ["yara", "alka", "mate", "castle captured", "points", "?"])
def test_an_end_that_the_rules_did_not_bring_about(termination: str) -> None:
    text = record(f"{QUIET} 1-0", Result="1-0", Termination=termination)
    assert code(text) == ("wrong-termination", None, None)


@pytest.mark.parametrize("stated", ["1-0", "1/2-1/2", "1/2", "*"])
def test_the_rules_decide_the_result(stated: str) -> None:
    assert code(changed(ENDED, Result=stated)) == ("wrong-result", None, None)
    text = changed(ENDED, Result=stated).removesuffix("0-1\n") + stated
    assert code(text) == ("wrong-result", None, None)


@pytest.mark.parametrize(("stated", "result"), [("1/2", "1/2-1/2"), ("?", "1-0"), ("", "0-1")])
def test_other_programs_results_are_read(stated: str, result: str) -> None:
    game = read_game(record(f"{QUIET} {result}", Result=stated))
    assert game.tags["Result"] == result
    assert read_game(write(game)) == game


@pytest.mark.parametrize(
    ("stated", "kept"),
    [
        ("Normal", "normal"),
        ("Time forfeit", "time forfeit"),
        (" Abandoned ", "abandoned"),
        ("", None),
        (" ", None),
    ],
)
def test_other_programs_terminations_are_read(stated: str, kept: str | None) -> None:
    game = read_game(record(f"{QUIET} 1-0", Termination=stated))
    assert game.tags.get("Termination") == kept
    assert read_game(write(game)) == game
    ended = read_game(changed(ENDED, Termination="Yara"))
    assert ended.tags["Termination"] == "yara"


@pytest.mark.parametrize("stated", ["resignation", "alka", "unterminated", "death", "Alka"])
def test_the_rules_decide_the_termination(stated: str) -> None:
    assert code(changed(ENDED, Termination=stated)) == ("wrong-termination", None, None)


def test_pgn_s_normal_termination_fits_an_end_by_the_rules() -> None:
    assert read_game(changed(ENDED, Termination="normal")).tags["Termination"] == "normal"


@pytest.mark.parametrize("stated", ["17", "018", "+18", "", "eighteen"])
def test_points_are_counted_again(stated: str) -> None:
    assert code(changed(ENDED, NorthPoints=stated)) == ("wrong-points", None, None)
    unended = record(f"{QUIET} *", SouthPoints="0", NorthPoints=stated)
    assert code(unended) == ("wrong-points", None, None)


def test_result_comes_before_termination_and_points() -> None:
    text = changed(ENDED, Result="1-0", Termination="alka", NorthPoints="0")
    assert code(text)[0] == "wrong-result"
    text = changed(ENDED, Termination="alka", NorthPoints="0")
    assert code(text)[0] == "wrong-termination"


def test_the_tag_and_the_final_token_must_agree() -> None:
    assert code(record(f"{QUIET} 1-0", Result="0-1"))[0] == "wrong-result"


def test_setup_without_fen_is_a_bad_fen_at_its_tag() -> None:
    assert code(record("*", SetUp="1")) == ("bad-fen", 2, None)


def test_an_illegal_action_is_placed_and_its_neighbours_named() -> None:
    with pytest.raises(RecordError) as caught:
        read_game(record("1. Pd2\nPz7 *"))
    error = caught.value
    assert (error.code, error.line, error.column, error.ply) == ("illegal-move", 4, 1, 2)
    assert error.token == "Pz7"
    assert error.nearest[0] == "Pa7"
    assert str(error).startswith("line 4, column 1, ply 2: Pz7: no form of a Katruji action;")


def test_kyan_counts_as_an_action_in_error_places() -> None:
    assert code(record("6. Kyan Pz7 *", FEN=SEVEN_QUIET)) == ("illegal-move", 4, 2)


def test_r0_a_game_that_reaches_the_agreed_limit_is_drawn() -> None:
    tags = {"PlyLimit": "4", "Termination": "adjudication"}
    assert read_game(record(f"{QUIET} 1/2-1/2", **tags)).result == "1/2-1/2"
    assert code(record(f"{QUIET} 1-0", **tags))[0] == "wrong-result"
    assert code(record(f"{QUIET} 1/2-1/2", PlyLimit="4", Termination="agreement"))[0] == (
        "wrong-termination"
    )
    assert code(record(f"{QUIET} 3. Pd2 *", **tags)) == ("after-the-end", 5, 5)
    assert read_game(record(f"{QUIET} *", PlyLimit="5")).result == "*"


def test_r0_a_declaration_is_no_ply() -> None:
    movetext = "6. Kyan c1d1 a8b8"
    drawn = record(f"{movetext} 1/2-1/2", FEN=SEVEN_QUIET, PlyLimit="2", Termination="adjudication")
    assert len(read_game(drawn).actions) == 3
    assert code(record(f"{movetext} *", FEN=SEVEN_QUIET, PlyLimit="1")) == ("after-the-end", 5, 3)
    assert read_game(record(f"{movetext} *", FEN=SEVEN_QUIET, PlyLimit="3")).result == "*"


def test_r0_an_end_by_the_rules_comes_before_the_limit() -> None:
    limit = str(len(ENDED.actions) - ("Kyan" in write(ENDED)))
    assert read_game(changed(ENDED, PlyLimit=limit)).tags["Termination"] == "yara"


@pytest.mark.parametrize("limit", ["0", "", "-1", "x", "1.5", "1000000000", "٣"])
def test_r0_a_limit_is_a_whole_number(limit: str) -> None:
    assert code(record("*", PlyLimit=limit)) == ("syntax", 2, None)
    with pytest.raises(BadAnnotation):
        Agreement.from_tags(VARIANTS["katruji"], {"PlyLimit": limit})


@pytest.mark.parametrize(
    ("points", "outcome"),
    [
        ((3, 2), Outcome(Side.FIRST, Termination.POINTS)),
        ((2, 3), Outcome(Side.SECOND, Termination.POINTS)),
        ((2, 2), Outcome(None, Termination.AGREEMENT)),
        (None, Outcome(None, Termination.AGREEMENT)),
    ],
)
def test_a_draw_may_go_to_the_side_with_more_points(
    points: tuple[int, int] | None, outcome: Outcome
) -> None:
    draw = Outcome(None, Termination.AGREEMENT)
    assert Agreement(draw_by_points=True).settle_draw(draw, points) == outcome
    assert Agreement().settle_draw(draw, points) == draw
    won = Outcome(Side.SECOND, Termination.RESIGNATION)
    assert Agreement(draw_by_points=True).settle_draw(won, (9, 0)) == won


def test_what_a_record_claims() -> None:
    assert read_claim({}, "1-0") is None
    assert read_claim({"Termination": "normal"}, "1-0") is None
    assert read_claim({"Termination": "mate"}, "*") is None
    assert read_claim({"Termination": "mate"}, "0-1") == Outcome(Side.SECOND, Termination.MATE)
    assert read_claim({"Termination": "agreement"}, "1/2-1/2") == Outcome(
        None, Termination.AGREEMENT
    )
