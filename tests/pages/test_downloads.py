"""Files that a browser saves without scripts."""

from __future__ import annotations

import pytest

from service.player.actor import Actor
from service.tournament.commands import CreateTournament, Enter
from tests.pages.conftest import Opened
from tests.service.web_server import WebServer


@pytest.mark.parametrize(
    ("label", "name", "header"),
    [
        ("Standings (CSV)", "standings.csv", "place,id,name,match-points"),
        ("Cross table (CSV)", "cross-table.csv", "row,name,match-points"),
    ],
)
def test_tables_are_saved_without_scripts(
    opened: Opened, server: WebServer, label: str, name: str, header: str
) -> None:
    service = server.service
    players = [service.players.register(person, None) for person in ("Ada", "Brahim")]
    actor, id = Actor(players[0].id, frozenset({"arbiter"})), "a" * 15 + label[0].lower()
    command = CreateTournament(
        name=f"The {id}", variant="katruji", kind="swiss", rounds=1, scoring={"name": "standard"}
    )
    service.tournaments.create(id, command, actor)
    for player in players:
        service.tournaments.execute(id, Enter(player=player.id), actor)
    reader = opened(java_script_enabled=False)
    reader.go(f"/tournaments/{id}")
    with reader.page.expect_download() as told:
        reader.page.get_by_role("link", name=label).click()
    assert told.value.suggested_filename == f"{id}-{name}"
    lines = told.value.path().read_text().splitlines()
    assert lines[0].startswith(header)
    assert len(lines) == 3
    assert any("Brahim" in line for line in lines)
