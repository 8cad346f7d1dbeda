"""The documentation site is complete, self-contained, and has no dead links."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.project.tree import ROOT

LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}
NOT_LOADED = {"canonical", "next", "prev"}
"""Link relations in a page's head that a browser does not load."""
FOREIGN = re.compile(r"(?:https?:)?//")
SOURCES = (
    *("docs", "mkdocs.yml", "openapi.yaml", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"),
    *("engine", "notation", "service"),
)

pytestmark = pytest.mark.slow


def build(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("mkdocs")), "build", "--strict"]
    return subprocess.run(
        [*command, "--site-dir", str(target)],
        cwd=source,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    run = build(ROOT, target)
    assert run.returncode == 0, run.stdout + run.stderr
    return target


class Loads(HTMLParser):
    """Collects the addresses that a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        address = given.get(LOADED.get(tag, ""))
        if address is not None and given.get("rel") not in NOT_LOADED:
            self.found.append(address)


def loads(page: Path) -> list[str]:
    parser = Loads()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser.found


def test_every_page_is_in_the_site(site: Path) -> None:
    pages = {
        path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")
    }
    assert len(pages) > 10
    assert [page for page in pages if not (site / page / "index.html").exists()] == []
    assert (site / "architecture" / "index.html").exists()
    assert (site / "openapi.yaml").read_bytes() == (ROOT / "openapi.yaml").read_bytes()


def test_the_site_loads_nothing_from_other_hosts(site: Path) -> None:
    loaded = {page: loads(page) for page in site.rglob("*.html")}
    assert len(loaded) > 15
    assert all(loaded.values())
    foreign = [one for found in loaded.values() for one in found if FOREIGN.match(one)]
    foreign += [
        found.group()
        for style in site.rglob("*.css")
        for found in re.finditer(
            r"(?:url\(|@import )[\"']?(?:https?:)?//[^)\"']*", style.read_text(encoding="utf-8")
        )
    ]
    assert foreign == []


@pytest.mark.parametrize("wrong", ["[dead](nowhere.md)", "[dead](api.md#nowhere)"])
def test_a_dead_link_is_refused(wrong: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in (*SOURCES, "CHANGELOG.md"):
        source = ROOT / name
        shutil.copytree(source, copy / name) if source.is_dir() else shutil.copy(source, copy)
    with (copy / "docs" / "pages.md").open("a") as page:
        page.write(f"\n{wrong}\n")
    run = build(copy, tmp_path / "site")
    assert run.returncode != 0
    assert "nowhere" in run.stderr
