"""All modules of the pages in one file, so that a page waits only once for a slow network.

A browser that gets modules one by one learns of each from the one that imports it, and requests few
at a time. A bundle has every module once, as a function that is called when it is first needed;
`data-modules` of a page's script element says which modules the page begins with. There is nothing
to build: the service makes the bundles when it starts.

Modules may use only a small part of the language for imports and exports, and anything else is
refused: named imports from relative paths, and exports of declarations that are never reassigned.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Final

IMPORT: Final = re.compile(r'^import (?:\{([^}]*)\} from )?"([^"]+)";$', re.MULTILINE)
LATER: Final = re.compile(r'(?:await )?\bimport\("([^"]+)"\)')
EXPORT: Final = re.compile(
    r"^export (?=(?:async function|function\*?|class|const) (\w+))", re.MULTILINE
)
LEFT: Final = re.compile(r"^(?:import|export)\b.*|\bimport(?:\.meta|\().*", re.MULTILINE)
HEAD: Final = "const once = (make) => { let made; return () => (made ??= make()); };\n"
FOOT: Final = """const own = document.querySelector("script[data-modules]");
for (const name of own.dataset.modules.split(/\\s+/)) {
  try {
    if (name) modules[name]();
  } catch (error) {
    reportError(error);
  }
}
"""


def bundle(modules: Mapping[str, str], first: tuple[str, ...] = ()) -> str:
    """One module made from all these, given by path; those in `first` run before a page's own.

    Raises ValueError for a module with a statement that a bundle cannot express.
    """
    written = [
        f'modules["{name}"] = once(() => {{\n{wrap(name, modules)}}});\n' for name in modules
    ]
    calls = "".join(f'modules["{name}"]();\n' for name in first)
    return f"{HEAD}const modules = {{}};\n{''.join(written)}{calls}{FOOT}"


def wrap(name: str, modules: Mapping[str, str]) -> str:
    """The body of the function that makes a module: it returns what the module exports."""

    def find(path: str) -> str:
        found = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        if not path.startswith(".") or found not in modules:
            raise ValueError(f"{name} imports {path!r}, which is no module of the pages")
        return f'modules["{found}"]()'

    def take(imported: re.Match[str]) -> str:
        names, path = imported[1], find(imported[2])
        return f"const {{{names.replace(' as ', ': ')}}} = {path};" if names else f"{path};"

    text = modules[name]
    exported = EXPORT.findall(text)
    made = LATER.sub(lambda later: find(later[1]), EXPORT.sub("", IMPORT.sub(take, text)))
    if left := LEFT.search(made):
        raise ValueError(f"{name} cannot be bundled: {left[0]}")
    return f"{made}\nreturn {{ {', '.join(exported)} }};\n"
