"""Follows the recipe of `docs/adding-a-game.md` for Quadrille in a copy of the repository.

    python -m tests.fifth_game.recipe FOLDER

makes such a copy, with five games.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Final

from tests.project.tree import ROOT

HERE: Final = Path(__file__).parent
COPIED: Final = (
    "benchmarks",
    "docs",
    "engine",
    "notation",
    "service",
    "tests",
    "training",
    "workers",
    "conftest.py",
    "mkdocs.yml",
    "openapi.yaml",
    "pyproject.toml",
    "setup.py",
)
BUILT: Final = shutil.ignore_patterns("*.so", "*.c", "*.sha256", "__pycache__")

FILES: Final = {
    "variant.py": "engine/quadrille/__init__.py",
    "board.py": "engine/quadrille/board.py",
    "kernel.py": "engine/quadrille/kernel.py",
    "kernel.pxd": "engine/quadrille/kernel.pxd",
    "tree.py": "engine/quadrille/tree.py",
    "tree.pxd": "engine/quadrille/tree.pxd",
    "dialect.py": "notation/quadrille.py",
    "drawing.py": "service/boards/quadrille.py",
    "pieces.svg": "service/boards/pieces/quadrille.svg",
    "rules.md": "docs/rules/quadrille.md",
    "data/records.pgn": "tests/data/records/quadrille.pgn",
    "data/problems.txt": "tests/data/problems/quadrille.txt",
}
"""Where the recipe puts each new file."""

MODULES: Final = {
    "tests.fifth_game": "engine.quadrille",
    "tests.fifth_game.variant": "engine.quadrille",
    "tests.fifth_game.board": "engine.quadrille.board",
    "tests.fifth_game.kernel": "engine.quadrille.kernel",
    "tests.fifth_game.tree": "engine.quadrille.tree",
    "tests.fifth_game.dialect": "notation.quadrille",
}
"""The modules' names in the copy."""

EDITS: Final = {
    "engine/registry.py": [
        ("from engine.variant import", "from engine.quadrille import QUADRILLE\n"),
        (")}\n)", ", QUADRILLE"),
    ],
    "notation/registry.py": [
        ("\nDIALECTS:", "from notation.quadrille import QUADRILLE_DIALECT\n"),
        (")}\n)", ", QUADRILLE_DIALECT"),
    ],
    "service/boards/registry.py": [
        ("\nBOARDS:", "from service.boards.quadrille import QuadrilleBoard\n"),
        ("    }\n)", '        "quadrille": QuadrilleBoard(),\n'),
    ],
    "benchmarks/problems.py": [('    "kerd-draft": {1', '    "quadrille": {1: 6, 3: 18, 5: 6},\n')],
    "mkdocs.yml": [("  - Running it:", "      - Quadrille: rules/quadrille.md\n")],
    "openapi.yaml": [("katruji], description: A game", "quadrille, ")],
}
"""What the recipe adds to shared files, each with the text before which it is inserted."""

APPENDED: Final = {
    "data/perft.txt": "tests/data/perft.txt",
    "data/searches.txt": "tests/data/searches.txt",
}
"""Lines that the recipe appends to shared files."""


def make_copy(folder: Path) -> None:
    """Copy the repository into a new folder, and add Quadrille as the recipe says."""
    folder.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=BUILT)
        else:
            shutil.copy(ROOT / name, folder / name)
    for source, target in FILES.items():
        text = (HERE / source).read_text(encoding="utf-8")
        for here, there in MODULES.items():
            text = text.replace(f"from {here} ", f"from {there} ")
        (folder / target).parent.mkdir(exist_ok=True)
        (folder / target).write_text(text, encoding="utf-8")
    for target, additions in EDITS.items():
        text = (folder / target).read_text(encoding="utf-8")
        for before, added in additions:
            head, found, tail = text.partition(before)
            if not found:
                raise ValueError(f"{target} has no {before!r}")
            text = head + added + found + tail
        (folder / target).write_text(text, encoding="utf-8")
    for source, target in APPENDED.items():
        with (folder / target).open("a", encoding="utf-8") as file:
            file.write((HERE / source).read_text(encoding="utf-8"))


if __name__ == "__main__":
    make_copy(Path(sys.argv[1]))
