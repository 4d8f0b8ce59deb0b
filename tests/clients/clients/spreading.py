"""Produces and consumes one record in each partition of a topic, by a client library with its defaults.

    spreading_with_LIBRARY.py produce|consume BOOTSTRAP TOPIC PARTITIONS

`produce` sends one record to each partition and waits until all are acknowledged. `consume` reads them back
as the only member of a group; one library is enough for that. Both print the number of partitions.
../java/Spreading.java produces the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

TIMEOUT_S = 60

Action = Callable[[str, str, int], int]


def run(**actions: Action) -> None:
    """Run the action that the command line names."""
    name, bootstrap, topic, partitions = sys.argv[1:]
    print(actions[name](bootstrap, topic, int(partitions)))


def value_of(partition: int) -> bytes:
    return b"value of partition %d" % partition
