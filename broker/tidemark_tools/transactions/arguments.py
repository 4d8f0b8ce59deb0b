"""The command line of `tidemark transactions`."""

from __future__ import annotations

from typing import Final

from tidemark_tools.options import KAFKA_RELEASE
from tidemark_tools.subcommands import Argument, Command, Group, Tool

COMMIT: Final = "26b251a451ce941d"  # of Kafka's release, which --version of this tool names
MAX_TIMEOUT_MINUTES: Final = 15

TOPIC: Final = Argument("--topic", "The topic.", required=True)
PARTITION: Final = Argument("--partition", "The number of the partition.", "Integer", required=True)

LIST: Final = Command(
    "list",
    "List transactional ids and their states.",
    (
        Argument(
            "--duration-filter",
            "Only transactions that have been open for more milliseconds than this. A negative number: all.",
            "Long",
        ),
        Argument(
            "--transactional-id-pattern", "Only transactional ids that this regular expression (RE2) matches."
        ),
    ),
)
DESCRIBE: Final = Command(
    "describe",
    "Show the transaction of a transactional id.",
    (Argument("--transactional-id", "The transactional id.", required=True),),
    description="Show the transaction of a transactional id.",
)
DESCRIBE_PRODUCERS: Final = Command(
    "describe-producers",
    "Show the producers that have written to a partition.",
    (
        Argument("--broker-id", "The broker to ask. By default, the leader of the partition.", "Integer"),
        TOPIC,
        PARTITION,
    ),
)
ABORT: Final = Command(
    "abort",
    "Abort a hanging transaction in one partition (requires administrative privileges).",
    (TOPIC, PARTITION),
    (
        Group(
            "Brokers on versions 3.0 and above",
            "The first offset of the transaction is enough.",
            (Argument("--start-offset", "The first offset of the transaction.", "Long"),),
        ),
        Group(
            "Brokers on versions older than 3.0",
            "All of these options are required.",
            (
                Argument("--producer-id", "The id of the producer.", "Long"),
                Argument("--producer-epoch", "The epoch of the producer.", "Short"),
                Argument("--coordinator-epoch", "The epoch of the coordinator.", "Integer"),
            ),
        ),
    ),
)
FIND_HANGING: Final = Command(
    "find-hanging",
    "Find transactions that are open in a partition although the coordinator does not know them.",
    (
        Argument("--broker-id", "The broker whose partitions are searched.", "Integer"),
        Argument(
            "--max-transaction-timeout",
            "Only transactions that have been open for more than this many minutes (15 by default).",
            "Integer",
            default=MAX_TIMEOUT_MINUTES,
        ),
        Argument("--topic", "The topic whose partitions are searched; required with --partition."),
        Argument("--partition", "The number of the partition.", "Integer"),
    ),
)
FORCE_TERMINATE: Final = Command(
    "forceTerminateTransaction",
    "Abort the open transaction of a transactional id (requires administrative privileges).",
    (Argument("--transactionalId", "The transactional id.", required=True),),
    description="Abort the open transaction of a transactional id, and fence its producer.",
)
TOOL: Final = Tool(
    "kafka-transactions.sh",
    "This tool shows the transactions and producers of a cluster. It finds and aborts hanging transactions.",
    f"{KAFKA_RELEASE} (Commit:{COMMIT})",
    (
        Argument("--command-config", "A properties file with settings of the client.", metavar="FILE"),
        Argument(
            "--bootstrap-server", "Brokers to connect to, separated by commas.", metavar="host:port",
            required=True,
        ),
    ),
    (LIST, DESCRIBE, DESCRIBE_PRODUCERS, ABORT, FIND_HANGING, FORCE_TERMINATE),
)  # fmt: skip
