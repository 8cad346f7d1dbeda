"""Words that mix scripts (UTS #39, section 5.1: Single Script, word by word)."""

from __future__ import annotations

from typing import Final

from service.player.names.table import unicode_table

WRITTEN_TOGETHER: Final = {
    "Hani": ("Hanb", "Jpan", "Kore"),
    "Hira": ("Jpan",),
    "Kana": ("Jpan",),
    "Hang": ("Kore",),
    "Bopo": ("Hanb",),
}
"""The writing systems of several scripts that a script is part of."""


def mixed_scripts(word: str) -> list[str]:
    """The names of a word's scripts where there is none in which all of it is written.

    Empty for a word of one script. What all scripts share, such as digits and hyphens, does not
    count, and what several share counts for each.

    >>> mixed_scripts("Vіctim"), mixed_scripts("日本の"), mixed_scripts("René-2")
    (['Cyrillic', 'Latin'], [], [])
    """
    table = unicode_table()
    used = {scripts for scripts in map(table.scripts, word) if scripts}
    together = [scripts.union(*(WRITTEN_TOGETHER.get(s, ()) for s in scripts)) for scripts in used]
    if not together or frozenset.intersection(*together):
        return []
    return sorted(table.script_names[script] for one in used if len(one) == 1 for script in one)
