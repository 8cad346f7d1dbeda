"""The manifests of `deploy/kubernetes/` fit Kubernetes' schemas, and are true of the service."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import kubernetes_validate
import pytest
import yaml
from click.testing import CliRunner

from service.cli.commands import movelog
from service.operations.given_key_files import make_key_files
from service.settings import read_settings
from tests.project.tree import ROOT

FOLDER = ROOT / "deploy" / "kubernetes"
KUSTOMIZATION: Final = "kustomization.yaml"
PARTS: Final = {"web", "streams", "worker", "projector"}
OWN: Final = 10001
SPARE: Final = 5
"""Seconds that a process needs to end beyond its drain settings."""


def load(file: str) -> list[Any]:
    return list(yaml.safe_load_all((FOLDER / file).read_text()))


RESOURCES: list[str] = load(KUSTOMIZATION)[0]["resources"]
MANIFESTS = [one for file in RESOURCES for one in load(file)]
DEPLOYMENTS = {
    one["metadata"]["name"].removeprefix("movelog-"): one
    for one in MANIFESTS
    if one["kind"] == "Deployment"
}
SETTINGS: dict[str, str] = load("settings.yaml")[0]["data"]


def pod(name: str) -> Any:
    return DEPLOYMENTS[name]["spec"]["template"]["spec"]


def container(name: str) -> Any:
    (one,) = pod(name)["containers"]
    return one


def test_the_kustomization_has_all_of_the_folder() -> None:
    assert sorted([*RESOURCES, KUSTOMIZATION]) == sorted(f.name for f in FOLDER.glob("*.yaml"))
    assert {*DEPLOYMENTS} == PARTS | {"proxy"}


@pytest.mark.parametrize(
    "manifest", MANIFESTS, ids=[f"{one['kind']}-{one['metadata']['name']}" for one in MANIFESTS]
)
def test_kubernetes_takes_the_manifest(manifest: Any) -> None:
    assert find_fault(manifest) is None


def find_fault(manifest: Any) -> str | None:
    """Why Kubernetes would refuse a manifest; None if it is valid."""
    try:
        kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)
    except kubernetes_validate.ValidationError as error:
        return str(error)
    return None


def test_the_validator_knows_a_mistake() -> None:
    wrong = yaml.safe_load((FOLDER / "ingress.yaml").read_text())
    wrong["spec"]["rule"] = wrong["spec"].pop("rules")
    assert find_fault(wrong)


@pytest.mark.parametrize("name", sorted(DEPLOYMENTS))
def test_a_pod_can_break_little(name: str) -> None:
    own, one = pod(name), container(name)
    assert own["securityContext"]["runAsNonRoot"]
    assert own["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not own["automountServiceAccountToken"]
    assert not own["enableServiceLinks"]
    assert one["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert one["resources"]["requests"].keys() == {"cpu", "memory"}
    assert "memory" in one["resources"]["limits"]


@pytest.mark.parametrize("name", sorted(DEPLOYMENTS))
def test_one_pod_at_a_time_is_taken_away(name: str) -> None:
    spec = DEPLOYMENTS[name]["spec"]
    (budget,) = [
        one
        for one in MANIFESTS
        if (one["kind"], one["metadata"]["name"]) == ("PodDisruptionBudget", f"movelog-{name}")
    ]
    assert spec["replicas"] == 2
    assert spec["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
    labels = spec["template"]["metadata"]["labels"]
    assert budget["spec"] == {"maxUnavailable": 1, "selector": {"matchLabels": labels}}
    assert spec["selector"]["matchLabels"] == labels
    services = [one for one in MANIFESTS if one["kind"] == "Service"]
    assert [one["spec"]["selector"] for one in services].count(labels) == (
        "ports" in container(name)
    )


@pytest.mark.parametrize("name", sorted(PARTS))
def test_a_part_is_a_command_with_the_image_s_user(name: str) -> None:
    assert CliRunner().invoke(movelog, [*container(name)["args"], "--help"]).exit_code == 0
    text = (ROOT / "deploy" / "Containerfile").read_text()
    assert f"USER {OWN}\n" in text
    assert pod(name)["securityContext"]["runAsUser"] == OWN
    assert pod(name)["securityContext"]["fsGroup"] == OWN
    mounted = {one["mountPath"] for one in container(name)["volumeMounts"]}
    # What the service writes, and where its programs write temporary files.
    assert {"/var/lib/movelog", "/tmp"} <= mounted
    assert "MOVELOG_DATA_DIR=/var/lib/movelog/data" in text


def test_the_settings_are_those_of_a_service_without_a_folder(tmp_path: Path) -> None:
    make_key_files(tmp_path / "keys")
    stores = tmp_path / "stores"
    stores.mkdir()
    for name, url in (
        ("redis-url", "redis://log/0"),
        ("queue-url", "redis://queue/0"),
        ("database-url", "postgresql://movelog@db/movelog"),
    ):
        (stores / name).write_text(url + "\n")
    mounts = {one["mountPath"] for one in container("web")["volumeMounts"]}
    assert {"/run/secrets/keys", "/run/secrets/stores"} <= mounts
    environ = {name: text.replace("/run/secrets", str(tmp_path)) for name, text in SETTINGS.items()}
    settings = read_settings(environ)
    assert (settings.redis_url, settings.queue_url) == ("redis://log/0", "redis://queue/0")
    assert settings.given_keys is not None
    assert settings.shares_objects
    assert settings.streams_apart


@pytest.mark.parametrize("name", ["web", "streams"])
def test_a_pod_has_the_time_to_drain(name: str) -> None:
    settings = read_settings({n: t for n, t in SETTINGS.items() if not n.endswith("_FILE")})
    own = container(name)
    ready = own["readinessProbe"]
    assert ready["httpGet"]["path"] == "/readyz"
    assert {own[probe]["httpGet"]["path"] for probe in ("livenessProbe", "startupProbe")} == {
        "/healthz"
    }
    noticed = ready["failureThreshold"] * (ready["periodSeconds"] + ready["timeoutSeconds"])
    assert settings.drain_notice > noticed
    longest = settings.drain_notice + settings.drain_timeout + SPARE
    assert pod(name)["terminationGracePeriodSeconds"] >= longest


def test_the_proxy_says_what_the_other_one_says() -> None:
    said = {
        file: set(re.findall(r"^ *(proxy_\w+ [^;$]*|location [^{]*)", text, re.MULTILINE))
        for file, text in (
            ("here", (FOLDER / "nginx.conf").read_text()),
            ("there", (ROOT / "deploy" / "nginx.conf").read_text()),
        )
    }
    mine = {line for line in said["here"] if not line.startswith("proxy_pass ")}
    assert mine == {line for line in said["there"] if not line.startswith("proxy_pass ")}
