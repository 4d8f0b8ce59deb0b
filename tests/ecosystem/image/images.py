"""Build and run images with buildah: no container engine and no registry, but root.

The base image is a Debian from debootstrap. It is kept in ~/.cache/tidemark-tests, so that only the first
build on a machine creates it.
"""

from __future__ import annotations

import ast
import fcntl
import json
import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests import needs

CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tidemark-tests" / "images"
RELEASE: Final = "trixie"  # the Debian of the Dockerfile's own base image
BASE: Final = f"localhost/base:{RELEASE}"
COMMAND_TIMEOUT_S: Final = (
    1500  # the image's build compiles for half a minute, or for minutes if others use the cores
)


class Container:
    """A writable copy of an image. Its processes share the network and process ids of this machine."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._name = name

    def command(self, arguments: list[str], environment: dict[str, str], user: str) -> list[str]:
        """Return the command line that runs the arguments in the container."""
        how = ["--isolation=chroot", f"--user={user}"]
        how += [f"--env={name}={value}" for name, value in environment.items()]
        return [*self._store.buildah, "run", *how, self._name, "--", *arguments]

    def output(self, *arguments: str) -> str:
        """Run the arguments as root. Return their stdout, for any exit code."""
        command = self.command(list(arguments), {}, "0:0")
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout


class Store:
    """Images of our own, apart from the machine's."""

    def __init__(self, folder: Path) -> None:
        self.buildah = ["buildah", f"--root={folder / 'storage'}", f"--runroot={folder / 'run'}"]

    def build(self, dockerfile: Path, context: Path, secrets: dict[str, Path]) -> str:
        """Build an image and return its id."""
        given = [f"--secret=id={name},src={path}" for name, path in secrets.items()]
        how = ["--isolation=chroot", "--format=docker", "--pull-never", "--quiet", f"--build-arg=BASE={BASE}"]
        return self.call("build", *how, *given, f"--file={dockerfile}", str(context)).splitlines()[-1]

    def remove(self, image: str) -> None:
        self.call("rmi", "--force", image)

    def config(self, image: str) -> dict[str, Any]:
        """Return how the Dockerfile says to run the image."""
        inspected = json.loads(self.call("inspect", "--type=image", image))
        config: dict[str, Any] = inspected["Docker"]["config"]
        return config

    def size(self, image: str) -> str:
        """Return the size of the image as text, such as 200 MB."""
        listed = json.loads(self.call("images", "--json", image))
        return str(listed[0]["size"])

    @contextmanager
    def container(self, image: str) -> Iterator[Container]:
        name = self.call("from", "--pull-never", image)
        try:
            yield Container(self, name)
        finally:
            self.call("rm", name)

    def prepare(self) -> None:
        """Remove leftovers of a killed run, and create the base image if it is missing."""
        self.call("rm", "--all")
        self.call("rmi", "--prune")
        if BASE not in self.call("images", "--format={{.Name}}:{{.Tag}}").split():
            self._make_base()

    def _make_base(self) -> None:
        container = self.call("from", "scratch")
        root = self.call("mount", container)
        _checked(["debootstrap", "--variant=minbase", RELEASE, root])
        _checked(["chroot", root, "apt-get", "clean"])
        shutil.rmtree(Path(root, "var/lib/apt/lists"))
        self.call("commit", "--quiet", "--rm", container, BASE)

    def call(self, *arguments: str) -> str:
        """Run buildah with the arguments and return its stdout."""
        return _checked([*self.buildah, *arguments])


class BuiltImage:
    """An image in a store, with the configuration that the Dockerfile gave it."""

    def __init__(self, store: Store, name: str) -> None:
        self.store = store
        self.name = name
        self.config: dict[str, Any] = store.config(name)
        self.health: dict[str, Any] = self.config["Healthcheck"]


@contextmanager
def opened() -> Iterator[Store]:
    """The store with its base image, for one test process at a time."""
    _need_what_builds()
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        store = Store(CACHE)
        store.prepare()
        yield store


def pip_secrets(folder: Path) -> dict[str, Path]:
    """Return the Dockerfile's secrets, with which its pip uses the package index of this machine's pip."""
    settings = _pip_settings()
    certificates = settings.get("cert") or ssl.get_default_verify_paths().cafile
    secrets = {"pip.conf": folder / "pip.conf"}
    if certificates:
        settings["cert"] = "/run/secrets/ca.pem"
        secrets["ca.pem"] = Path(certificates)
    lines = [f"{name} = {value.replace(chr(10), chr(10) + '  ')}\n" for name, value in settings.items()]
    secrets["pip.conf"].write_text("".join(["[global]\n", *lines]))
    return secrets


def _pip_settings() -> dict[str, str]:
    """Return pip's settings from its files and PIP_* variables. pip lists lower priorities first."""
    listed = _checked([sys.executable, "-m", "pip", "config", "list"]).splitlines()
    settings = {}
    for line in sorted(listed, key=lambda line: line.startswith(":env:")):
        name, _, value = line.partition("=")
        settings[name.rpartition(".")[2]] = str(ast.literal_eval(value))
    return settings


def _need_what_builds() -> None:
    needs.program("buildah", "buildah")
    needs.program("debootstrap", "debootstrap")
    if os.geteuid() != 0:
        needs.missing("debootstrap and buildah's chroot isolation need root")
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        needs.missing("this machine does not let root make mount namespaces, which buildah needs")


def _checked(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_TIMEOUT_S)
    assert done.returncode == 0, f"{command} failed:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout.strip()
