"""Rules of the games, and search over them.

Pure: no text formats (those are `notation`), no input or output, no clock. The kernels
(`engine/*/kernel.py`) are plain Python that a build may compile; with the environment variable
`MOVELOG_PURE` set, the source is used even where a compiled module stands beside it.
"""

import os

from engine.source import PURE_VARIABLE, use_source

if os.environ.get(PURE_VARIABLE):
    use_source()
