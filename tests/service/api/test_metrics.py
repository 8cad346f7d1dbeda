"""`GET /metrics` has everything that `deploy/` watches."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.jobs.duties import PROCESSES
from service.settings import Settings
from tests.project.tree import ROOT
from tests.service.api.client import Api

NAME = re.compile(r"\bmovelog_\w+")
DUTY = re.compile(r'duty[=!]~?\\?"([^"\\]+)')
FILES = [ROOT / "deploy/prometheus/alerts.yaml", ROOT / "deploy/grafana/movelog.json"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_everything_that_is_watched_is_told(path: Path, api: Api) -> None:
    api.get("/games")
    families = text_string_to_metric_families(api.get("//metrics").text)
    samples = [sample for family in families for sample in family.samples]
    text = path.read_text()
    named = set(NAME.findall(text))
    assert named
    assert named <= {sample.name for sample in samples}
    duties = {sample.labels["duty"] for sample in samples if "duty" in sample.labels}
    assert duties == {duty.name for duty in PROCESSES}
    assert {name for found in DUTY.findall(text) for name in found.split("|")} <= duties


@pytest.mark.parametrize("sends_mail", [True, False])
def test_no_mail_server_is_away_where_none_is_set(
    api: Api, monkeypatch: pytest.MonkeyPatch, sends_mail: bool
) -> None:
    """A regression: a server that was away when its setting was removed was away for good."""
    monkeypatch.setattr(Settings, "sends_mail", sends_mail)
    api.service.outbox.rest(api.service.jobs.clock() - 60_000)
    families = text_string_to_metric_families(api.get("//metrics").text)
    samples = [sample for family in families for sample in family.samples]
    (away,) = [one.value for one in samples if one.name == "movelog_mail_server_away_seconds"]
    assert (away >= 60) is sends_mail
