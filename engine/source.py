"""Which form of the kernels runs: compiled, or the source that stands beside it.

A compiled module shadows the `.py` it was made from. With `MOVELOG_PURE` set to anything, the
finder below comes before it and loads the source.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

PURE_VARIABLE = "MOVELOG_PURE"


class SourceKernels:
    """A finder (PEP 451) that answers for each module with a `.pxd` beside it with its source."""

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
