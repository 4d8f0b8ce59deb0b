"""The image is built once for all tests that need it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from tests.broker_process import ROOT
from tests.ecosystem.image import images
from tests.ecosystem.image.engine.containers import NAMESPACES
from tests.ecosystem.image.images import BuiltImage, Store


@pytest.fixture(scope="session")
def store() -> Iterator[Store]:
    with images.opened() as store:
        yield store


@pytest.fixture(scope="session")
def image(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BuiltImage]:
    secrets = images.pip_secrets(tmp_path_factory.mktemp("secrets"))
    name = store.build(ROOT / "docker" / "Dockerfile", ROOT, secrets)
    yield BuiltImage(store, name)
    store.remove(name)


@pytest.fixture(scope="session")
def namespaces() -> None:
    """Skip the test where root may not make a container's namespaces, as in some containers."""
    if subprocess.run(["unshare", *NAMESPACES, "--fork", "true"], capture_output=True).returncode:
        pytest.skip("this machine does not let root make the namespaces of a container")
