"""Scripts, style sheets and drawings of the pages, at addresses that change with their content.

All of them are in one folder named after their whole content, `/static/<digest>/`, so that a module
which imports `./board.js` gets the one it was written for. A browser keeps them for a year without
requesting them again. At `/static/`, and in folders of other digests, the present files are found
and checked each time, so that pages that were opened before an update go on working.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from mimetypes import guess_type
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from flask import Blueprint, Response, abort
from werkzeug.routing import BaseConverter

from service.api.conditional_answers import make_conditional
from service.boards.svg import load_style
from service.languages.catalogue import LANGUAGES, SOURCE
from service.languages.scripts import list_scripts
from service.pages.bundles import bundle

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

static_files = Blueprint("static_files", __name__)

BOARD_STYLE: Final = "board.css"
CATALOGUES: Final = "languages/"
BUNDLES: Final = "bundle."
EARLY: Final = "early.js"
"""The script that comes before the modules and is not a module."""
YEAR: Final = 365 * 24 * 3600
DIGITS: Final = 16
TYPES: Final = MappingProxyType({".js": "text/javascript", ".svg": "image/svg+xml"})
"""Types that are missing or different in some systems' tables."""


class DigestConverter(BaseConverter):
    """The digest of a folder of files."""

    regex = f"[0-9a-f]{{{DIGITS}}}"


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file's bytes, their media type and their digest."""

    data: bytes
    type: str
    digest: str


@cache
def load_static_files() -> Mapping[str, StaticFile]:
    """All files by path below `static`, including the boards' style sheet and the catalogues."""
    found = dict(read_folder(files("service.pages").joinpath("static"), PurePosixPath()))
    made = {BOARD_STYLE: load_style().encode(), **list_scripts()}
    found |= {name: make_file(name, data) for name, data in made.items()}
    return MappingProxyType(
        found | {name: make_file(name, data) for name, data in bundle_all(found)}
    )


def bundle_all(files: Mapping[str, StaticFile]) -> Iterator[tuple[str, bytes]]:
    """The bundle of each language: all modules, and that language's texts."""
    modules = {name: file.data.decode() for name, file in files.items() if is_module(name)}
    own = {name: text for name, text in modules.items() if not name.startswith(CATALOGUES)}
    for language in LANGUAGES:
        texts = () if language == SOURCE else (f"{CATALOGUES}{language}.js",)
        known = own | {name: modules[name] for name in texts}
        yield name_bundle(language), bundle(known, texts).encode()


def is_module(name: str) -> bool:
    """Whether a file is a module of the pages."""
    return name.endswith(".js") and name != EARLY and not name.startswith(BUNDLES)


def name_bundle(language: str) -> str:
    """The name of the file with all scripts of the pages in a language."""
    return f"{BUNDLES}{language}.js"


def read_folder(folder: Traversable, path: PurePosixPath) -> list[tuple[str, StaticFile]]:
    """The files of a folder and its subfolders, in order of their names."""
    found: list[tuple[str, StaticFile]] = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        own = path / entry.name
        if entry.is_dir():
            found += read_folder(entry, own)
        else:
            found.append((str(own), make_file(entry.name, entry.read_bytes())))
    return found


def make_file(name: str, data: bytes) -> StaticFile:
    """A file with this name and content."""
    kind = TYPES.get(PurePosixPath(name).suffix) or guess_type(name)[0]
    return StaticFile(data, kind or "application/octet-stream", sha256(data).hexdigest()[:DIGITS])


@cache
def digest_files() -> str:
    """The digest of all files' names and contents."""
    known = sorted((name, file.digest) for name, file in load_static_files().items())
    return sha256(repr(known).encode()).hexdigest()[:DIGITS]


@static_files.app_template_global("static")
def find_static_path(name: str) -> str:
    """The address at which a browser may keep a file; raises KeyError if there is no such file."""
    if name not in load_static_files():
        raise KeyError(name)
    return f"/static/{digest_files()}/{name}"


@static_files.get("/static/<digest:digest>/<path:name>")
def send_kept_file(digest: str, name: str) -> Response:
    """A file, to be cached if it belongs to the folder in the address."""
    kept = digest == digest_files()
    return send_file(name, f"public, max-age={YEAR}, immutable" if kept else "no-cache")


@static_files.get("/static/<path:name>")
def send_current_file(name: str) -> Response:
    """A file as it is now."""
    return send_file(name, "no-cache")


@static_files.get("/board.css")
def send_board_style() -> Response:
    """The style sheet of the boards, at its old address."""
    return send_file(BOARD_STYLE, "no-cache")


def send_file(name: str, kept: str) -> Response:
    """A file, or 404 if there is none with this name."""
    file = load_static_files().get(name)
    if file is None:
        abort(404)
    response = Response(file.data, mimetype=file.type, headers={"Cache-Control": kept})
    response.set_etag(file.digest)
    return make_conditional(response)
