"""The Containerfile's steps run in a bare Debian, and the resulting service works."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deployment.containerfile import Build, Containerfile, Stage
from tests.project.tree import ROOT
from tests.waiting import PATIENCE

FILE = Containerfile(ROOT / "deploy" / "Containerfile")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
LARGEST = 500
"""Maximum size of the last stage in MiB, including Debian and Python."""
OWN = 10001


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The last stage, built with this machine's network settings: DNS, proxy, certificates."""
    debootstrap = shutil.which("debootstrap", path=os.environ["PATH"] + ":/usr/sbin")
    if debootstrap is None or os.getuid() != 0:
        pytest.skip("a bare Debian needs the program debootstrap, and root")
    folder = tmp_path_factory.mktemp("image")
    base = folder / "base"
    command = [debootstrap, "--variant=minbase", "--include=ca-certificates", "bookworm", str(base)]
    subprocess.run(command, check=True, capture_output=True)
    for path in (CERTIFICATES, Path("/etc/resolv.conf"), Path("/etc/hosts")):
        shutil.copy(path, base / path.relative_to("/"))
    shutil.copytree("/etc/apt/apt.conf.d", base / "etc/apt/apt.conf.d", dirs_exist_ok=True)
    environ = {name: text for name, text in os.environ.items() if name.lower().endswith("_proxy")}
    environ |= {"PIP_CERT": str(CERTIFICATES)}
    yield Build(base, ROOT, folder, environ).carry_out(FILE.steps)
    shutil.rmtree(folder)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_the_image_is_small_and_has_no_compiler(image: Stage) -> None:
    told = subprocess.run(["du", "-sxm", image.root], capture_output=True, text=True, check=True)
    mebibytes = int(told.stdout.split()[0])
    print(f"the image: {mebibytes} MiB")
    assert mebibytes <= LARGEST
    assert not (image.root / "usr/bin/gcc").exists()
    assert image.user == str(OWN)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_the_image_serves_and_is_healthy(image: Stage) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    inside = [*FILE.json("ENTRYPOINT"), *FILE.json("CMD"), "--port", str(port)]
    command = [
        "chroot", f"--userspec={OWN}:{OWN}", str(image.root), "/usr/bin/env", "-i",
        f"--chdir={image.folder}", *(f"{name}={text}" for name, text in image.environ.items()),
        "MOVELOG_HOST=127.0.0.1", *inside,
    ]  # fmt: skip
    with subprocess.Popen(command) as service:
        try:
            wait_until_ready(port, service)
            (check,) = (step.text for step in FILE.steps if step.instruction == "HEALTHCHECK")
            healthy = json.loads(check.split(" CMD ")[1])
            image.run([part.replace("8320", str(port)) for part in healthy])
            data = image.root / "var/lib/movelog/data"
            assert (data / "admin.token").stat().st_uid == OWN
            assert data.stat().st_mode & 0o777 == 0o700
            variants = urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/variants")
            assert len(json.load(variants)["items"]) == 4
        finally:
            service.terminate()
    assert service.returncode == 0


def wait_until_ready(port: int, service: subprocess.Popen[bytes]) -> None:
    """Wait until `/readyz` reports that the service is ready."""
    end = time.monotonic() + PATIENCE
    while True:
        assert service.poll() is None, "the service has ended"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
                return
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.2)
