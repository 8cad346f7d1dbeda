"""Every term is in each place that `docs/adding-a-tie-break.md` names."""

from __future__ import annotations

import re

import pytest

from service.pages.tournament_names import TERMS as PAGE_NAMES
from service.tournament.standings.parts import PARTS
from service.tournament.standings.term import RULES, RankTerm
from service.tournament.trf.conversion import TERMS as CODES
from tests.contracts.document import schema
from tests.project.tree import text_files

ROW = re.compile(r"^\| ((?:`[\w-]+`(?:, )?)+) \| .+ \| (.+) \|$", re.MULTILINE)
"""A row of the table of terms: the terms, the rule, a code for each."""


def documented() -> dict[str, str]:
    """The codes by term in the table of `docs/tournaments.md`."""
    section = text_files()["docs/tournaments.md"].partition("## Standings and tie-breaks")[2]
    found: dict[str, str] = {}
    for terms, codes in ROW.findall(section.partition("**Editions.**")[0]):
        found |= zip(re.findall(r"`(.+?)`", terms), codes.split(", "), strict=True)
    return found


@pytest.mark.parametrize("term", RankTerm)
def test_a_term_has_its_places(term: RankTerm) -> None:
    missing = [
        place
        for place, has in {
            "RULES in term.py": term in RULES,
            "PARTS in parts.py": term in PARTS or term is RankTerm.DIRECT_ENCOUNTER,
            "TERMS in trf/conversion.py": term in CODES,
            "TERMS in pages/tournament_names.py": term.value in PAGE_NAMES,
            "Term in docs/openapi/tournaments.yaml": term.value in schema("Term")["enum"],
            "the table of docs/tournaments.md": term.value in documented(),
        }.items()
        if not has
    ]
    assert not missing, f"{term.value} is missing; see docs/adding-a-tie-break.md"


def test_an_order_may_name_every_term() -> None:
    assert schema("NewTournament")["properties"]["order"]["maxItems"] == len(RankTerm)


def test_the_page_tells_the_codes_of_reports() -> None:
    told = {term.value: f"`{code}`" if code else "none" for term, code in CODES.items()}
    assert documented() == told


def test_no_two_terms_share_a_code() -> None:
    codes = [code for code in CODES.values() if code]
    assert len(codes) == len(set(codes))
