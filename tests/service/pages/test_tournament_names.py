"""Pages name tie-breaks, byes and sides as people do, not as the API spells them."""

from __future__ import annotations

import pytest

from engine.registry import VARIANTS
from service.languages.catalogue import LANGUAGES
from service.languages.texts import use_language
from service.pages.api_reference import list_values
from service.pages.tournament_names import BYES, KINDS, TERMS, find_initial
from service.tournament.table import BYES as MARKS
from tests.contracts.document import schema
from tests.service.api.client import Api
from tests.service.pages.visitor import Visitor


@pytest.mark.parametrize(("enumeration", "names"), [("Term", TERMS), ("TournamentKind", KINDS)])
def test_everything_of_the_contract_has_a_name(enumeration: str, names: dict[str, str]) -> None:
    named, contract = list(names), list_values(enumeration)
    assert named == contract, (
        f"left: service/pages/tournament_names.py; right: the contract, {enumeration} of "
        "openapi.yaml, which `make contract` writes from docs/openapi/: run it after a change there"
    )


def test_the_form_takes_names_as_long_as_the_api(api: Api) -> None:
    longest = schema("NewTournament")["properties"]["name"]["maxLength"]
    visitor = Visitor(api, api.player("Ruth", "arbiter"))
    assert f'name="name" required maxlength="{longest}"' in visitor.open("/tournaments/new")


def test_every_bye_has_a_name() -> None:
    assert BYES.keys() == MARKS


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_each_side_has_a_letter_of_its_own(variant: str, language: str) -> None:
    with use_language(language):
        letters = {find_initial(side) for side in VARIANTS[variant].sides}
    assert len(letters) == 2


def test_standings_are_headed_by_names(api: Api) -> None:
    arbiter = api.player("Ruth", "arbiter")
    rules = {
        "name": "Cup",
        "variant": "kerak",
        "kind": "round-robin",
        "order": ["match-points", "sonneborn-berger", "buchholz-cut-1"],
    }
    made = api.post("/tournaments", rules, arbiter).json
    assert made
    path = f"/tournaments/{made['id']}"
    page = Visitor(api).open(path) + Visitor(api).open(f"{path}/standings")
    for name in ("Match points", "Sonneborn-Berger", "Buchholz Cut-1", "Round robin"):
        assert name in page
    assert "sonneborn berger" not in page
