"""Read the MBeans of a running Apache Kafka node, with Kafka's own tool."""

from __future__ import annotations

import re
import subprocess

from tests import kafka_oracle
from tests.broker_process import two_free_ports

_LINE = re.compile(r"^(?P<bean>[^:\n]+:.+):(?P<attribute>[\w-]+)=(?P<value>\S+)$", re.MULTILINE)


def open_jmx(node: kafka_oracle.KafkaNode) -> str:
    """Make the node listen for JMX and return the address. Call it once per node."""
    port = str(two_free_ports())
    settings = {"port": port, "rmi.port": port, "host": "127.0.0.1", "authenticate": "false", "ssl": "false"}
    agent = [f"jmxremote.{name}={value}" for name, value in settings.items()]
    pid = (node.folder / "pid").read_text()
    subprocess.run(["jcmd", pid, "ManagementAgent.start", *agent], check=True, capture_output=True)
    return f"service:jmx:rmi:///jndi/rmi://127.0.0.1:{port}/jmxrmi"


def mbeans(url: str, *patterns: str) -> dict[str, dict[str, float]]:
    """Return the numeric attributes of every MBean that matches a pattern, by bean and attribute."""
    names = [word for pattern in patterns for word in ("--object-name", pattern)]
    asked = ["--jmx-url", url, *names, "--one-time", "--report-format", "properties"]
    ended = kafka_oracle.run_tool("kafka-jmx", *asked)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    found: dict[str, dict[str, float]] = {}
    for line in _LINE.finditer(ended.stdout):
        try:
            found.setdefault(line["bean"], {})[line["attribute"]] = float(line["value"])
        except ValueError:
            continue  # not a number
    return found
