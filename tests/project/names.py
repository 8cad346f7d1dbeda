"""The names that texts mention, and those that the tree has."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import PurePath

from tests.project.tree import parsed, text_files

TOP = ("engine", "notation", "service", "workers", "training", "tests", "benchmarks", "docs")
TOP_FOLDERS = tuple(f"{top}/" for top in TOP)
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/*.md")
CODE_SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
SUFFIXES = "py|pxd|lua|md|toml|yaml|css|svg|html|js|txt|c|pgn"
DOCTEST = re.compile(r"^ *>>>.*?(?:\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)
PLACEHOLDER = re.compile(r"<\w+>|\b[A-Z]{3,}\b")
"""A placeholder for any name in a path: `<game>`, `VARIANT`."""
PATH = re.compile(
    rf"(?<![\w/.$}}…-])([\w<>*-]+(?:/[\w<>*.-]+)*\.(?:{SUFFIXES})|(?:{'|'.join(TOP)})(?:/[\w.<>*-]+)+/?)"
    r"(?![\w/(]|\.\w)"
)
FOLDER = re.compile(r"(?<![\w/.<-])([a-z_]+/)(?![\w<*.…])")
MODULE = re.compile(
    rf"(?<![\w/.-])((?:{'|'.join(TOP)})(?!\.(?:{SUFFIXES})\b)(?:\.[A-Za-z_]\w*)+)(?![\w(/])"
)
SNAKE = re.compile(r"[a-z]+(?:_[a-z]+)+")
MODULE_NAME = re.compile(r"[a-z][a-z_]+")
WORD = re.compile(r"[A-Za-z_]{3,}")
CLASS = re.compile(r"(?<![\w.@/#-])([A-Z][a-z]+(?:[A-Z][a-z]+)+)(?![\w/])")


@cache
def files() -> tuple[str, ...]:
    """The paths of the repository's files."""
    return tuple(text_files())


@cache
def paths() -> frozenset[str]:
    """The paths of files and folders."""
    parents = {str(one) for name in files() for one in PurePath(name).parents}
    return frozenset({*files(), *parents})


@cache
def path_ends() -> frozenset[str]:
    """The paths of files and folders, and every suffix of these paths."""
    return frozenset(
        "/".join(parts[at:])
        for parts in (PurePath(path).parts for path in paths())
        for at in range(len(parts))
    )


def documents() -> list[str]:
    """The names of the documents, except the changelog, which describes the past."""
    return [name for name in files() if any(fnmatch(name, pattern) for pattern in DOCUMENTS)]


def told(name: str) -> Iterator[ast.Constant]:
    """The docstrings of a module, and the bare strings that document its constants."""
    left: list[ast.AST] = [parsed(name)]
    while left:
        for node in getattr(left.pop(), "body", ()):
            match node:
                case ast.Expr(value=ast.Constant(value=str()) as constant):
                    yield constant
                case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                    left.append(node)


def docstrings(name: str) -> Iterator[str]:
    """The texts of a module's docstrings."""
    return (str(constant.value) for constant in told(name))


def code(name: str) -> str:
    """A module without its docstrings and comments."""
    lines = text_files()[name].splitlines()
    for constant in told(name):
        for line in range(constant.lineno - 1, constant.end_lineno or constant.lineno):
            lines[line] = ""
    return "\n".join(
        line.partition(" # ")[0] for line in lines if not line.lstrip().startswith("#")
    )


def code_spans(text: str) -> Iterator[str]:
    """The contents of code spans outside of fenced blocks."""
    for found in CODE_SPAN.finditer(FENCE.sub("", text)):
        yield " ".join(found[2].split())


def is_path(mentioned: str, folder: str = "") -> bool:
    """Whether the tree has a path: from its top, from a folder, or as the end of another path."""
    plain = mentioned.rstrip("/")
    return has_path(plain, folder) or has_path(PLACEHOLDER.sub("*", plain), folder)


@cache
def has_path(pattern: str, folder: str) -> bool:
    """Whether a path matches the pattern, from the top, from the folder, or as an end."""
    if not set(pattern) & set("*?["):
        return pattern in (paths() if pattern.startswith(TOP_FOLDERS) else path_ends())
    if pattern.startswith(TOP_FOLDERS):
        return any(fnmatch(path, pattern) for path in paths())
    ends = (pattern, f"*/{pattern}", f"{folder}/{pattern}")
    return any(fnmatch(path, end) for path in paths() for end in ends)


def paths_astray(row: str) -> list[str]:
    """The paths in a table row that start neither at the top nor in a folder named earlier."""
    folders: list[str] = []
    wrong: list[str] = []
    for span in code_spans(row):
        for mentioned in PATH.findall(span):
            path = PLACEHOLDER.sub("*", mentioned.rstrip("/"))
            if any(fnmatch(one, f"{at}{path}") for one in paths() for at in ("", *folders)):
                folder = path if mentioned.endswith("/") else str(PurePath(path).parent)
                folders.append(f"{folder}/")
            else:
                wrong.append(mentioned)
        if FOLDER.fullmatch(span):
            folders.append(span)
    return wrong


def is_module(mentioned: str) -> bool:
    """Whether a dotted name is a package, a module, or a name that a module defines."""
    parts = mentioned.split(".")
    for count in range(len(parts), 0, -1):
        place = "/".join(parts[:count])
        module = f"{place}.py" if f"{place}.py" in paths() else f"{place}/__init__.py"
        if module in paths():
            rest = parts[count:]
            return not rest or rest[0] in defined(module)
    return False


@cache
def defined(name: str) -> frozenset[str]:
    """The names that a module defines or imports."""
    found: set[str] = set()
    for node in ast.walk(parsed(name)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
    return frozenset(found)


@cache
def members(package: str) -> frozenset[str]:
    """The modules of a package, and all names that they define."""
    inside = [name for name in files() if name.startswith(f"{package}/")]
    parts = {PurePath(PurePath(name).relative_to(package).parts[0]).stem for name in inside}
    return frozenset(parts).union(*(defined(name) for name in inside if name.endswith(".py")))


@cache
def words() -> frozenset[str]:
    """Every word in code and in files other than documents, the builtins, the standard modules."""
    found = {PurePath(name).stem for name in files()} | set(dir(builtins))
    for name, text in text_files().items():
        if not name.endswith(".md"):
            found |= set(re.findall(r"\w+", code(name) if name.endswith(".py") else text))
    return frozenset(found | sys.stdlib_module_names)
