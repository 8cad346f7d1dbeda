"""Progress bars on standard error, shown only if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from tqdm import tqdm


def make_progress_bar(total: int | None, unit: str, *, bytes: bool = False) -> tqdm[NoReturn]:
    """A bar to `update()` up to `total`, hidden unless standard error is a terminal.

    Use it as a context manager, and print through `say` meanwhile.
    """
    return tqdm(
        total=total,
        unit=unit,
        unit_scale=bytes,
        unit_divisor=1024 if bytes else 1000,
        disable=not sys.stderr.isatty(),
        leave=False,
        dynamic_ncols=True,
        file=sys.stderr,
    )


def say(line: str, *, error: bool = False) -> None:
    """Print a line on standard output or standard error without tearing a bar."""
    tqdm.write(line, file=sys.stderr if error else sys.stdout)


@contextmanager
def show_progress(unit: str) -> Iterator[Callable[[int, int], None]]:
    """A bar as a function to call with the amount done and the total."""
    with make_progress_bar(None, unit) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
