"""Who may do what to a tournament: every command by every kind of actor."""

from __future__ import annotations

import pytest

from service.errors import MissingScope, ServiceError
from service.player.actor import Actor
from service.tournament import commands as c
from service.tournament.commands import TournamentCommand
from service.tournament.decide import create
from service.tournament.errors import NotTheArbiter
from tests.service.tournament.support import (
    ADMINISTRATOR,
    CHIEF,
    DEPUTY,
    OUTSIDER,
    PAIRING,
    PLAYER,
    POWERLESS_CHIEF,
    SCORING,
    Competition,
    finished,
)

ROLES = {
    "chief": CHIEF,
    "deputy": DEPUTY,
    "other arbiter": OUTSIDER,
    "player": PLAYER,
    "admin": ADMINISTRATOR,
    "chief without the scope": POWERLESS_CHIEF,
    "pairer": PAIRING,
    "scorer": SCORING,
}
ARBITERS = ("chief", "deputy")
OFFICIAL: dict[str, TournamentCommand] = {
    "appoint": c.AppointArbiter(player="outsider"),
    "dismiss": c.DismissArbiter(player="deputy"),
    "enter": c.Enter(player="late"),
    "withdraw": c.Withdraw(player="p4"),
    "open self-entry": c.OpenSelfEntry(),
    "close self-entry": c.CloseSelfEntry(),
    "grant bye": c.GrantBye(player="p4", round=2, bye="half-bye"),
    "cancel bye": c.CancelBye(player="p3", round=2),
    "pair": c.PairRound(),
    "unpair": c.UnpairRound(round=1, reason="late"),
    "rule": c.Rule(round=1, board=1, result="+/-", reason="absent"),
    "results": c.EnterResults(round=1, results=[{"board": 1, "result": "+/-", "reason": "absent"}]),
    "lift": c.LiftRuling(round=1, board=2, reason="was there"),
    "join": c.Join(game=finished("elsewhere", "1-0"), round=1, seats=("p1", "p3")),
    "finish": c.Finish(),
}
OF_THE_SERVICE: dict[str, tuple[str, TournamentCommand]] = {
    "settle": ("pairer", c.SettleRound(asked=1, boards=[], byes=[])),
    "refuse": ("pairer", c.RefuseRound(asked=1, code="no-pairing", detail="")),
    "confirm": ("pairer", c.ConfirmRound(asked=1)),
    "tally": ("scorer", c.CountGame(game=finished("nobody's", "1-0"))),
}


def moment(command: TournamentCommand) -> Competition:
    """A tournament in which an arbiter could give this command."""
    competition = Competition()
    competition.do(c.AppointArbiter(player="deputy"))
    first, second = competition.pair()
    competition.do(c.GrantBye(player="p3", round=2, bye="zero-bye"))
    if isinstance(command, c.CloseSelfEntry):
        competition.do(c.OpenSelfEntry())
    if isinstance(command, c.UnpairRound):
        return competition
    if not isinstance(command, c.Join):
        competition.end(first, "1-0")
    competition.do(c.Rule(round=1, board=2, result="0-1", reason="seen"))
    if isinstance(command, c.Join):
        return competition
    competition.end(second, "0-1")
    return competition


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", OFFICIAL)
def test_nobody_but_an_arbiter_of_the_tournament_rules_on_it(name: str, role: str) -> None:
    command, actor = OFFICIAL[name], ROLES[role]
    competition = moment(command)
    if role in ARBITERS:
        assert competition.do(command, actor)
        return
    wrong: type[ServiceError] = NotTheArbiter if role == "other arbiter" else MissingScope
    with pytest.raises(wrong):
        competition.do(command, actor)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", OF_THE_SERVICE)
def test_what_workers_do_nobody_else_does(name: str, role: str) -> None:
    may, command = OF_THE_SERVICE[name]
    competition = Competition()
    competition.do(c.PairRound())
    if role == may:
        competition.do(command, ROLES[role])
        return
    with pytest.raises(MissingScope):
        competition.do(command, ROLES[role])


@pytest.mark.parametrize("actor", [PLAYER, ADMINISTRATOR, PAIRING, SCORING])
def test_only_arbiters_set_tournaments_up(actor: Actor) -> None:
    wish = c.CreateTournament(
        name="Open", variant="katruji", kind="swiss", scoring={"name": "standard"}, rounds=3
    )
    with pytest.raises(MissingScope):
        create(wish, actor)


def test_an_arbiter_who_was_dismissed_rules_no_more() -> None:
    competition = Competition()
    competition.do(c.AppointArbiter(player="deputy"))
    assert competition.do(c.AppointArbiter(player="deputy")) == ()
    competition.do(c.DismissArbiter(player="chief"), DEPUTY)
    with pytest.raises(NotTheArbiter):
        competition.do(c.Finish(), CHIEF)
    with pytest.raises(ServiceError, match="the only arbiter"):
        competition.do(c.DismissArbiter(player="deputy"), DEPUTY)
    assert competition.do(c.DismissArbiter(player="chief"), DEPUTY) == ()
