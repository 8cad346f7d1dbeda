"""The identity of the search: results are comparable where the build is the same."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

from engine.learned.files import network_path

ENGINE = Path(__file__).parent.parent
SOURCES = (
    "search/*.py",
    "exchange.py",
    "tree.py",
    "world.py",
    "*/tree.py",
    "*/evaluation.py",
    "*/piece_squares.py",
    "*/exchange.py",
    "*/terms.py",
    "*/worlds.py",
    "*/features.py",
    "*/layout.py",
    "*/network.py",
    "*/__init__.py",
)
"""What results depend on besides the rules, whose versions the games' `__init__` name."""


@cache
def build_id() -> str:
    """A short digest over the search, the evaluations, their networks and the rules' versions.

    Twelve hexadecimal digits, the same compiled and pure.
    """
    digest = sha256()
    for path in sorted(map(network_path, ENGINE.iterdir())):
        if path.exists():
            digest.update(f"{path.parent.name}/{path.name}".encode())
            digest.update(path.read_bytes())
    for path in sorted({path for pattern in SOURCES for path in ENGINE.glob(pattern)}):
        digest.update(path.relative_to(ENGINE).as_posix().encode())
        digest.update(path.read_text(encoding="utf-8").encode())
    return digest.hexdigest()[:12]
