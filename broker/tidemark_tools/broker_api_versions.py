"""`tidemark broker-api-versions`: what each broker serves, as kafka-broker-api-versions prints it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tidemark_protocol.apis import APIS
from tidemark_tools.client.connection import BrokerEndpoint
from tidemark_tools.client.errors import ClientError, Failed, Unreachable
from tidemark_tools.options import JoptTool, Parsed, connect, require, run, table

TOOL: Final = JoptTool(
    "This tool helps to retrieve broker version information.",
    table("""
    bootstrap-server <server(s) to use for bootstrapping>  REQUIRED: a broker of the cluster.
    command-config <command config property file path>  A properties file with settings of the client.
"""),
    lambda parsed: require(parsed, "bootstrap-server"),
)
# APIs that only brokers and controllers send to each other. Kafka's tool does not list them.
BETWEEN_NODES: Final = frozenset((4, 5, 6, 7, 52, 53, 54, 56, 58, 59, 62, 63, 67, 70, 73, 82))
KNOWN: Final = {api.key: api for api in APIS.values() if api.key not in BETWEEN_NODES}
# Listed only of brokers that serve them: Kafka's tools are those of 4.3.1.
NEW_IN_4_4: Final = frozenset((93, 94))
# A health check must not wait for long. Kafka's tool gives up at the first failure.
DEFAULTS: Final = {"default.api.timeout.ms": "5000"}


def main(arguments: list[str]) -> int:
    return run(TOOL, arguments, _print)


def _print(parsed: Parsed) -> None:
    with connect(parsed, DEFAULTS) as client:
        try:
            brokers = client.metadata([]).brokers
        except Unreachable:
            seed = f"{parsed.text('bootstrap-server')} (id: -1 rack: null isFenced: false)"
            raise Failed(f"Request METADATA failed on brokers [{seed}]") from None
        for broker in sorted(brokers, key=lambda each: each.node_id):
            node = BrokerEndpoint(broker.node_id, broker.host, broker.port)
            rack = "null" if broker.rack is None else broker.rack
            name = f"{node} (id: {broker.node_id} rack: {rack} isFenced: false)"
            try:
                ranges = client.connection(node, client.deadline(None)).ranges
            except ClientError as error:
                print(f"{name} -> ERROR: {error}\n")
            else:
                print(f"{name} -> (\n" + ",\n".join(lines(ranges)) + "\n)\n", end="")


def lines(ranges: Mapping[int, tuple[int, int]]) -> list[str]:
    """Return a line for each API that the tool or the broker knows. ranges: what the broker serves."""
    return [_line(key, ranges.get(key)) for key in sorted({*KNOWN.keys() - NEW_IN_4_4, *ranges})]


def _line(key: int, served: tuple[int, int] | None) -> str:
    api = KNOWN.get(key)
    name = "UNKNOWN" if api is None else api.name
    if served is None:
        return f"\t{name}({key}): UNSUPPORTED"
    lowest, highest = served
    text = f"\t{name}({key}): {lowest}" + (f" to {highest}" if highest != lowest else "")
    if api is None:
        return text
    if highest < api.lowest:
        return f"{text} [unusable: node too old]"
    if lowest > api.highest:
        return f"{text} [unusable: node too new]"
    return f"{text} [usable: {min(highest, api.highest)}]"
