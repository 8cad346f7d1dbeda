"""Which names are likely to belong to one person, and why."""

from __future__ import annotations

import pytest

from service.player.names.words import words
from service.projection.spellings import find_resemblance


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("Ng, Ada", "Ada Ng", "same-words"),
        ("ada ng", "ADA  NG.", "same-words"),
        ("Zoë Łukasz", "Zoe Łukasz", "same-words"),
        ("Jan de Boer", "DeBoer, Jan", "same-words"),
        ("B, A", "A. B.", "same-words"),
        ("A. Ng", "Ng, Ada", "initials"),
        ("A. B. King", "Ada Bea King", "initials"),
        ("King, B. A.", "Ada Bea King", "initials"),
        ("Ada B. King", "A. King", "initials"),
        ("Ada Lovelace", "Ada Lovelcae", "typing-error"),
        ("Carla Müller", "Carla Mueller", "typing-error"),
        ("Ada Lovelace", "Adda Lovelace", None),
        ("Brahim King", "Brahym King", "typing-error"),
        ("Philidor", "Philidro", "typing-error"),
        ("Ada Mary King", "Ada King", "more-words"),
        ("Ada", "Ada King", None),
        ("Ada King", "Ada Lovelace", None),
        ("Ada King", "Eve King", None),
        ("A. King", "Eve King", None),
        ("A. K.", "Ada K.", None),
        ("Philidor", "Stamma", None),
        ("Stamma", "Ztamma", "typing-error"),
        ("Stamma", "Tsamma", "typing-error"),
        ("Stamma", "Stmma", None),
        ("Philidor", "Pilidor", "typing-error"),
        ("Philidor", "Phhilidor", "typing-error"),
        ("Philidor", "Fphilidor", "typing-error"),
        ("Philidor", "Pjiledor", None),
        ("X" + "a" * 30, "Y" + "a" * 30, None),
        ("Ada", "Ida", None),
    ],
)
def test_names_resemble_each_other_either_way(one: str, other: str, reason: str | None) -> None:
    for left, right in ((one, other), (other, one)):
        found = find_resemblance(words(left), words(right))
        assert (found and found.reason) == reason
