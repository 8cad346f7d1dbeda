"""A tournament's progress in words: its round, what is missing, how current its tables are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from service.languages.texts import gettext, ngettext

FINISHED: Final = "finished"
"""The status of a tournament that has ended."""


def list_missing(rounds: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """The rounds in which results are missing: the number of the round, and how many are missing.

    >>> pairings = [{"result": "1-0"}, {"result": "*"}]
    >>> list_missing([{"number": 1, "pairings": pairings}, {"number": 2, "pairings": []}])
    [(1, 1)]
    """
    counted = (
        (int(one["number"]), sum(pair["result"] == "*" for pair in one["pairings"]))
        for one in rounds
    )
    return [(number, missing) for number, missing in counted if missing]


def describe_rounds(tournament: Mapping[str, Any], rounds: Sequence[Mapping[str, Any]]) -> str:
    """Which of its rounds a tournament is in; empty if it is not known how many there are.

    >>> told = {"status": "running", "planned_rounds": 3, "rounds_ready": 1}
    >>> describe_rounds(told, [{"number": 1, "pairings": [{"result": "*"}]}])
    'round 1 of 3'
    >>> describe_rounds(told, [{"number": 1, "pairings": [{"result": "1-0"}]}])
    '1 of 3 rounds played'
    >>> describe_rounds({**told, "rounds_ready": 0}, [])
    '3 rounds'
    """
    planned, ready = tournament["planned_rounds"], tournament["rounds_ready"]
    if tournament["status"] == FINISHED and ready and planned in (None, ready):
        return ngettext("%(num)s round", "%(num)s rounds", ready)
    if not planned:
        return ""
    if not ready:
        return ngettext("%(num)s round", "%(num)s rounds", planned)
    if list_missing(rounds):
        return gettext("round %(number)s of %(planned)s", number=ready, planned=planned)
    return ngettext(
        "%(number)s of %(num)s round played",
        "%(number)s of %(num)s rounds played",
        planned,
        number=ready,
    )


def count_playing(tournament: Mapping[str, Any], bracket: Mapping[str, Any] | None) -> int:
    """How many players a next round has: those not withdrawn and not knocked out.

    Once a knockout has a bracket, these are the players in open ties.

    >>> told = {"players": [{"withdrawn": None}, {"withdrawn": None}, {"withdrawn": 1}]}
    >>> count_playing(told, None), count_playing(told, {"stages": [], "third_place": None})
    (2, 2)
    >>> won = {"high": {"id": "a"}, "low": {"id": "b"}, "winner": {"id": "a"}}
    >>> due, early = {**won, "winner": None}, {"high": {"id": "a"}, "low": None, "winner": None}
    >>> count_playing(told, {"stages": [[won, due], [early]], "third_place": None})
    2
    """
    if bracket is None or not bracket["stages"]:
        return sum(player["withdrawn"] is None for player in tournament["players"])
    ties = [tie for stage in bracket["stages"] for tie in stage]
    if bracket["third_place"]:
        ties.append(bracket["third_place"])
    return 2 * sum(bool(tie["high"] and tie["low"] and not tie["winner"]) for tie in ties)


def describe_stage(tournament: Mapping[str, Any], rounds: Sequence[Mapping[str, Any]]) -> str:
    """Up to which round a table counts; empty for a final table, and before the first round.

    >>> told, rounds = {"status": "running"}, [{"number": 2, "pairings": []}]
    >>> describe_stage(told, rounds), describe_stage({"status": "finished"}, rounds)
    ('after round 2', '')
    """
    if tournament["status"] == FINISHED or not rounds:
        return ""
    number = rounds[-1]["number"]
    if list_missing(rounds):
        return gettext("during round %(round)s", round=number)
    return gettext("after round %(round)s", round=number)
