"""The bundles of the pages' modules hold each module once, and do not change what it does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from service.languages.catalogue import LANGUAGES
from service.pages.bundles import bundle
from service.pages.static_files import is_module, load_static_files

TEMPLATES = Path(__file__).parents[3] / "service" / "pages" / "templates"
SCRIPT = re.compile(r"<script\b")
NAMED = re.compile(r"[\w/-]+\.js")
DEFINED = re.compile(r'^modules\["([^"]+)"\] = ', re.MULTILINE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bundle_has_every_module_once(language: str) -> None:
    files = load_static_files()
    own = f"languages/{language}.js"
    named = [name for name in files if is_module(name)]
    expected = [name for name in named if not name.startswith("languages/") or name == own]
    assert DEFINED.findall(files[f"bundle.{language}.js"].data.decode()) == expected


def test_pages_load_no_module_beside_their_bundle() -> None:
    """A module that a page loaded by itself would exist twice, each with a state of its own."""
    for path in TEMPLATES.rglob("*.html"):
        text = path.read_text().replace('<script type="application/json"', "")
        if text.startswith('{% extends "base.html" %}'):
            assert not SCRIPT.search(text), path


def test_pages_begin_with_modules_that_there_are() -> None:
    for path in TEMPLATES.rglob("*.html"):
        for block in re.findall(r"{% block scripts %}(.*?){% endblock %}", path.read_text(), re.S):
            for name in NAMED.findall(block):
                assert is_module(name)
                assert name in load_static_files()


def test_imports_and_exports_become_calls() -> None:
    made = bundle(
        {
            "a.js": 'import { b as c, d } from "./deep/b.js";\nimport "./e.js";\nc(d);\n',
            "deep/b.js": "export const b = 1;\nexport async function d() {}\n",
            "e.js": 'const { d } = await import("./deep/b.js");\n',
        },
        ("e.js",),
    )
    assert 'const { b: c, d } = modules["deep/b.js"]();\nmodules["e.js"]();\nc(d);\n' in made
    assert "const b = 1;\nasync function d() {}\n\nreturn { b, d };\n" in made
    assert made.index('\n});\nmodules["e.js"]();\n') < made.index("data-modules")


@pytest.mark.parametrize(
    "text",
    [
        "export let changed = 1;\n",
        "export default 1;\n",
        'export { a } from "./b.js";\n',
        'import * as all from "./b.js";\n',
        'import { a } from "https://elsewhere.example/b.js";\n',
        'import { a } from "./missing.js";\n',
        "console.log(import.meta.url);\n",
        "import(name);\n",
    ],
)
def test_what_a_bundle_cannot_say_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"a\.js (?:cannot be bundled|imports)"):
        bundle({"a.js": text, "b.js": "export const a = 1;\n"})
