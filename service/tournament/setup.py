"""The rules that a tournament may be set up with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import date
from typing import Any, Final

from engine.phrase import phrase
from engine.registry import find_variant
from notation.annotation import check_tag
from notation.time_control import parse_time_control
from service.errors import BadValue
from service.game.commands import CreateGame
from service.game.errors import ContradictoryTerms
from service.game.permissions import PAIRER
from service.game.setup import MAX_TAGS, check_setup
from service.game.terms import make_term_tags
from service.game.values import Mode
from service.player.actor import Actor
from service.tournament.commands import CreateTournament
from service.tournament.events import TournamentAtVenue, TournamentOnTerms, TournamentSetUp
from service.tournament.pairing.knockout import KnockoutRules
from service.tournament.scheme import SCHEMES, scheme_from_json, scheme_to_json
from service.tournament.standings.regulations import Regulations
from service.tournament.standings.term import RankTerm
from service.tournament.table import MOST_ROUNDS, Result, TournamentKind
from service.tournament.values import TournamentRules

TOURNAMENT_TAG: Final = "MovelogTournament"
"""The tag with the tournament's id on its games."""
GIVEN_TAGS: Final = frozenset({"Event", "Round", "Board", TOURNAMENT_TAG})
"""Tags that each game of a tournament gets from its place in it."""
MOST_TAGS: Final = MAX_TAGS - len(GIVEN_TAGS)
"""The most further tags of a tournament's games, those of their limits included."""
MOST_ENTRIES: Final = 2000
MOST_IN_SWISS: Final = 1000
"""Pairing time grows with the cube of the number of players: for this many it takes minutes."""
MOST_CYCLES: Final = 4
MOST_GAMES: Final = 10
MOST_POINTS: Final = 10**6
MAX_NAME: Final = 200
USUAL: Final[Mapping[TournamentKind, tuple[RankTerm, ...]]] = {
    TournamentKind.SWISS: (
        RankTerm.MATCH_POINTS,
        RankTerm.BUCHHOLZ_CUT_1,
        RankTerm.BUCHHOLZ,
        RankTerm.SONNEBORN_BERGER,
        RankTerm.DIRECT_ENCOUNTER,
        RankTerm.WINS,
    ),
    TournamentKind.ROUND_ROBIN: (
        RankTerm.MATCH_POINTS,
        RankTerm.DIRECT_ENCOUNTER,
        RankTerm.WINS,
        RankTerm.SONNEBORN_BERGER,
    ),
    TournamentKind.KNOCKOUT: (RankTerm.MATCH_POINTS,),
    TournamentKind.FREE: (RankTerm.MATCH_POINTS, RankTerm.WINS),
}
"""The usual ranking by kind, if the command gives none."""


def make_rules_event(command: CreateTournament) -> TournamentSetUp:
    """Make the event that records the agreed rules of a tournament.

    Raises UnknownVariant, BadAnnotation, BadValue, ContradictoryTerms, and what `check_setup`
    raises for its games.
    """
    kind = TournamentKind(command.kind)
    check_name(command.name)
    check_games(command)
    check_numbers(command, kind)
    check_days(command.starts_on, command.ends_on)
    if command.over_the_board:
        check_over_the_board(command)
    scheme = scheme_from_json(known_scheme(command.scoring))
    order = tuple(map(RankTerm, command.order)) or USUAL[kind]
    regulations = Regulations(scheme, order)
    check_order(command.variant, regulations)
    rules: dict[str, Any] = {
        "name": command.name,
        "variant": command.variant,
        "kind": kind,
        "scoring": scheme_to_json(scheme),
        "order": tuple(term.value for term in order),
        "edition": regulations.edition,
        "rounds": command.rounds,
        "cycles": command.cycles,
        "knockout": asdict(KnockoutRules(**command.knockout))
        if kind is TournamentKind.KNOCKOUT
        else {},
        "first_round_first": command.first_round_first,
        "tags": {**command.tags, **make_limit_tags(command)},
        "infiltrators": command.secret_choice,
        "fen": command.fen,
    }
    if (command.time_control, command.rated, command.no_show) != (None, True, None):
        control = command.time_control and str(parse_time_control(command.time_control))
        rules |= {"time_control": control, "rated": command.rated, "no_show": command.no_show}
    names = ("over_the_board", "starts_on", "ends_on")
    venue = {name: given for name in names if (given := getattr(command, name))}
    if venue:
        return TournamentAtVenue(**rules, **venue)
    return TournamentOnTerms(**rules) if "rated" in rules else TournamentSetUp(**rules)


def make_limit_tags(command: CreateTournament) -> Mapping[str, str]:
    """The tags of the games that state their limit of plies and how a draw is decided."""
    return make_term_tags(replace(make_sample_game(command), time_control=None))


def known_scheme(asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a scheme given in full, or look it up by name and version. Raises BadValue."""
    if "match" in asked:
        return asked
    found = SCHEMES.get((asked.get("name", ""), asked.get("version", 1)))
    if found is None:
        known = ", ".join(f"{name} {version}" for name, version in SCHEMES)
        raise BadValue(
            "scoring", phrase("give match and game points, or one of {known}", known=known)
        )
    return scheme_to_json(found)


def most_entries(kind: TournamentKind, cycles: int) -> int:
    """The most players that a tournament can have."""
    match kind:
        case TournamentKind.SWISS:
            return MOST_IN_SWISS
        case TournamentKind.ROUND_ROBIN:
            # So many that it has at most MOST_ROUNDS rounds.
            return MOST_ROUNDS // cycles
        case _:
            return MOST_ENTRIES


def check_name(name: str) -> None:
    """Raise BadValue or BadAnnotation for what cannot be the Event of a record."""
    if not name.strip() or name.strip() in ("?", "-") or len(name) > MAX_NAME:
        raise BadValue("name", phrase("1 to {max_name} characters", max_name=MAX_NAME))
    check_tag("Event", name)


def check_games(command: CreateTournament) -> None:
    """Raise if the tournament's games could not be created."""
    for name in command.tags:
        if name in GIVEN_TAGS:
            raise BadValue("tags", phrase("{name} is set by the tournament", name=name))
    check_setup(make_sample_game(command), Actor(PAIRER))


def check_tag_count(tags: Mapping[str, str]) -> None:
    """Raise BadValue if the tournament's games would have too many tags.

    It is no part of `make_rules_event`: earlier versions set up tournaments with more.
    """
    if len(tags) > MOST_TAGS:
        raise BadValue("tags", phrase("at most {max_tags} tags", max_tags=MOST_TAGS))


def make_sample_game(command: CreateTournament) -> CreateGame:
    """The command that creates a game on the tournament's terms."""
    return CreateGame(
        variant=command.variant,
        mode=Mode.TOURNAMENT,
        first="first",
        second="second",
        tags=dict(command.tags),
        secret_choice=command.secret_choice,
        fen=command.fen,
        time_control=command.time_control,
        rated=command.rated,
        ply_limit=command.ply_limit,
        draw_by_points=command.draw_by_points,
        no_show=command.no_show,
    )


def check_numbers(command: CreateTournament, kind: TournamentKind) -> None:
    """Raise BadValue for numbers missing, out of range, or not for this kind of tournament."""
    if kind is TournamentKind.SWISS and command.rounds is None:
        raise BadValue(
            "rounds",
            phrase(
                "missing; a Swiss needs a number of rounds, 1 to {most_rounds}",
                most_rounds=MOST_ROUNDS,
            ),
        )
    if kind is not TournamentKind.SWISS and command.rounds is not None:
        raise BadValue("rounds", "only for a Swiss; the other kinds determine it themselves")
    if command.rounds is not None and not 1 <= command.rounds <= MOST_ROUNDS:
        raise BadValue("rounds", phrase("1 to {most_rounds}", most_rounds=MOST_ROUNDS))
    most = MOST_CYCLES if kind is TournamentKind.ROUND_ROBIN else 1
    if not 1 <= command.cycles <= most:
        raise BadValue(
            "cycles",
            phrase("1 to {most_cycles}, and only in a round robin", most_cycles=MOST_CYCLES),
        )
    if command.knockout and kind is not TournamentKind.KNOCKOUT:
        raise BadValue("knockout", "only for a knockout")


def check_days(starts_on: str | None, ends_on: str | None) -> None:
    """Raise BadValue for what is not a day, or for an end before the start."""
    for field, day in (("starts_on", starts_on), ("ends_on", ends_on)):
        if day is not None and not is_day(day):
            raise BadValue(field, "a day, as 2030-01-31")
    if starts_on and ends_on and ends_on < starts_on:
        raise BadValue("ends_on", "is before the start")


def is_day(text: str) -> bool:
    """Whether a text is a day in the full form of ISO 8601.

    >>> is_day("2030-01-31"), is_day("2030-02-31"), is_day("20300131")
    (True, False, False)
    """
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def check_over_the_board(command: CreateTournament) -> None:
    """Raise ContradictoryTerms for terms that only games played on the service have."""
    if command.time_control is not None:
        said = "clocks over the board are not kept here; state the time in the tag TimeControl"
        raise ContradictoryTerms("time_control", said)
    if command.rated:
        raise ContradictoryTerms("rated", "only games played here are rated")
    if command.no_show is not None:
        raise ContradictoryTerms("no_show_minutes", "an arbiter rules on players who stay away")


def check_order(variant: str, regulations: Regulations) -> None:
    """Raise BadValue if the order ranks by points that the game does not count."""
    needing = {RankTerm.GAME_POINTS, RankTerm.POINT_DIFFERENCE} & set(regulations.order)
    if needing and not find_variant(variant).counts_points:
        raise BadValue(
            "order",
            phrase(
                "{variant} counts no points: not {needing}",
                variant=variant,
                needing=", ".join(sorted(needing)),
            ),
        )


def check_points(variant: str, result: Result, points: tuple[int, int] | None) -> None:
    """Raise BadValue for game points that the game cannot end with, or that it has unplayed."""
    if points is None:
        return
    if not find_variant(variant).counts_points or not result.played:
        raise BadValue("points", "only of a game that was played and counts some")
    if any(not 0 <= number <= MOST_POINTS for number in points):
        raise BadValue("points", phrase("0 to {most_points}", most_points=MOST_POINTS))


def game_tags(rules: TournamentRules, id: str, round: int, board: int) -> dict[str, str]:
    """The tags of a game of the tournament."""
    place = {"Event": rules.name, "Round": str(round), "Board": str(board), TOURNAMENT_TAG: id}
    return {**rules.tags, **place}
