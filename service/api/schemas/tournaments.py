"""Schemas of requests about tournaments. Unknown fields are refused."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, post_load, validate

from service.api.schemas.commands import CommandSchema
from service.api.schemas.fields import Switch, Whole, id_field, name_of, text_field
from service.api.schemas.games import MAX_PLIES
from service.game.setup import MAX_REASON, MAX_TAG_VALUE
from service.game.terms import MINUTE, NO_SHOW
from service.game.values import Secrecy
from service.player.names.recorded import MAX_RECORDED_NAME
from service.tournament import commands
from service.tournament.commands import TournamentCommand
from service.tournament.entries import BYES, MOST_RATING
from service.tournament.setup import MAX_NAME, MOST_CYCLES, MOST_GAMES, MOST_POINTS
from service.tournament.standings import RankTerm
from service.tournament.table import MOST_ROUNDS, Result, TournamentKind

DAY = 10
"""The number of characters of a day."""
MOST_RESULTS = 1000
"""The most boards that a round can have."""


class ScoringSchema(Schema):
    """A scoring scheme: a known one by name and version, or all of its points."""

    name = name_of(100, required=True)
    version = Whole(least=1, most=10**6, load_default=1)
    match = fields.Dict(keys=text_field(40), values=fields.Raw())
    game = fields.Dict(keys=text_field(40), values=fields.Raw())


class KnockoutSchema(Schema):
    """The rules that decide a knockout's ties."""

    games = Whole(least=1, most=MOST_GAMES)
    by_game_points = fields.Boolean(truthy={True}, falsy={False})
    deciders = Whole(least=0, most=MOST_GAMES)
    third_place = fields.Boolean(truthy={True}, falsy={False})


class NewTournamentSchema(Schema):
    """A tournament to set up."""

    name = name_of(MAX_NAME, required=True)
    variant = text_field(40, required=True)
    kind = fields.String(
        required=True, validate=validate.OneOf([kind.value for kind in TournamentKind])
    )
    scoring = fields.Nested(ScoringSchema, load_default=lambda: {"name": "standard", "version": 1})
    order = fields.List(
        fields.String(validate=validate.OneOf([term.value for term in RankTerm])),
        load_default=list,
        validate=validate.Length(max=len(RankTerm)),
    )
    rounds = Whole(least=1, most=MOST_ROUNDS, load_default=None, allow_none=True)
    cycles = Whole(least=1, most=MOST_CYCLES, load_default=1)
    knockout = fields.Nested(KnockoutSchema, load_default=dict)
    first_round_first = fields.Boolean(truthy={True}, falsy={False}, load_default=True)
    tags = fields.Dict(keys=text_field(100), values=text_field(MAX_TAG_VALUE), load_default=dict)
    infiltrators = fields.String(
        attribute="secret_choice",
        load_default=None,
        allow_none=True,
        validate=validate.OneOf(list(Secrecy)),
    )
    fen = text_field(1000, load_default=None, allow_none=True)
    time_control = text_field(200, load_default=None, allow_none=True)
    rated = Switch(load_default=True)
    ply_limit = Whole(least=1, most=MAX_PLIES, load_default=None, allow_none=True)
    draw_by_points = Switch(load_default=None, allow_none=True)
    self_entry = Switch(load_default=False)
    over_the_board = Switch(load_default=False)
    starts_on = text_field(DAY, load_default=None, allow_none=True)
    ends_on = text_field(DAY, load_default=None, allow_none=True)
    no_show_minutes = Whole(
        least=NO_SHOW[0] // MINUTE,
        most=NO_SHOW[1] // MINUTE,
        load_default=None,
        allow_none=True,
    )

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """The rule for no-shows in milliseconds."""
        minutes = data.pop("no_show_minutes")
        return data | {"no_show": None if minutes is None else minutes * MINUTE}


class PairedBoardSchema(Schema):
    """A pairing of free pairing."""

    first = id_field(required=True)
    second = id_field(required=True)


class PlayerCommandSchema(CommandSchema):
    """A command about one player."""

    player = id_field(required=True)


class EnterSchema(CommandSchema):
    """A player to enter: a registered one, or a name that nobody has claimed."""

    player = id_field()
    name = name_of(MAX_RECORDED_NAME)
    rating = Whole(most=MOST_RATING, load_default=None, allow_none=True)
    seed = Whole(least=1, most=10**4, load_default=None, allow_none=True)


class ByeSchema(PlayerCommandSchema):
    """A round that a player sits out."""

    round = Whole(least=1, most=MOST_ROUNDS, required=True)


class GrantByeSchema(ByeSchema):
    """A bye to grant: the player, the round and the bye's kind."""

    bye = fields.String(required=True, validate=validate.OneOf([bye.value for bye in BYES]))


class PairSchema(CommandSchema):
    """The next round; with its boards in free pairing."""

    boards = fields.List(
        fields.Nested(PairedBoardSchema),
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, 1000),
    )
    round = Whole(least=1, most=MOST_ROUNDS, load_default=None, allow_none=True)


class UnpairSchema(CommandSchema):
    """A round to take back."""

    round = Whole(least=1, most=MOST_ROUNDS, required=True)
    reason = fields.String(required=True, validate=validate.Length(1, MAX_REASON))


class BoardCommandSchema(CommandSchema):
    """A command about one pairing."""

    round = Whole(least=1, most=MOST_ROUNDS, required=True)
    board = Whole(least=1, most=10**5, required=True)
    reason = fields.String(required=True, validate=validate.Length(1, MAX_REASON))


class ResultSchema(Schema):
    """A board's result, with the reason if it had another before."""

    board = Whole(least=1, most=10**5, required=True)
    reason = fields.String(load_default="", validate=validate.Length(max=MAX_REASON))
    result = fields.String(
        required=True, validate=validate.OneOf([result.value for result in Result])
    )
    points = fields.List(
        Whole(most=MOST_POINTS),
        load_default=None,
        allow_none=True,
        validate=validate.Length(2, 2),
    )


class RuleSchema(ResultSchema, CommandSchema):
    """An arbiter's ruling on one board."""

    round = Whole(least=1, most=MOST_ROUNDS, required=True)


class ResultsSchema(CommandSchema):
    """The results of several boards of a round."""

    round = Whole(least=1, most=MOST_ROUNDS, required=True)
    results = fields.List(
        fields.Nested(ResultSchema), required=True, validate=validate.Length(1, MOST_RESULTS)
    )


class JoinSchema(CommandSchema):
    """A finished game that is to count."""

    game = id_field(required=True)
    round = Whole(least=1, most=MOST_ROUNDS, required=True)


class AmendSchema(CommandSchema):
    """The tournament's own data, as it is to be; what is left out stays."""

    name = name_of(MAX_NAME)
    rounds = Whole(least=1, most=MOST_ROUNDS)
    time_control = text_field(200, allow_none=True)
    starts_on = text_field(DAY, allow_none=True)
    ends_on = text_field(DAY, allow_none=True)
    reason = fields.String(load_default="", validate=validate.Length(max=MAX_REASON))


class CorrectEntrySchema(PlayerCommandSchema):
    """An entry, as it is to be; what is left out stays."""

    name = name_of(MAX_RECORDED_NAME)
    rating = Whole(most=MOST_RATING, load_default=None, allow_none=True)
    seed = Whole(least=1, most=10**4, load_default=None, allow_none=True)


COMMANDS: dict[str, tuple[type[CommandSchema], type[TournamentCommand]]] = {
    "enter": (EnterSchema, commands.Enter),
    "withdraw": (PlayerCommandSchema, commands.Withdraw),
    "open-self-entry": (CommandSchema, commands.OpenSelfEntry),
    "close-self-entry": (CommandSchema, commands.CloseSelfEntry),
    "grant-bye": (GrantByeSchema, commands.GrantBye),
    "cancel-bye": (ByeSchema, commands.CancelBye),
    "pair": (PairSchema, commands.PairRound),
    "unpair": (UnpairSchema, commands.UnpairRound),
    "rule": (RuleSchema, commands.Rule),
    "results": (ResultsSchema, commands.EnterResults),
    "lift-ruling": (BoardCommandSchema, commands.LiftRuling),
    "join": (JoinSchema, commands.Join),
    "appoint-arbiter": (PlayerCommandSchema, commands.AppointArbiter),
    "dismiss-arbiter": (PlayerCommandSchema, commands.DismissArbiter),
    "finish": (CommandSchema, commands.Finish),
    "amend": (AmendSchema, commands.Amend),
    "correct-entry": (CorrectEntrySchema, commands.CorrectEntry),
    "remove-entry": (PlayerCommandSchema, commands.RemoveEntry),
    "cancel": (CommandSchema, commands.Cancel),
}
"""The commands on a tournament by their type."""
