"""The table of Unicode data, and how it is made."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from service.player.names import generate
from service.player.names.table import FILE, unicode_table

PUBLISHED = {
    "confusables": """\ufeff# confusables.txt
# Version: 99.0.0
0441 ;\t0063 ;\tMA\t# ( с → c ) CYRILLIC → LATIN\t#
03F2 ;\t0063 ;\tMA\t#
006D ;\t0072 006E ;\tMA\t#
""",
    "Scripts": """# Scripts-99.0.0.txt
0041..0042    ; Latin # L&
0430          ; Cyrillic # L&
3031          ; Common # Lm
0301          ; Inherited # Mn
0020          ; Common # Zs
""",
    "ScriptExtensions": """# ScriptExtensions-99.0.0.txt
3031          ; Kana Hira # Lm
""",
    "PropertyValueAliases": """# PropertyValueAliases-99.0.0.txt
gc ; Lu                               ; Uppercase_Letter
sc ; Cyrl                             ; Cyrillic
sc ; Hira                             ; Hiragana
sc ; Kana                             ; Katakana
sc ; Latn                             ; Latin
sc ; Thai                             ; Thai
sc ; Zinh                             ; Inherited                        ; Qaai
sc ; Zyyy                             ; Common
""",
    "DerivedCoreProperties": """# DerivedCoreProperties-99.0.0.txt
0041          ; Alphabetic # L&
200B..200D    ; Default_Ignorable_Code_Point # Cf
""",
}
MADE = [
    "version 99.0.0",
    "confusable 0063 3F2 441",
    "confusable 0072+006E 6D",
    "script Cyrl Cyrillic",
    "script Hira Hiragana",
    "script Kana Katakana",
    "script Latn Latin",
    "used-in Cyrl 430",
    "used-in Hira+Kana 3031",
    "used-in Latn 41-42",
    "ignorable - 200B-200D",
]


def publish(folder: Path, **changed: str) -> None:
    for name, text in (PUBLISHED | changed).items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")


def test_a_table_is_made_of_the_files_that_unicode_publishes(tmp_path: Path) -> None:
    publish(tmp_path)
    generate.main(tmp_path, tmp_path / "made")
    lines = (tmp_path / "made").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# Unicode 99.0.0: ")
    assert [line for line in lines if not line.startswith("#")] == MADE


def test_files_of_two_versions_make_no_table(tmp_path: Path) -> None:
    publish(tmp_path, Scripts="# Scripts-98.0.0.txt\n")
    with pytest.raises(SystemExit, match=r"Scripts.txt is not of Unicode 99.0.0"):
        generate.main(tmp_path, tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_the_table_is_whole_and_says_where_it_is_from() -> None:
    """It has 6,565 characters of confusables.txt and 4,174 that are not drawn; one is both."""
    table = unicode_table()
    assert table.version == "17.0.0"
    assert f"# Unicode {table.version}: " in FILE.read_text(encoding="utf-8")
    assert (len(table.prototypes), len(table.ignorable)) == (10738, 4174)
    assert len(table.script_names) == 172
    assert FILE.with_name("LICENSE-UNICODE.txt").read_text().startswith("UNICODE LICENSE V3")


@pytest.mark.parametrize(
    ("char", "scripts"),
    [
        ("a", {"Latn"}),
        ("é", {"Latn"}),
        ("і", {"Cyrl"}),
        ("漢", {"Hani"}),
        ("ー", {"Hira", "Kana"}),
        ("1", set()),
        ("\u0000", set()),
        ("\U0010ffff", set()),
    ],
)
def test_the_scripts_of_a_character(char: str, scripts: set[str]) -> None:
    assert unicode_table().scripts(char) == scripts


def test_spans_are_in_order_and_apart() -> None:
    spans = unicode_table().spans
    assert all(a[1] < b[0] for a, b in pairwise(spans))
