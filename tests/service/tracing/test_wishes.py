"""When a process traces, according to OpenTelemetry's variables."""

from __future__ import annotations

import os

import pytest
from click.testing import CliRunner

from service.cli.commands import movelog
from service.environment import BadSetting
from service.tracing import wishes
from service.tracing.wishes import wants_traces

ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "games"}, False),
        (ENDPOINT, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector/v1/traces"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        (ENDPOINT | {"OTEL_TRACES_EXPORTER": "none"}, False),
        (ENDPOINT | {"OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_traces_are_made_where_the_operator_says_where_they_go(
    environ: dict[str, str], wanted: bool
) -> None:
    assert wants_traces(environ) is wanted


@pytest.mark.parametrize(
    ("name", "text"),
    [("OTEL_TRACES_EXPORTER", "zipkin"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")],
)
def test_a_setting_that_cannot_be_is_named(name: str, text: str) -> None:
    with pytest.raises(BadSetting, match=name):
        wants_traces(ENDPOINT | {name: text})


@pytest.mark.parametrize("command", ["serve", "web", "projector"])
def test_nothing_starts_without_the_packages_it_takes(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wishes, "find_spec", lambda name: None)
    environ = {"MOVELOG_REDIS_URL": "redis://127.0.0.1:1", **ENDPOINT}
    niceness = os.nice(0)
    result = CliRunner().invoke(movelog, [command], env=environ)
    assert os.nice(0) == niceness
    assert isinstance(result.exception, BadSetting)
    assert "pip install 'movelog[tracing]'" in str(result.exception)
