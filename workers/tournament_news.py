"""The job that notifies of a tournament's ready rounds, and of its end."""

from __future__ import annotations

from typing import Any

from service.reactions.notices import OLD, Notice
from service.tournament.events import RoundReady, TournamentFinished
from service.tournament.state import TournamentState
from service.tournament.values import Round
from service.webhooks.webhook import ROUND_READY, TOURNAMENT_FINISHED
from workers.task import Task


def send_tournament_notices(task: Task) -> dict[str, Any]:
    """Notify of the event that the job names; a repeat notifies of nothing.

    Returns how many notices were requested, as `asked`.
    """
    service = task.service
    state = service.tournaments.load(task.arguments["tournament"])
    version: int = task.arguments["version"]
    (entry,) = service.tournaments.read(state.id, version - 1, 1)
    if service.jobs.clock() - entry.at > OLD:
        return {"asked": 0}
    match entry.event:
        case TournamentFinished():
            about = f"{state.id} {version}"
            data = describe_tournament(state)
            notice = Notice(TOURNAMENT_FINISHED, about, entry.at, list_concerned(state), data)
            return {"asked": service.announcer.announce(notice)}
        case RoundReady(round=number):
            # A round withdrawn meanwhile is not announced, nor is the one in its place.
            rounds = [each for each in state.rounds[number - 1 :] if each.ready_at == entry.at]
            notices = [make_round_notice(state, each, version, entry.at) for each in rounds[:1]]
            return {"asked": sum(map(service.announcer.announce, notices))}
        case _:
            raise TypeError(f"{entry.event.stored_name} has no notice")


def make_round_notice(state: TournamentState, played: Round, version: int, at: int) -> Notice:
    """The notice that the games of a round can be played."""
    boards = [
        {
            "board": pairing.board,
            "first": pairing.first,
            "second": pairing.second,
            "game": pairing.game,
        }
        for pairing in played.pairings
    ]
    byes = [{"player": bye.entrant, "bye": bye.kind} for bye in played.byes]
    data = {**describe_tournament(state), "round": played.number, "boards": boards, "byes": byes}
    return Notice(ROUND_READY, f"{state.id} {version}", at, list_concerned(state), data)


def describe_tournament(state: TournamentState) -> dict[str, Any]:
    """The fields of a tournament in every notice."""
    return {
        "tournament": state.id,
        "name": state.rules.name,
        "variant": state.rules.variant,
        "rounds": len(state.rounds),
    }


def list_concerned(state: TournamentState) -> list[str]:
    """The people whom a tournament's news concerns: its players and its directors."""
    return list(dict.fromkeys([*state.entries, state.creator, *state.arbiters]))
