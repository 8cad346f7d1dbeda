"""The files of the repository, as git lists them."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


@cache
def text_files() -> dict[str, str]:
    """The text of every tracked or new, unignored file, by its path from the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    texts = {}
    for name in listed.stdout.split("\0"):
        path = ROOT / name
        if name and path.is_file():
            content = path.read_bytes()
            if b"\0" not in content:
                texts[name] = content.decode("utf-8", errors="replace")
    return texts


@cache
def parsed(name: str) -> ast.Module:
    """A module's syntax tree."""
    return ast.parse(text_files()[name])


def name_called(call: ast.Call) -> str:
    """The last part of the name of what is called; empty if it has no name."""
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))
