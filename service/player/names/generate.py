"""Makes `unicode.txt` from files that Unicode publishes; run by hand for a new version of Unicode.

    python -m service.player.names.generate FOLDER

FOLDER holds `confusables.txt` (UTS #39) and `Scripts.txt`, `ScriptExtensions.txt`,
`PropertyValueAliases.txt` and `DerivedCoreProperties.txt` (UCD), all of one version.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from service.player.names.table import FILE

HEAD: Final = """\
# Unicode {version}: what names are judged by, made by service/player/names/generate.py.
#
# From confusables.txt (Unicode Security Mechanisms, UTS #39), Scripts.txt, ScriptExtensions.txt,
# PropertyValueAliases.txt and DerivedCoreProperties.txt (Unicode Character Database); no other
# change than leaving out and grouping. Copyright (c) 1991-2025 Unicode, Inc. Used under the Unicode
# License v3 (SPDX: Unicode-3.0), see LICENSE-UNICODE.txt beside this file.
#
# version     of Unicode
# confusable  prototype, then the characters it stands for
# script      short name, long name
# used-in     short names, joined by +, then the characters of these scripts; Common, Inherited
#             and unassigned characters are in no line
# ignorable   characters that are not drawn (Default_Ignorable_Code_Point)
"""


def main(folder: Path, target: Path) -> None:
    """Write the table made from the files in the folder."""
    version = re.findall(r"^# Version: (\S+)", _read(folder, "confusables"), re.MULTILINE)[0]
    for name in ("Scripts", "ScriptExtensions", "DerivedCoreProperties"):
        if f"# {name}-{version}.txt" not in _read(folder, name):
            raise SystemExit(f"{name}.txt is not of Unicode {version}")
    lines = [f"version {version}", *_confusables(folder), *_scripts(folder), *_ignorable(folder)]
    target.write_text(HEAD.format(version=version) + "\n".join(lines) + "\n", encoding="utf-8")


def _confusables(folder: Path) -> Iterator[str]:
    sources = defaultdict(list)
    for source, prototype, _ in _rows(_read(folder, "confusables")):
        sources[prototype.replace(" ", "+")].append(int(source, 16))
    for prototype, points in sorted(sources.items()):
        yield f"confusable {prototype} {_ranges(points)}"


def _scripts(folder: Path) -> Iterator[str]:
    names = {}
    for kind, short, long, *_ in _rows(_read(folder, "PropertyValueAliases")):
        if kind == "sc":
            names[long] = short
    used_in = {p: names[long] for p, long in _points(_read(folder, "Scripts"))}
    used_in |= {
        p: "+".join(sorted(shorts.split()))
        for p, shorts in _points(_read(folder, "ScriptExtensions"))
    }
    points = defaultdict(list)
    for point, scripts in used_in.items():
        if scripts not in ("Zyyy", "Zinh"):
            points[scripts].append(point)
    known = {short for scripts in points for short in scripts.split("+")}
    for long, short in sorted(names.items()):
        if short in known:
            yield f"script {short} {long}"
    for scripts, members in sorted(points.items()):
        yield f"used-in {scripts} {_ranges(members)}"


def _ignorable(folder: Path) -> Iterator[str]:
    points = _points(_read(folder, "DerivedCoreProperties"))
    found = [p for p, name in points if name == "Default_Ignorable_Code_Point"]
    yield f"ignorable - {_ranges(found)}"


def _read(folder: Path, name: str) -> str:
    return (folder / f"{name}.txt").read_text(encoding="utf-8-sig")


def _rows(text: str) -> Iterator[list[str]]:
    """The fields of each line of one of Unicode's files."""
    for line in text.splitlines():
        fields = [field.strip() for field in line.partition("#")[0].split(";")]
        if len(fields) > 1:
            yield fields


def _points(text: str) -> Iterator[tuple[int, str]]:
    """Each character of a file with its value there."""
    for points, value, *_ in _rows(text):
        first, _, last = points.partition("..")
        for point in range(int(first, 16), int(last or first, 16) + 1):
            yield point, value


def _ranges(points: Iterable[int]) -> str:
    """Characters as hexadecimal ranges.

    >>> _ranges([67, 65, 66, 97])
    '41-43 61'
    """
    found: list[list[int]] = []
    for point in sorted(points):
        if found and found[-1][1] == point - 1:
            found[-1][1] = point
        else:
            found.append([point, point])
    return " ".join(f"{a:X}" if a == b else f"{a:X}-{b:X}" for a, b in found)


if __name__ == "__main__":
    main(Path(sys.argv[1]), FILE)
