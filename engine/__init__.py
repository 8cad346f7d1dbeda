"""Rules of the games, and search over them.

Pure: no text formats (those are `notation`), no input or output, no clock. The kernels
(`engine/*/kernel.py`) are plain Python that a build may compile. With the environment variable
`MOVELOG_PURE` set, the source is used even where a compiled module stands beside it; without it,
compiled modules made from other sources are refused.
"""

import os

from engine.errors import StaleKernels
from engine.source import PURE_VARIABLE, is_stale, use_source

if os.environ.get(PURE_VARIABLE):
    use_source()
elif is_stale():
    raise StaleKernels
