"""Runs a Containerfile without containers: each stage is a Debian in a folder, for chroot."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True, slots=True)
class Step:
    """An instruction with its argument."""

    instruction: str
    text: str


class Containerfile:
    """The instructions of a Containerfile, in order."""

    def __init__(self, path: Path) -> None:
        self.steps: list[Step] = []
        lines = [line for line in path.read_text().splitlines() if line and line[0] != "#"]
        for line in lines:
            instruction, text = line.split(" ", 1)
            self.steps.append(Step(instruction, text))

    def json(self, instruction: str) -> Any:
        """The argument, as JSON, of an instruction that occurs once."""
        (text,) = (step.text for step in self.steps if step.instruction == instruction)
        return json.loads(text)


@dataclass(slots=True)
class Stage:
    """A Debian in the folder `root`, with what the instructions have set for it."""

    root: Path
    environ: dict[str, str] = field(default_factory=lambda: {"PATH": PATH})
    user: str = "0"
    folder: str = "/"

    def run(self, command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command inside, as the stage's user; raises `subprocess.CalledProcessError`."""
        inside = [
            "chroot", f"--userspec={self.user}:{self.user}", str(self.root),
            "/usr/bin/env", "-i", f"--chdir={self.folder}",
            *(f"{name}={value}" for name, value in self.environ.items()), *command,
        ]  # fmt: skip
        return subprocess.run(inside, check=True, capture_output=True, text=True, **options)


class Build:
    """Carries out instructions; each stage starts as a copy of the Debian in `base`."""

    def __init__(self, base: Path, source: Path, folder: Path, environ: dict[str, str]) -> None:
        """`environ` has variables for the build that the file does not set, such as a proxy."""
        self.base, self.source, self.folder, self.environ = base, source, folder, environ
        self.stages: dict[str, Stage] = {}
        self.last: Stage | None = None

    def carry_out(self, steps: list[Step]) -> Stage:
        """Carry out all steps; returns the last stage."""
        for step in steps:
            getattr(self, f"_{step.instruction.lower()}")(step.text)
        return self.stage

    @property
    def stage(self) -> Stage:
        """The current stage."""
        assert self.last is not None
        return self.last

    def _from(self, text: str) -> None:
        found = re.fullmatch(r"docker\.io/library/debian:bookworm-slim(?: AS (\w+))?", text)
        assert found is not None
        root = self.folder / f"stage-{len(self.stages)}"
        subprocess.run(["cp", "-a", self.base, root], check=True)
        self.last = self.stages[found[1] or ""] = Stage(root)

    def _run(self, text: str) -> None:
        before = dict(self.stage.environ)
        self.stage.environ |= self.environ
        self.stage.run(["/bin/sh", "-c", text])
        self.stage.environ = before

    def _copy(self, text: str) -> None:
        *sources, target = text.split()
        stage = None
        if sources[0].startswith("--from="):
            stage = self.stages[sources.pop(0).removeprefix("--from=")]
        start = self.source if stage is None else stage.root
        ignore = self._ignored if stage is None else None
        to = self.stage.root / target.lstrip("/")
        for source in sources:
            path = start / source.lstrip("/")
            if path.is_dir():
                shutil.copytree(path, to, symlinks=True, ignore=ignore)
            else:
                to.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, to)

    def _ignored(self, folder: str, names: list[str]) -> set[str]:
        """The names that `.dockerignore` excludes."""
        patterns = (self.source / ".dockerignore").read_text().split()
        here = os.path.relpath(folder, self.source)
        return {
            name
            for name in names
            if any(Path(here, name).match(one.removeprefix("**/")) for one in patterns)
        }

    def _env(self, text: str) -> None:
        self.stage.environ |= dict(pair.split("=", 1) for pair in text.split())

    def _arg(self, text: str) -> None:
        name, default = text.split("=", 1)
        self.stage.environ.setdefault(name, default)

    def _user(self, text: str) -> None:
        self.stage.user = text

    def _workdir(self, text: str) -> None:
        self.stage.folder = text

    def _note(self, text: str) -> None:
        """Do nothing: instructions about running the container do not change the image."""

    _volume = _expose = _healthcheck = _entrypoint = _cmd = _note
