"""Who may do what and when: every command by every kind of actor in every mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import pytest

from engine.side import Side
from service.errors import BadValue, MissingScope, ServiceError
from service.game import commands as c
from service.game.commands import Annotation, Command
from service.game.decide import decide
from service.game.errors import (
    AlreadyChosen,
    NotASeat,
    NotChoosing,
    NotFinished,
    NothingOffered,
    NotOffered,
    NotRunning,
    NotTheOpponent,
    NotTheOwner,
    NotYourTurn,
    StillPlayed,
)
from service.game.permissions import SCORER
from service.game.values import GameStatus, Mode
from service.player.actor import Actor
from service.player.scopes import ARBITER, PLAY
from tests.service.game.support import (
    MODES,
    NORTH,
    REFEREE,
    SCRIBE,
    SOUTH,
    STRANGER,
    Play,
    offered,
    player,
    running,
)

Wrong: TypeAlias = type[ServiceError] | None

POWERLESS_SOUTH = player("south", ARBITER)
"""South with a token for ruling on games, but not for playing them."""
SCORER_ACTOR = Actor(SCORER)
ROLES = {
    "south": SOUTH,
    "north": NORTH,
    "scribe": SCRIBE,
    "stranger": STRANGER,
    "referee": REFEREE,
    "scorer": SCORER_ACTOR,
}
NOTE = Annotation(after=("good",))
NOTES = (c.AnnotateAction, c.AnnotatorCommand)
"""Commands that do not affect a game's outcome."""


def moment(mode: Mode, what: str) -> Play:
    """A game in this mode after two actions, in which `what` has then happened."""
    game = running(mode).play("Sd1", "Sa8")
    by = SCRIBE if mode is Mode.SCRIBE else SOUTH
    if what == "draw offered":
        game.do(c.OfferDraw(side=Side.FIRST), by)
    elif what == "retraction offered":
        game.do(c.OfferRetraction(side=Side.FIRST, plies=1), by)
    elif what == "admitted":
        game.do(c.AdmitAnnotator(player="friend"), by)
    elif what == "ended":
        game.do(c.Resign(side=Side.FIRST), by)
    return game


def seats(**wrong: Wrong) -> dict[str, Wrong]:
    """The error by role in a game played by its seats; NotASeat unless another is given."""
    return dict.fromkeys(ROLES, NotASeat) | wrong


def ruled(**wrong: Wrong) -> dict[str, Wrong]:
    """The same for what arbiters do."""
    return dict.fromkeys(ROLES, MissingScope) | {"referee": None} | wrong


def owned() -> dict[str, Wrong]:
    """The same for what a game's owners do."""
    return dict.fromkeys(ROLES, NotTheOwner) | dict.fromkeys(("south", "north", "referee"))


# What has happened, the command of South or of nobody, and the error by role.
SEATED: dict[str, tuple[str, Command, dict[str, Wrong]]] = {
    "play": ("", c.PlayAction(token="Sc2"), seats(south=None, north=NotYourTurn)),
    "annotate": (
        "",
        c.AnnotateAction(ply=1, annotation=NOTE),
        seats(south=None, north=StillPlayed, referee=None),
    ),
    "admit annotator": ("", c.AdmitAnnotator(player="friend"), owned()),
    "withdraw annotator": ("admitted", c.WithdrawAnnotator(player="friend"), owned()),
    "offer draw": ("", c.OfferDraw(), seats(south=None, north=None)),
    "accept draw": ("draw offered", c.AcceptDraw(), seats(south=NotTheOpponent, north=None)),
    "decline draw": ("draw offered", c.DeclineDraw(), seats(south=NotTheOpponent, north=None)),
    "resign": ("", c.Resign(), seats(south=None, north=None)),
    "offer retraction": ("", c.OfferRetraction(plies=1), seats(south=None, north=None)),
    "accept retraction": (
        "retraction offered",
        c.AcceptRetraction(),
        seats(south=NotTheOpponent, north=None),
    ),
    "decline retraction": (
        "retraction offered",
        c.DeclineRetraction(),
        seats(south=NotTheOpponent, north=None),
    ),
    "retract": ("", c.Retract(plies=1), ruled()),
    "adjudicate": ("", c.Adjudicate(result="1-0", termination="adjudication"), ruled()),
    "lose on time": ("", c.LoseOnTime(side=Side.FIRST), ruled()),
    "close": ("", c.CloseGame(), ruled()),
    "correct": (
        "ended",
        c.CorrectResult(result="1-0", termination="forfeit", reason="it was North"),
        ruled(),
    ),
    "reopen": ("ended", c.ReopenGame(reason="it was entered wrong"), ruled()),
    "score": (
        "ended",
        c.ScoreGame(version=9, result="0-1", termination="resignation", points=(0, 0)),
        dict.fromkeys(ROLES, MissingScope) | {"scorer": None},
    ),
}


@pytest.mark.parametrize("name", SEATED)
def test_what_arbiters_may_do_to_a_result_is_a_ruling(name: str) -> None:
    _, command, wrong = SEATED[name]
    allowed = wrong["referee"] is None and not isinstance(command, NOTES)
    assert isinstance(command, c.RulingCommand) == allowed


def judge(game: Play, command: Command, actor: Actor, wrong: Wrong) -> None:
    if wrong is None:
        assert game.do(command, actor)
        return
    before = game.state
    with pytest.raises(ServiceError) as error:
        game.do(command, actor)
    assert type(error.value) is wrong
    assert game.state is before


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", SEATED)
@pytest.mark.parametrize("mode", [Mode.CHALLENGE, Mode.ARBITER])
def test_who_may_in_a_game_of_two_players(mode: Mode, name: str, role: str) -> None:
    what, command, wrong = SEATED[name]
    judge(moment(mode, what), command, ROLES[role], wrong[role])


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", SEATED)
def test_who_may_in_a_game_with_a_scribe(name: str, role: str) -> None:
    what, command, wrong = SEATED[name]
    if role in ("south", "north") and wrong["stranger"] in (NotASeat, NotTheOwner):
        expected: Wrong = wrong["stranger"]
    elif role == "scribe" and name != "score":
        expected = None
    else:
        expected = wrong[role]
    if isinstance(command, c.SideCommand) and what == "":
        command = replace(command, side=Side.SECOND)
    judge(moment(Mode.SCRIBE, what), command, ROLES[role], expected)


@pytest.mark.parametrize(
    "name", [n for n, (_, _, w) in SEATED.items() if w["stranger"] is NotASeat]
)
def test_a_token_without_the_scope_play_plays_nothing(name: str) -> None:
    what, command, wrong = SEATED[name]
    if name == "annotate":
        command = c.AnnotateAction(ply=1, annotation=NOTE)
        mine = player("south", "admin")
    else:
        mine = POWERLESS_SOUTH if wrong["south"] is None else player("north", ARBITER)
    judge(moment(Mode.CHALLENGE, what), command, mine, MissingScope)


def test_a_scribe_without_the_scope_play_keeps_no_score() -> None:
    powerless = player("scribe", "admin")
    game = moment(Mode.SCRIBE, "")
    judge(game, c.PlayAction(token="Sc2"), powerless, MissingScope)
    judge(game, c.CloseGame(), powerless, MissingScope)


@pytest.mark.parametrize(
    ("command", "actor", "wrong"),
    [
        (c.AcceptChallenge(), NORTH, None),
        (c.AcceptChallenge(), SOUTH, NotTheOpponent),
        (c.AcceptChallenge(), STRANGER, NotASeat),
        (c.AcceptChallenge(), player("north", ARBITER), MissingScope),
        (c.DeclineChallenge(), NORTH, None),
        (c.DeclineChallenge(), SOUTH, NotTheOpponent),
        (c.DeclineChallenge(), STRANGER, NotASeat),
        (c.WithdrawChallenge(), SOUTH, None),
        (c.WithdrawChallenge(), NORTH, NotASeat),
        (c.WithdrawChallenge(), STRANGER, NotASeat),
        (c.WithdrawChallenge(), POWERLESS_SOUTH, MissingScope),
    ],
)
def test_who_may_answer_a_challenge(command: Command, actor: Actor, wrong: Wrong) -> None:
    judge(offered(), command, actor, wrong)


@pytest.mark.parametrize(
    ("role", "wrong"),
    [
        *(("south", None), ("north", None), ("scribe", NotASeat), ("stranger", NotASeat)),
        *(("referee", NotASeat), ("scorer", NotASeat)),
    ],
)
@pytest.mark.parametrize("mode", [Mode.CHALLENGE, Mode.ARBITER])
def test_who_may_choose_in_secret(mode: Mode, role: str, wrong: Wrong) -> None:
    square = "d1" if role == "north" else "f11"
    choice = c.Choose(choice=square, nonce="ab" * 16)
    judge(running(mode, variant="kerd"), choice, ROLES[role], wrong)
    powerless = player(role, ARBITER)
    if wrong is None:
        judge(running(mode, variant="kerd"), choice, powerless, MissingScope)


def test_each_side_chooses_once_and_only_where_there_is_a_choice() -> None:
    choice = c.Choose(side=Side.FIRST, choice="f11", nonce="ab" * 16)
    game = running(Mode.SCRIBE, variant="kerd")
    game.do(choice, SCRIBE)
    with pytest.raises(
        AlreadyChosen, match="this side has made its choice, which cannot be changed"
    ):
        game.do(choice, SCRIBE)
    game.do(replace(choice, side=Side.SECOND, choice="d1"), SCRIBE)
    for other in (game, running(Mode.SCRIBE)):
        with pytest.raises(NotChoosing):
            other.do(choice, SCRIBE)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "answer", [c.AcceptChallenge(), c.DeclineChallenge(), c.WithdrawChallenge()]
)
def test_a_game_that_is_played_is_no_challenge(mode: Mode, answer: Command) -> None:
    with pytest.raises(
        NotOffered, match="the game is running; there is no open challenge"
    ) as error:
        moment(mode, "").do(answer, NORTH)
    assert error.value.status == GameStatus.RUNNING


ENDS: dict[str, Callable[[Play], object]] = {
    "offered": lambda game: None,
    "declined": lambda game: game.do(c.DeclineChallenge(), NORTH),
    "withdrawn": lambda game: game.do(c.WithdrawChallenge(), SOUTH),
    "finished": lambda game: (
        game.do(c.AcceptChallenge(), NORTH),
        game.do(c.Resign(), SOUTH),
    ),
}
ONLY_RUNNING: list[tuple[Command, Actor]] = [
    (c.PlayAction(token="Sd1"), SOUTH),
    (c.OfferDraw(), SOUTH),
    (c.AcceptDraw(), SOUTH),
    (c.DeclineDraw(), SOUTH),
    (c.Resign(), SOUTH),
    (c.OfferRetraction(plies=1), SOUTH),
    (c.AcceptRetraction(), SOUTH),
    (c.DeclineRetraction(), SOUTH),
    (c.Retract(plies=1), REFEREE),
    (c.Adjudicate(result="1-0", termination="adjudication"), REFEREE),
    (c.LoseOnTime(side=Side.FIRST), REFEREE),
    (c.CloseGame(), REFEREE),
]


@pytest.mark.parametrize("status", ENDS)
@pytest.mark.parametrize(("command", "actor"), ONLY_RUNNING)
def test_only_a_running_game_is_played(status: str, command: Command, actor: Actor) -> None:
    game = offered()
    ENDS[status](game)
    assert game.state.status == status
    with pytest.raises(NotRunning, match=f"the game is {status}") as error:
        game.do(command, actor)
    assert error.value.status == status


@pytest.mark.parametrize("status", ["offered", "declined", "withdrawn", "running"])
def test_only_an_ended_game_has_a_result_to_correct(status: str) -> None:
    game = offered()
    if status == "running":
        game.do(c.AcceptChallenge(), NORTH)
    else:
        ENDS[status](game)
    with pytest.raises(NotFinished, match="it has no result yet"):
        game.do(c.CorrectResult(result="1-0", termination="forfeit", reason="why"), REFEREE)
    score = c.ScoreGame(version=9, result="1-0", termination="forfeit", points=(0, 0))
    assert game.do(score, SCORER_ACTOR) == ()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("command", "offer"),
    [
        (c.AcceptDraw(), "draw"),
        (c.DeclineDraw(), "draw"),
        (c.AcceptRetraction(), "retraction"),
        (c.DeclineRetraction(), "retraction"),
    ],
)
def test_nothing_offered_is_nothing_to_answer(mode: Mode, command: Command, offer: str) -> None:
    game = moment(mode, "")
    for actor in (SCRIBE,) if mode is Mode.SCRIBE else (SOUTH, NORTH):
        with pytest.raises(NothingOffered, match=f"no {offer} has been offered") as error:
            game.do(command, actor)
        assert error.value.offer == offer
    with pytest.raises(NotASeat, match="only a player of this game may do this"):
        game.do(command, STRANGER)


@pytest.mark.parametrize("mode", [Mode.CHALLENGE, Mode.ARBITER])
@pytest.mark.parametrize("command", [c.OfferDraw, c.Resign])
def test_nobody_acts_for_the_other_side(mode: Mode, command: type[c.SideCommand]) -> None:
    game = moment(mode, "")
    with pytest.raises(NotTheOpponent, match="only the other side may answer this"):
        game.do(command(side=Side.SECOND), SOUTH)
    assert game.do(command(side=Side.FIRST), SOUTH)


@pytest.mark.parametrize("answer", [c.AcceptDraw, c.DeclineDraw])
def test_nobody_answers_for_the_side_that_offered(answer: type[c.SideCommand]) -> None:
    game = moment(Mode.SCRIBE, "draw offered")
    with pytest.raises(NotTheOpponent):
        game.do(answer(side=Side.FIRST), SCRIBE)
    assert game.do(answer(side=Side.SECOND), SCRIBE)
    with pytest.raises(NotTheOpponent):
        moment(Mode.CHALLENGE, "draw offered").do(answer(side=Side.FIRST), NORTH)


def test_a_scribe_names_the_side() -> None:
    game = moment(Mode.SCRIBE, "")
    for command in (c.OfferDraw(), c.Resign(), c.OfferRetraction(plies=1)):
        with pytest.raises(BadValue, match="required, because you act for both sides") as error:
            game.do(command, SCRIBE)
        assert error.value.field == "side"


def test_a_scribe_who_is_a_player_acts_for_both() -> None:
    command = c.CreateGame(variant="katruji", mode="scribe", first="scribe", second="north")
    game = Play(command, SCRIBE).play("Sd1", "Sa8")
    assert game.state.side_of("scribe") is Side.FIRST
    assert game.do(c.Resign(side=Side.SECOND), SCRIBE)


@pytest.mark.parametrize("mode", MODES)
def test_what_is_no_command_on_a_game_is_refused(mode: Mode) -> None:
    game = moment(mode, "")
    create = c.CreateGame(variant="katruji", mode=mode, first="a", second="b")
    with pytest.raises(TypeError, match="CreateGame is not a command on a game"):
        decide(create, game.state, SOUTH)


def test_every_command_is_tried() -> None:
    every = {cls for cls in vars(c).values() if isinstance(cls, type) and issubclass(cls, Command)}
    every -= {Command, c.SideCommand, c.RulingCommand, c.CreateGame, c.ImportRecord}
    every -= {c.AnnotatorCommand}
    tried = {type(command) for _, command, _ in SEATED.values()}
    answers = {c.AcceptChallenge, c.DeclineChallenge, c.WithdrawChallenge}
    # Commands that only the pairer of rounds gives are tried in test_tournament_game.py.
    # Commands that need clocks are tried in test_timekeeping.py.
    elsewhere = {c.Choose, c.BeginGame, c.SetClocks, c.FlagFall}
    # Commands due by time, or before the first action, are tried in test_deadlines.py.
    elsewhere |= {c.ExpireChallenge, c.ForfeitNoShow, c.AbortGame}
    assert tried | answers | elsewhere == every
    assert {type(command) for command, _ in ONLY_RUNNING} < tried


def test_the_scope_that_is_missing_is_named() -> None:
    with pytest.raises(MissingScope, match="this needs a token with the scope 'arbiter'") as error:
        moment(Mode.ARBITER, "").do(c.CloseGame(), SOUTH)
    assert error.value.scope == ARBITER
    with pytest.raises(MissingScope) as error:
        moment(Mode.CHALLENGE, "").do(c.Resign(), POWERLESS_SOUTH)
    assert error.value.scope == PLAY
    with pytest.raises(NotYourTurn, match="it is South's turn") as turn:
        moment(Mode.CHALLENGE, "").do(c.PlayAction(token="Sa8"), NORTH)
    assert turn.value.side == "South"
