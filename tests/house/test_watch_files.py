"""The compose file and the manifest of docker/watch name options, settings and probes that exist."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tidemark.config import read_environment
from tidemark.settings.broker import SETTINGS
from tidemark_http.access import OPEN_PATHS
from tidemark_tools.watch.command import TOOL

FOLDER: Final = Path(__file__).resolve().parents[2] / "docker" / "watch"
KNOWN: Final = {setting.name for setting in SETTINGS}


def composed() -> Any:
    return yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]


def manifests() -> dict[str, Any]:
    return {each["kind"]: each for each in yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text())}


def container() -> Any:
    (found,) = manifests()["Deployment"]["spec"]["template"]["spec"]["containers"]
    return found


@pytest.mark.parametrize("words", [composed()["tidemark"]["command"], container()["args"]])
def test_the_command_line_is_valid(words: list[str]) -> None:
    assert words[:2] == ["tidemark", "watch"]
    assert TOOL.parse(words[2:]).text("bootstrap-server")


@pytest.mark.parametrize(
    "variables",
    [composed()["tidemark"]["environment"], {each["name"]: "x" for each in container()["env"]}],
)
def test_variables_are_settings(variables: dict[str, str]) -> None:
    named = read_environment(variables)
    assert len(named) == len(variables) and named.keys() <= KNOWN


def test_ports_and_probes_fit_together() -> None:
    pod, service = container(), manifests()["Service"]["spec"]
    (port,) = pod["ports"]
    assert [each["targetPort"] for each in service["ports"]] == [port["name"]] == ["http"]
    labels = manifests()["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert service["selector"] == labels == manifests()["Deployment"]["spec"]["selector"]["matchLabels"]
    hosts = next(each["value"] for each in pod["env"] if each["name"] == "KAFKA_TIDEMARK_HTTP_HOSTS")
    for name in ("readinessProbe", "livenessProbe"):
        probe = pod[name]["httpGet"]
        assert probe["path"] in OPEN_PATHS and probe["httpHeaders"] == [{"name": "Host", "value": hosts}]
    mounted = {each["name"] for each in pod["volumeMounts"]}
    assert mounted == {
        each["name"] for each in manifests()["Deployment"]["spec"]["template"]["spec"]["volumes"]
    }


def test_prometheus_mounts_files_that_exist() -> None:
    for volume in composed()["prometheus"]["volumes"]:
        assert (FOLDER / volume.split(":")[0]).exists(), volume
