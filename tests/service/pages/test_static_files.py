"""The pages' files, at addresses that change with their content."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from service.api.responses import CONFINED
from service.boards.svg import load_style
from service.pages.static_files import (
    BOARD_STYLE,
    digest_files,
    find_static_path,
    load_static_files,
)
from tests.service.api.client import Api

PAGES = Path(__file__).parents[3] / "service" / "pages"
STATIC = PAGES / "static"
FILES = sorted(path for path in STATIC.rglob("*") if path.is_file())
NAMES = [str(path.relative_to(STATIC)) for path in FILES]
OTHER = "0" * 16
"""The digest of a folder before an update."""


@pytest.mark.parametrize("name", [*NAMES, "board.css"])
def test_a_file_is_kept_for_a_year_at_its_own_address(api: Api, name: str) -> None:
    answer = api.http.get(find_static_path(name))
    data = load_style().encode() if name == "board.css" else (STATIC / name).read_bytes()
    assert (answer.status_code, answer.data) == (200, data)
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert CONFINED.items() <= dict(answer.headers).items()
    again = api.http.get(find_static_path(name), headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("folder", ["/static", f"/static/{OTHER}", ""])
def test_old_addresses_have_the_file_as_it_is_now(api: Api, folder: str) -> None:
    answer = api.http.get(f"{folder}/board.css")
    assert answer.text == load_style()
    assert answer.headers["Cache-Control"] == "no-cache"
    again = api.http.get(f"{folder}/board.css", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    "path", ["nothing", f"{OTHER}/nothing", "../site.py", "%2e%2e/site.py", "static/main.js", ""]
)
def test_there_is_nothing_else(api: Api, path: str) -> None:
    assert api.http.get(f"/static/{path}").status_code == 404


def test_the_folder_changes_with_what_any_file_says(monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_files()
    load_static_files.cache_clear()
    digest_files.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr("service.pages.static_files.load_style", lambda: "body {}")
        assert digest_files() != before
    load_static_files.cache_clear()
    digest_files.cache_clear()
    assert digest_files() == before


@pytest.mark.parametrize("path", ["/", "/explorer", "/sign-in", "/games/new", "/imports"])
def test_pages_name_files_by_the_addresses_that_are_kept(api: Api, path: str) -> None:
    found = re.findall(r'(?:src|href)="(/static/[^"#]*|/board.css)', api.http.get(path).text)
    assert len(found) >= 4
    assert [name for name in found if not name.startswith(f"/static/{digest_files()}/")] == []


def test_nothing_names_a_file_by_an_address_that_is_looked_at_each_time() -> None:
    """A script imported by `/static/…` would be a second one, with a state of its own."""
    found = [*PAGES.rglob("*.html"), *STATIC.rglob("*.js"), *STATIC.rglob("*.css")]
    assert found
    old = re.compile(r"""["'(]/static/|/board\.css""")
    assert [path for path in found if old.search(path.read_text())] == []


def test_a_template_cannot_name_a_file_that_is_not_there() -> None:
    with pytest.raises(KeyError):
        find_static_path("nothing.js")


def test_no_page_styles_the_parts_of_pieces() -> None:
    """Pieces are drawn with classes of their own, on every page that has a board."""
    drawn = (files("service.boards") / "pieces").iterdir()
    classes = {
        name
        for picture in drawn
        for named in re.findall(r'class="([^"]+)"', picture.read_text())
        for name in named.split()
    }
    assert "sign" in classes
    for name, file in load_static_files().items():
        if name.endswith(".css") and name != BOARD_STYLE:
            selectors = re.findall(r"(?:^|[},])\s*([^{},@]+)(?=[,{])", file.data.decode())
            assert not {f".{one}" for one in classes} & {one.strip() for one in selectors}, name
