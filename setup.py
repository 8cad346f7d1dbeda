"""Compiles the kernels: every module of `engine` that has a `.pxd` beside it.

The result serves every CPython from 3.11 on (limited API). Where no compiler works, the same
files run as they are, slower.
"""

from __future__ import annotations

from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

DIRECTIVES = {
    "language_level": 3,
    "infer_types": True,
    "annotation_typing": False,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": False,
}


class BuildKernels(build_ext):
    """`build_ext`, on all cores, that leaves a kernel in plain Python when it can't be compiled."""

    def initialize_options(self) -> None:
        super().initialize_options()
        self.parallel = True

    def build_extension(self, ext: Extension) -> None:
        try:
            super().build_extension(ext)
        except Exception as failure:  # whatever a compiler or its absence may raise
            self.warn(f"{ext.name} stays plain Python, slower: {failure}")
            Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)
            ext.optional = True  # setuptools then misses nothing


class BuildPackages(build_py):
    """`build_py` that puts the contract, which a checkout has at its top, into the service."""

    def run(self) -> None:
        super().run()
        contract = Path("openapi.yaml")
        if contract.exists() and not self.editable_mode:
            self.copy_file(contract.as_posix(), f"{self.build_lib}/service/openapi.yaml")


def kernels() -> list[Extension]:
    """An extension for each kernel, none without Cython."""
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    extensions = [
        Extension(
            ".".join(source.with_suffix("").parts),
            [source.as_posix()],
            extra_compile_args=["-O3", "-Wno-unused-const-variable"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
        )
        for types in sorted(Path("engine").glob("**/*.pxd"))
        for source in [types.with_suffix(".py")]
    ]
    return list(cythonize(extensions, compiler_directives=DIRECTIVES, quiet=True))


setup(
    cmdclass={"build_ext": BuildKernels, "build_py": BuildPackages},
    ext_modules=kernels(),
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
