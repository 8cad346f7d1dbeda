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
"""For each script, the writing systems with several scripts that it is part of."""


def mixed_scripts(word: str) -> list[str]:
    """The names of a word's scripts if no single script covers all of it.

    Empty for a word in one script. Characters that all scripts share, such as digits and hyphens,
    do not count; those that several scripts share count for each of them.

    >>> mixed_scripts("Vіctim"), mixed_scripts("日本の"), mixed_scripts("René-2")
    (['Cyrillic', 'Latin'], [], [])
    """
    table = unicode_table()
    used = {scripts for scripts in map(table.scripts, word) if scripts}
    together = [scripts.union(*(WRITTEN_TOGETHER.get(s, ()) for s in scripts)) for scripts in used]
    if not together or frozenset.intersection(*together):
        return []
    return sorted(table.script_names[script] for one in used if len(one) == 1 for script in one)
