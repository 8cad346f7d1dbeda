"""What the site has beside the pages of this folder: the pages at the top, and the contract."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages of the repository's top folder, and where the site has them."""
CONTRACT = "openapi.yaml"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the top folder, their links moved along, and the contract."""
    for name, place in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, place, content=moved_links(text)))
    files.append(File.generated(config, CONTRACT, abs_src_path=str(ROOT / CONTRACT)))
    return files


def moved_links(text: str) -> str:
    """A page of the top folder with links that hold in the folder `docs`."""
    text = re.sub(r"(\]\(|src=\")docs/", r"\1", text)
    for name, place in PAGES.items():
        text = text.replace(f"]({name}", f"]({place}")
    return text
