"""Which form of the kernels runs: compiled, or the source that stands beside it.

A compiled module shadows the `.py` it was made from. With `MOVELOG_PURE` set to anything, the
finder below comes first and loads the source. Without it, compiled modules made from sources other
than those beside them are refused, so that what runs is what is read.

The build runs this file by its path, before there is a package, so it imports none of it.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

PURE_VARIABLE = "MOVELOG_PURE"
STAMP = "compiled.sha256"
"""The file in the engine's folder with the digest of the sources that were compiled, and the
names of the modules that were made: none where no compiler works."""
CONSTANTS = ("action", "board", "layout", "naming", "pieces")
"""The modules whose integers are given to the compiler where a kernel imports them by name."""


class SourceKernels:
    """A finder (PEP 451) that finds the source of each module with a `.pxd` beside it."""

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a kernel's source; None for every other module."""
        if not fullname.startswith("engine."):
            return None
        for folder in path or ():
            source = Path(folder, fullname.rpartition(".")[2] + ".py")
            if source.with_suffix(".pxd").exists():
                return spec_from_file_location(fullname, source)
        return None


def use_source() -> None:
    """Load kernels from source from now on; those already imported stay as they are."""
    sys.meta_path.insert(0, SourceKernels)


def is_compiled(kernel_type: type) -> bool:
    """Whether a class, such as that of a position, comes from a compiled module.

    >>> is_compiled(SourceKernels)
    False
    """
    origin = sys.modules[kernel_type.__module__].__file__
    return origin is not None and not origin.endswith(".py")


def kernel_types(folder: Path) -> list[Path]:
    """The `.pxd` of each kernel in the engine's folder, in order."""
    return [types for types in list_types(folder) if types.with_suffix(".py").exists()]


def list_types(folder: Path) -> list[Path]:
    """All `.pxd` in the engine's folder, in order: those of kernels, and what they include."""
    return sorted(folder.glob("**/*.pxd"))


def digest_kernels(folder: Path) -> str:
    """The SHA-256, in hexadecimal, of the names and contents of all files kernels are made from."""
    digest = hashlib.sha256()
    types = list_types(folder)
    sources = [file.with_suffix(".py") for file in types]
    constants = [file for name in CONSTANTS for file in sorted(folder.glob(f"**/{name}.py"))]
    for file in filter(Path.exists, (*types, *sources, *constants)):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(folder).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def is_stale(folder: Path = Path(__file__).parent) -> bool:
    """Whether a kernel in the engine's folder was compiled from sources other than those there."""
    compiled = (
        types.with_suffix(suffix) for types in kernel_types(folder) for suffix in EXTENSION_SUFFIXES
    )
    if not any(file.exists() for file in compiled):
        return False
    return read_stamp(folder)[0] != digest_kernels(folder)


def is_to_compile(folder: Path = Path(__file__).parent) -> bool:
    """Whether kernels were never compiled, compiled from other sources, or deleted since."""
    digest, compiled = read_stamp(folder)
    return digest != digest_kernels(folder) or not all((folder / one).exists() for one in compiled)


def write_stamp(folder: Path, digest: str, compiled: Sequence[Path]) -> None:
    """Record in the engine's folder the sources' digest and the modules compiled from them."""
    names = (module.relative_to(folder).as_posix() for module in compiled)
    (folder / STAMP).write_text("".join(f"{line}\n" for line in (digest, *names)), "ascii")


def read_stamp(folder: Path) -> tuple[str, list[str]]:
    """The digest of the sources, "" where none is recorded, and the modules made from them."""
    stamp = folder / STAMP
    digest, *compiled = stamp.read_text("ascii").splitlines() if stamp.exists() else [""]
    return digest, compiled
