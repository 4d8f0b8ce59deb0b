"""Values of labels that are known in advance.

No label carries a member id, a client id, a host or text from a client: such series would appear and
disappear without end.
"""

from __future__ import annotations

from typing import Final

# Series of one metric on one page. kminion and kafka_exporter have no limit, but test suites create thousands
# of groups.
SERIES_MAX: Final = 2000


class BadInput:
    """Values of the label `kind` of tidemark_bad_input_total: what was wrong with a client's input."""

    FRAME_SIZE: Final = "frame_size"  # negative, zero, or above socket.request.max.bytes
    HEADER: Final = "header"
    API_KEY: Final = "api_key"
    VERSION: Final = "version"
    BODY: Final = "body"  # truncated, a wrong length, or null in a field that may not be null
    ELEMENTS: Final = "elements"  # more array elements than tidemark.request.elements.max
    RESPONSE_SIZE: Final = "response_size"  # the response would exceed tidemark.response.max.bytes
    REFUSED: Final = "refused"  # well-formed, but Kafka closes the connection
    UNREAD: Final = "unread"  # the client does not read its responses
    TLS: Final = "tls"  # a handshake failed, or what follows is not TLS
    SESSION: Final = "session"  # it has expired, and the client has not authenticated again (KIP-368)
    IDLE: Final = "idle"  # no complete request for connections.max.idle.ms
    CONNECTIONS: Final = "connections"  # more than max.connections or max.connections.per.ip


BAD_INPUT_KINDS: Final = tuple(value for name, value in vars(BadInput).items() if not name.startswith("_"))
# The rules of groups/expirations.py by which an offset can expire, and every cause of a removal.
EXPIRY_REASONS: Final = ("group_empty", "topic_not_subscribed", "standalone", "explicit_retention")
REMOVAL_CAUSES: Final = ("expired", "offset_delete", "group_delete", "topic_delete")
CONSUMER_GROUP_STATES: Final = ("Empty", "Assigning", "Reconciling", "Stable", "Dead")
GROUP_STATES: Final = (
    "Empty", "PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling", "Stable", "Dead",
)  # fmt: skip
TRANSACTION_STATES: Final = (
    "Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort",
)  # fmt: skip
TRANSACTION_RESULTS: Final = ("commit", "abort")
# The types of groups that are served. A group of another type has a series as long as it exists.
GROUP_TYPES: Final = ("classic", "consumer")
