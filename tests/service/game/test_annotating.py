"""Annotations: who writes which, what they may hold, and how records show them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.side import Side
from notation.reader import read_game
from notation.writer import write
from service.errors import BadValue, MissingScope
from service.game.annotating import (
    MAX_ANNOTATORS,
    MAX_COMMENT,
    MAX_LOGGED,
    MAX_NOTES,
    MAX_VARIATIONS,
)
from service.game.annotation_size import EVENT
from service.game.commands import (
    AdmitAnnotator,
    AnnotateAction,
    Annotation,
    Choose,
    CreateGame,
    PlayAction,
    ReopenGame,
    Resign,
    Retract,
    WithdrawAnnotator,
)
from service.game.decide import create, decide
from service.game.errors import (
    AnnotationTooLarge,
    IllegalVariation,
    NotAdmitted,
    NotASeat,
    NotRunning,
    NotTheOwner,
    ReservedCommand,
    StillPlayed,
    TooManyAnnotators,
    UnreadableVariation,
)
from service.game.events import (
    ActionAnnotated,
    ActionAnnotatedWhole,
    AnnotatorAdmitted,
    AnnotatorWithdrawn,
    ChallengeAccepted,
)
from service.game.evolve import fold
from service.game.importing import import_command
from service.game.record import write_record
from service.game.shown_annotations import Presentation, presented
from service.game.timekeeping import Moment
from service.game.values import Mode
from service.game.variations import MAX_DEPTH, write_variations
from service.log.values import Recorded
from service.player.actor import Actor
from tests.service.game.support import (
    ID,
    NORTH,
    REFEREE,
    SCRIBE,
    SOUTH,
    STRANGER,
    Play,
    new_game,
    offered,
    running,
)

FRIEND = replace(STRANGER, player="friend")
NAMES = {"south": "S", "north": "N"}
TEXT = "1. Pd2 $1 {quieter} (1. Pc4 Sa8) 1... Sa8"
NONE = Annotation()


def over() -> Play:
    """A game that North has resigned after three actions."""
    game = running().play("Sd1", "Sa8")
    game.do(Resign(), NORTH)
    return game


def note(ply: int, *variations: str, **parts: Any) -> AnnotateAction:
    return AnnotateAction(ply=ply, annotation=Annotation(**parts), variations=variations)


def comment(ply: int, text: str = "well") -> AnnotateAction:
    return AnnotateAction(ply=ply, annotation=Annotation(after=(text,)))


# What is written.


def test_variations_are_stored_in_their_canonical_form() -> None:
    game = over()
    (event,) = game.do(note(1, "Pd2!{quieter}(Pc4,Sa8)Sa8".replace(",", " "), nags=(2,)), SOUTH)
    assert event == ActionAnnotatedWhole(ply=1, nags=(2,), variations=(TEXT,))
    assert write_variations(game.state) == {1: (TEXT,)}
    assert game.do(note(1, TEXT, nags=(2,)), SOUTH) == ()


def test_an_annotation_without_variations_leaves_them() -> None:
    game = over()
    game.do(note(1, TEXT), SOUTH)
    assert game.do(comment(1), NORTH) == (ActionAnnotated(ply=1, after=("well",)),)
    assert write_variations(game.state) == {1: (TEXT,)}
    assert game.do(note(1), NORTH) == (ActionAnnotatedWhole(ply=1),)
    assert write_variations(game.state) == {}
    assert game.state.played[0].annotation == NONE


def test_a_record_holds_the_variations_and_comes_back() -> None:
    game = over()
    game.do(note(1, TEXT, after=("a",)), SOUTH)
    game.do(note(2, "1... Pa7 2. Pd2", before=("b",)), NORTH)
    text = write_record(game.state, NAMES)
    assert "(1. Pd2 $1 {quieter}\n" in text or "(1. Pd2 $1 {quieter} (1. Pc4 Sa8) 1... Sa8)" in text
    assert write(read_game(text)) == text
    without = presented(game.state, Presentation(variations=False))
    assert "(" not in write_record(without, NAMES).partition("\n\n")[2]


def test_an_imported_record_is_edited_by_its_importer() -> None:
    source = over()
    text = write_record(source.state, NAMES).replace(
        "1. Sd1", "1. Sd1 {[%clk 0:05:00] good} (1. Pd2 {[%eval 0.5]} Sa8)"
    )
    command = import_command(read_game(text), "south", "north")
    (imported,) = create(command, SCRIBE)
    state = fold(ID, [Recorded(1, imported, 1, "scribe")])
    assert state is not None
    assert write_variations(state) == {1: ("1. Pd2 {[%eval 0.5]} 1... Sa8",)}
    kept = Annotation(after=("[%clk 0:05:00] better",))

    def edit(wish: AnnotateAction, by: Actor = SCRIBE) -> Any:
        return decide(wish, state, by)

    (event,) = edit(AnnotateAction(ply=1, annotation=kept, variations=("Pc4 {[%eval 0.5]}",)))
    assert event.variations == ("1. Pc4 {[%eval 0.5]}",)
    (event,) = edit(AnnotateAction(ply=1, annotation=NONE))
    assert event == ActionAnnotated(ply=1)
    for bad in (
        AnnotateAction(ply=1, annotation=Annotation(after=("[%clk 0:06:00]",))),
        AnnotateAction(ply=1, annotation=Annotation(after=("[%clk 0:05:00]",) * 2)),
        AnnotateAction(ply=1, annotation=kept, variations=("Pc4 {[%clk 0:05:00]}",)),
    ):
        with pytest.raises(ReservedCommand):
            edit(bad)
    with pytest.raises(NotASeat):
        edit(comment(1), STRANGER)


@pytest.mark.parametrize(
    "text",
    [
        "[%clk 0:00:01]",
        "good [%emt 0:00:01] move",
        "[%eval 0.3]",
        "[%CLK 0:00:01]",
        "[ % clk 0:00:01]",
        "[%clk",
        "[%clk [0:00:01]]",
    ],
)
def test_what_the_service_writes_cannot_be_forged(text: str) -> None:
    game = over()
    for wish in (comment(1, text), note(1, f"Pd2 {{{text}}}"), note(1, f"Pd2 (Pc4 {{{text}}})")):
        with pytest.raises(ReservedCommand) as refused:
            game.do(wish, SOUTH)
        assert refused.value.name in ("clk", "emt", "eval", "CLK")
    assert game.do(comment(1, "[%csl Ga1] clk 0:05:00 [clk]"), SOUTH)


def test_nor_with_an_action_in_a_game_with_clocks() -> None:
    command = replace(new_game(Mode.CHALLENGE), time_control="300")
    begun = [*create(command, SOUTH), ChallengeAccepted(player="north")]
    state = fold(ID, [Recorded(n, event, 1000, "south") for n, event in enumerate(begun, 1)])
    assert state is not None
    wish = PlayAction(token="Sd1", annotation=Annotation(after=("[%clk 1:00:00]",)), received=1000)
    with pytest.raises(ReservedCommand):
        decide(wish, state, SOUTH, Moment(1000))
    assert decide(replace(wish, annotation=Annotation(after=("ah",))), state, SOUTH, Moment(1000))
    free = running(Mode.SCRIBE)
    assert free.do(PlayAction(token="Sd1", annotation=wish.annotation), SCRIBE)


# What is refused.

UNREADABLE = {
    "": "without an action",
    "{only words}": "without an action",
    "1-0": "a result",
    "Pd2 1-0": "a result",
    "Pd2 *": "a result",
    "Pd2) (Pc4": "closes no variation",
    "(Pd2)": "before the first action",
    "Pd2 (Pc4": "never closed",
    "Pd2 ()": "without an action",
    "Pd2 {": "never closed",
    "Pd2 }": "closes no comment",
    "Pd2 $256": "not between",
    "$1 Pd2": "before the first action",
    '[Event "x"] Pd2': "a tag pair",
    "Pd2 \0": "character",
    "Pd2 {\x07}": "control character",
    "Pd2 {\ud800}": "control character",
    "P" * 300: "more than 255",
}


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_variation_that_is_no_movetext_is_refused(text: str) -> None:
    game = over()
    with pytest.raises(UnreadableVariation, match="variation 2: ") as refused:
        game.do(note(1, "Pd2", text), SOUTH)
    assert UNREADABLE[text] in refused.value.reason
    assert write_variations(game.state) == {}


def test_an_illegal_action_is_named_with_those_most_like_it() -> None:
    with pytest.raises(IllegalVariation) as refused:
        over().do(note(2, "1... Sa8 (1... Pa7 2. Pd9) 2. Pd2"), SOUTH)
    error = refused.value
    assert (error.variation, error.ply, error.token) == (1, 3, "Pd9")
    assert error.column == len("1... Sa8 (1... Pa7 2. P")
    assert "Pd2" in error.nearest


def test_r0_a_variation_ends_where_the_agreed_limit_does() -> None:
    game = running(tags={"PlyLimit": "2"}).play("Sd1", "Sa8")
    assert game.do(note(2, "Pa7"), SOUTH)
    with pytest.raises(IllegalVariation, match="limit of plies"):
        game.do(note(2, "Pa7 Pd2"), SOUTH)


@pytest.mark.parametrize(
    ("variations", "what"),
    [
        (("Pd2",) * (MAX_VARIATIONS + 1), "variations of one action"),
        (("Pd2 {" + "x" * 16_000 + "}",), "characters of a variation"),
        (("Pd2" + " (Pd2" * MAX_DEPTH + ")" * MAX_DEPTH,), "depth of variations in variations"),
    ],
)
def test_too_much_is_refused(variations: tuple[str, ...], what: str) -> None:
    with pytest.raises(AnnotationTooLarge) as refused:
        over().do(note(1, *variations), SOUTH)
    assert refused.value.what == what


def test_as_deep_as_can_be_is_taken() -> None:
    game = over()
    text = "Pd2" + " (Pd2" * (MAX_DEPTH - 1) + ")" * (MAX_DEPTH - 1)
    game.do(note(1, text), SOUTH)
    assert write_variations(game.state)[1][0].count("(") == MAX_DEPTH - 1
    assert write(read_game(write_record(game.state, NAMES))) == write_record(game.state, NAMES)


def test_all_annotations_of_a_game_have_a_limit_and_can_always_shrink() -> None:
    game = over()
    large = Annotation(after=("ž" * MAX_COMMENT,) * 16)
    line = "Pd2 {" + "ž" * 15_900 + "}"
    assert game.do(note(1, *[line] * 4), SOUTH)
    with pytest.raises(AnnotationTooLarge) as refused:
        game.do(note(1, *[line] * MAX_VARIATIONS, after=large.after), SOUTH)
    assert refused.value.limit == MAX_NOTES
    assert game.do(note(1, "Pd2"), SOUTH)


def test_what_is_replaced_counts_too_and_can_always_be_removed() -> None:
    """Whoever replaces an annotation again and again could once make a log too long to be read."""
    game = over()
    texts = [(letter * MAX_COMMENT,) * 16 for letter in "\U0001d54a\U0001d54b"]
    size = EVENT + 2 * 16 * 4 * MAX_COMMENT
    times = MAX_LOGGED // size
    for number in range(times):
        game.do(note(1, before=texts[number % 2], after=texts[number % 2]), SOUTH)
    assert game.state.annotation_bytes == times * size
    with pytest.raises(AnnotationTooLarge) as refused:
        game.do(note(1, before=texts[times % 2], after=texts[times % 2]), SOUTH)
    assert refused.value.limit == MAX_LOGGED
    assert game.do(note(1), SOUTH)
    # A log that is longer stays readable, and is not lengthened.
    state = replace(game.state, annotation_bytes=2 * MAX_LOGGED)
    with pytest.raises(AnnotationTooLarge):
        decide(note(1, after=("so",)), state, SOUTH)


def test_glyphs_alone_count_too_and_can_always_be_removed() -> None:
    game = over()
    game.do(note(1, nags=(1,)), SOUTH)
    game.do(note(1, nags=(2,)), SOUTH)
    assert game.state.annotation_bytes == 2 * EVENT
    full = replace(game.state, annotation_bytes=MAX_LOGGED)
    with pytest.raises(AnnotationTooLarge):
        decide(note(1, nags=(1,)), full, SOUTH)
    assert decide(note(1), full, SOUTH)


# Who writes, and when.


def test_while_two_play_each_comments_only_on_their_own_actions() -> None:
    game = running().play("Sd1", "Sa8")
    assert game.do(comment(1), SOUTH)
    for wish, by in ((comment(2), SOUTH), (note(1, "Pd2"), SOUTH), (note(2, "Pa7"), REFEREE)):
        with pytest.raises(StillPlayed):
            game.do(wish, by)
    assert game.do(comment(2), REFEREE)
    game.do(AdmitAnnotator(player="friend"), SOUTH)
    for ply in (1, 2):
        with pytest.raises(StillPlayed):
            game.do(comment(ply), FRIEND)
    game.do(Resign(), NORTH)
    for wish, by in ((note(2, "Pa7"), SOUTH), (note(1, "Pd2"), NORTH), (note(1), FRIEND)):
        assert game.do(wish, by)
    game.do(ReopenGame(reason="a mistake"), REFEREE)
    with pytest.raises(StillPlayed):
        game.do(comment(1), FRIEND)


def test_a_scribe_writes_at_any_time() -> None:
    game = running(Mode.SCRIBE).play("Sd1", "Sa8")
    assert game.do(note(1, TEXT), SCRIBE)
    game.do(AdmitAnnotator(player="friend"), SCRIBE)
    assert game.do(note(2, "Pa7"), FRIEND)
    with pytest.raises(NotASeat):
        game.do(comment(1), SOUTH)
    game.do(Resign(side=Side.FIRST), SCRIBE)
    assert game.do(comment(1), SOUTH)


def test_secrets_are_safe_from_a_scribes_variations() -> None:
    """A legal reveal would give away the choice that the scribe has entered."""
    command = CreateGame(variant="kerd", mode=Mode.SCRIBE, first="south", second="north")
    game = Play(command, SCRIBE)
    for side, square in zip(Side, ("f11", "d1"), strict=True):
        game.do(Choose(side=side, choice=square, nonce="ab" * 16), SCRIBE)
    game.play("e4", "e9")
    for variation in ("R:f11", "R:e11", "d4"):
        with pytest.raises(StillPlayed):
            game.do(note(1, variation), SCRIBE)


def test_others_annotate_nothing() -> None:
    game = over()
    for wish in (comment(1), note(1, "Pd2")):
        with pytest.raises(NotASeat):
            game.do(wish, STRANGER)
    with pytest.raises(MissingScope):
        game.do(comment(1), Actor("south"))


def test_the_owner_admits_and_withdraws() -> None:
    game = over()
    assert game.do(AdmitAnnotator(player="friend"), NORTH) == (AnnotatorAdmitted(player="friend"),)
    assert game.do(AdmitAnnotator(player="friend"), SOUTH) == ()
    assert game.state.annotators == ("friend",)
    game.do(note(1, TEXT), FRIEND)
    for by in (FRIEND, STRANGER):
        with pytest.raises(NotTheOwner):
            game.do(AdmitAnnotator(player="stranger"), by)
        with pytest.raises(NotTheOwner):
            game.do(WithdrawAnnotator(player="friend"), by)
    withdraw = WithdrawAnnotator(player="friend")
    assert game.do(withdraw, SOUTH) == (AnnotatorWithdrawn(player="friend"),)
    with pytest.raises(NotAdmitted):
        game.do(withdraw, SOUTH)
    with pytest.raises(NotASeat):
        game.do(comment(1), FRIEND)
    assert write_variations(game.state) == {1: (TEXT,)}
    for wish in (AdmitAnnotator(), WithdrawAnnotator()):
        with pytest.raises(BadValue, match="player"):
            game.do(wish, SOUTH)
    with pytest.raises(MissingScope):
        game.do(AdmitAnnotator(player="friend"), Actor("south"))


def test_a_scribes_game_is_the_scribes() -> None:
    game = running(Mode.SCRIBE)
    assert game.do(AdmitAnnotator(player="friend"), SCRIBE)
    with pytest.raises(NotTheOwner):
        game.do(AdmitAnnotator(player="stranger"), SOUTH)


def test_nobody_is_admitted_to_a_challenge() -> None:
    with pytest.raises(NotRunning):
        offered().do(AdmitAnnotator(player="friend"), SOUTH)


def test_a_game_has_so_many_annotators() -> None:
    game = over()
    for number in range(MAX_ANNOTATORS):
        game.do(AdmitAnnotator(player=f"p{number}"), SOUTH)
    with pytest.raises(TooManyAnnotators):
        game.do(AdmitAnnotator(player="friend"), SOUTH)


def test_annotations_go_with_retracted_actions() -> None:
    game = over()
    game.do(note(2, "Pa7"), SOUTH)
    game.do(ReopenGame(reason="a mistake"), REFEREE)
    game.do(Retract(plies=1), REFEREE)
    assert write_variations(game.state) == {}
