"""What the site has beside the pages of this folder: the pages at the top, the contract, and the
pictures of the examples in the rules.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
# The boards are drawn by the packages of this checkout, which need not be installed for that.
sys.path.insert(0, str(ROOT))

from docs.examples import draw_examples, show_examples  # noqa: E402

RULES = "rules/"
"""The folder of the pages with examples."""
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
    for page in sorted(ROOT.joinpath("docs", RULES).glob("*.md")):
        for name, picture in draw_examples(page):
            files.append(File.generated(config, f"{RULES}{name}", content=picture))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Show the examples of the rules as pictures."""
    if not page.file.src_uri.startswith(RULES):
        return markdown
    place = Path(page.file.src_uri.removeprefix(RULES))
    return show_examples(markdown, place.stem, place.parent.name or "en")


def moved_links(text: str) -> str:
    """A page of the top folder with links that hold in the folder `docs`."""
    text = re.sub(r"(\]\(|src=\")docs/", r"\1", text)
    for name, place in PAGES.items():
        text = text.replace(f"]({name}", f"]({place}")
    return text
