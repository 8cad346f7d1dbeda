"""Compiles the kernels: every module of `engine` that has a `.pxd` beside it.

The result works with every CPython from 3.11 on (limited API). Without a working compiler the same
files run as they are, slower.
"""

from __future__ import annotations

import ast
import os
import runpy
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ENGINE = Path("engine")
SOURCE = runpy.run_path("engine/source.py")
MODULES = tuple(f".{name}" for name in SOURCE["CONSTANTS"])
DIRECTIVES = {
    "language_level": 3,
    "infer_types": True,
    "annotation_typing": False,
    "binding": False,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": False,
}
OPTIMIZATION = [] if "-O" in os.environ.get("CFLAGS", "") else ["-O3"]
"""Empty if CFLAGS has a level: gcc uses the last one, so ours would override it."""


def read_constants(kernel: Path) -> dict[str, int]:
    """The integers that a kernel imports from its game's constants, compiled as literals.

    Otherwise they would be variables in C, read again at every use.
    """
    os.environ[SOURCE["PURE_VARIABLE"]] = "1"  # earlier compiled modules may be stale
    if (root := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, root)
    constants: dict[str, int] = {}
    for node in ast.parse(kernel.read_bytes()).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).endswith(MODULES):
            module = import_module(str(node.module))
            for name in node.names:
                value = getattr(module, name.name)
                if isinstance(value, int):
                    constants[name.asname or name.name] = int(value)
    return constants


class BuildKernels(build_ext):
    """`build_ext`, on all cores, that leaves a kernel in plain Python when it can't be compiled.

    It compiles everything, whatever the files' times, and records the digest of the sources.
    """

    def initialize_options(self) -> None:
        super().initialize_options()
        self.parallel = True
        self.force = True

    def run(self) -> None:
        digest = SOURCE["digest_kernels"](ENGINE)
        super().run()
        if self.extensions:
            folder = Path(self.get_ext_fullpath("engine.kernel")).parent
            made = (Path(self.get_ext_fullpath(ext.name)) for ext in self.extensions)
            SOURCE["write_stamp"](folder, digest, list(filter(Path.exists, made)))

    def build_extensions(self) -> None:
        from Cython.Build import cythonize

        for ext in self.extensions:
            [in_c] = cythonize(
                [ext],
                compiler_directives=DIRECTIVES,
                compile_time_env=read_constants(Path(ext.sources[0])),
                force=True,
                quiet=True,
            )
            ext.sources = in_c.sources
        super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        try:
            super().build_extension(ext)
        except Exception as failure:  # a failing or missing compiler may raise anything
            self.warn(f"{ext.name} stays in plain Python, which is slower: {failure}")
            Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)
            ext.optional = True  # so that setuptools does not expect the file


class BuildPackages(build_py):
    """`build_py` that copies the contract and the rules from the checkout into the service."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        for name in (
            "openapi.yaml",
            "docs/rulings.md",
            *map(str, Path("docs/rules").rglob("*.md")),
        ):
            if Path(name).exists():
                target = Path(self.build_lib, "service", name)
                self.mkpath(target.parent.as_posix())
                self.copy_file(name, target.as_posix())


def kernels() -> list[Extension]:
    """An extension for each kernel; none without Cython."""
    if find_spec("Cython") is None:
        return []
    return [
        Extension(
            ".".join(source.with_suffix("").parts),
            [source.as_posix()],
            extra_compile_args=[*OPTIMIZATION, "-Wno-unused-const-variable"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
        )
        for types in SOURCE["kernel_types"](ENGINE)
        for source in [types.with_suffix(".py")]
    ]


setup(
    cmdclass={"build_ext": BuildKernels, "build_py": BuildPackages},
    ext_modules=kernels(),
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
