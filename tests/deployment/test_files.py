"""What `deploy/` says is true of the service, and each tool accepts its file."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from service.cli.commands import movelog
from service.settings import read_settings
from tests.deployment.containerfile import Containerfile
from tests.project.tree import ROOT

DEPLOY = ROOT / "deploy"
SYSTEMD = DEPLOY / "systemd"
UNITS = sorted(SYSTEMD.glob("*.service"))
PROMETHEUS = DEPLOY / "prometheus"
SETTING = re.compile(r"\bMOVELOG_[A-Z_]+")
RUNBOOK = (ROOT / "docs" / "runbook.md").read_text()


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def program(name: str) -> str:
    """The path of a checking program; skips the test where it is not installed."""
    found = shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))
    if found is None:
        pytest.skip(f"there is no {name} here")
    return found


def passes(*command: str | Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a checking program, which must accept the file, and return the completed process."""
    answer = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | environ, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer


def services() -> dict[str, Any]:
    """The compose services that run Movelog."""
    found: dict[str, Any] = load(DEPLOY / "compose.yaml")["services"]
    return {name: one for name, one in found.items() if one["image"] == "movelog"}


def commands() -> Iterator[list[str]]:
    """Yield every Movelog command line in `deploy/`."""
    for unit in UNITS:
        (started,) = re.findall(r"^ExecStart=(.*)", unit.read_text(), re.MULTILINE)
        yield shlex.split(started.replace("%i", "8320"))[1:]
    for one in services().values():
        yield one["command"]
    yield Containerfile(DEPLOY / "Containerfile").json("CMD")


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_what_is_started_is_a_command_with_its_options(command: list[str]) -> None:
    assert CliRunner().invoke(movelog, [*command, "--help"]).exit_code == 0


def test_every_setting_that_a_file_names_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    known = set(SETTING.findall((ROOT / "docs" / "operations.md").read_text()))
    for path in DEPLOY.rglob("*"):
        if path.is_file():
            named = set(SETTING.findall(path.read_text()))
            assert named <= known, path
    for one in services().values():
        environ = {
            name: re.sub(r"\$\{\w+:\?[^}]*\}", "x", re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text))
            for name, text in one["environment"].items()
            # Mounted files do not exist here.
            if not name.endswith("_FILE")
        }
        settings = read_settings(environ)
        assert settings.redis_url != settings.queue_url
        assert settings.database_url is not None


def test_the_log_s_server_keeps_what_it_acknowledged() -> None:
    command = load(DEPLOY / "compose.yaml")["services"]["valkey"]["command"]
    options = dict(zip(command[1::2], command[2::2], strict=True))
    assert options["--appendonly"] == "yes"
    assert options["--appendfsync"] == "always"
    assert options["--maxmemory-policy"] == "noeviction"


def alerts() -> list[dict[str, Any]]:
    (group,) = load(PROMETHEUS / "alerts.yaml")["groups"]
    rules: list[dict[str, Any]] = group["rules"]
    return rules


def test_every_alert_has_its_section_in_the_runbook() -> None:
    headings = re.findall(r"^## (Movelog\w+)$", RUNBOOK, re.MULTILINE)
    assert [one["alert"] for one in alerts()] == headings
    for one in alerts():
        assert one["annotations"]["runbook_url"] == f"docs/runbook.md#{one['alert'].lower()}"
        assert one["labels"]["severity"] in ("page", "ticket")


def test_the_panels_of_the_dashboard_do_not_overlap() -> None:
    panels = json.loads((DEPLOY / "grafana" / "movelog.json").read_text())["panels"]
    places = [
        (one["gridPos"]["x"] + x, one["gridPos"]["y"] + y)
        for one in panels
        for x in range(one["gridPos"]["w"])
        for y in range(one["gridPos"]["h"])
    ]
    assert len(places) == len(set(places))
    assert max(x for x, _ in places) < 24


def test_systemd_takes_the_units(tmp_path: Path) -> None:
    for unit in SYSTEMD.iterdir():
        # systemd-analyze wants the started program to exist, and it is not installed here.
        text = unit.read_text().replace("/opt/movelog/bin/movelog", "/bin/true")
        (tmp_path / unit.name).write_text(text)
    units = [*tmp_path.glob("*.service"), *tmp_path.glob("*.target")]
    assert len(units) == 6
    told = passes(program("systemd-analyze"), "verify", "--man=no", *units)
    assert told.stdout + told.stderr == ""


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_is_started_again_however_long_its_redis_is_away(unit: Path) -> None:
    sections = ConfigParser(strict=False, interpolation=None)
    sections.optionxform = str  # type: ignore[assignment]
    sections.read(unit)
    assert sections["Service"]["Restart"] == "always"
    # Without this, systemd gives up at the fifth end within ten seconds.
    assert sections["Unit"]["StartLimitIntervalSec"] == "0"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_gives_the_service_little_to_break(unit: Path) -> None:
    told = passes(program("systemd-analyze"), "security", "--offline=yes", "--threshold=25", unit)
    assert "Overall exposure level" in told.stdout


def test_prometheus_takes_the_alerts_and_they_fire_when_they_should() -> None:
    promtool = program("promtool")
    passes(promtool, "check", "rules", PROMETHEUS / "alerts.yaml")
    passes(promtool, "test", "rules", PROMETHEUS / "alerts_test.yaml")


def test_prometheus_takes_the_scraping(tmp_path: Path) -> None:
    whole = {"scrape_configs": load(PROMETHEUS / "scrape.yaml")}
    path = tmp_path / "prometheus.yaml"
    path.write_text(yaml.safe_dump(whole))
    passes(program("promtool"), "check", "config", path)


def test_compose_takes_its_file() -> None:
    file = str(DEPLOY / "compose.yaml")
    given = {"POSTGRES_PASSWORD": "secret", "S3_SECRET": "another"}
    told = passes(program("docker-compose"), "-f", file, "config", **given)
    assert "postgresql://movelog:secret@postgres/movelog" in told.stdout


def test_containers_share_no_folder_and_have_the_same_keys_and_bucket() -> None:
    whole = load(DEPLOY / "compose.yaml")
    for one in services().values():
        assert "volumes" not in one
        named = {text for name, text in one["environment"].items() if name.endswith("_FILE")}
        assert named == {f"/run/secrets/{name}" for name in one["secrets"]}
        assert one["environment"]["MOVELOG_OBJECTS_URL"] == "s3://movelog"
    store = whole["services"]["objects"]
    assert store["environment"]["ROOT_ACCESS_KEY"] == one["environment"]["AWS_ACCESS_KEY_ID"]
    assert store["environment"]["ROOT_SECRET_KEY"] == one["environment"]["AWS_SECRET_ACCESS_KEY"]
    assert "mkdir -p /objects/movelog " in store["entrypoint"][-1]
    assert {name: one["file"] for name, one in whole["secrets"].items()} == {
        name: f"keys/own/{name}" for name in ("secret.key", "choice.key", "signing.key")
    }


def test_nginx_takes_its_file(tmp_path: Path) -> None:
    nginx = program("nginx")
    text = (DEPLOY / "nginx.conf").read_text().replace("listen 80", "listen 127.0.0.1:8080")
    around = f"pid {tmp_path}/pid; error_log {tmp_path}/log; events {{}}"
    (tmp_path / "nginx.conf").write_text(f"{around} http {{ access_log off; {text} }}")
    passes(nginx, "-t", "-q", "-p", tmp_path, "-c", tmp_path / "nginx.conf")
