"""Every metric, once: its name, kind, labels and meaning. docs/operations.md is held against this by a test.

Names follow Prometheus: prefix `tidemark_`, base units, counters end in `_total`. Labels never carry a member
id, a client id, a host or a text of a client's: such series would come and go for ever.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Kind = Literal["counter", "gauge", "histogram"]

# Upper ends of the buckets, in the metric's own unit; the last, infinity, is understood.
SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0)
RECORDS: Final = (1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0)

# Series of one metric on one page. kminion and kafka_exporter have no bound, and test suites make groups by
# the thousand.
SERIES_MAX: Final = 2000


class BadInput:
    """Values of the label `kind` of tidemark_bad_input_total: what was wrong with what a client sent."""

    FRAME_SIZE: Final = "frame_size"  # negative, zero, or above socket.request.max.bytes
    HEADER: Final = "header"
    API_KEY: Final = "api_key"
    VERSION: Final = "version"
    BODY: Final = "body"  # ends early, a length that lies, null where nothing may be null
    ELEMENTS: Final = "elements"  # more array elements than tidemark.request.elements.max
    RESPONSE_SIZE: Final = "response_size"  # the response would exceed tidemark.response.max.bytes
    REFUSED: Final = "refused"  # well-formed, and Kafka hangs up on it
    UNREAD: Final = "unread"  # a client that never reads its answers
    IDLE: Final = "idle"  # nothing, or half a frame, for connections.max.idle.ms
    CONNECTIONS: Final = "connections"  # one more than max.connections or max.connections.per.ip


BAD_INPUT_KINDS: Final = tuple(value for name, value in vars(BadInput).items() if not name.startswith("_"))
# Rules of groups/retention.py by which an offset can go, and every way in which one can.
EXPIRY_REASONS: Final = ("group_empty", "topic_not_subscribed", "standalone", "explicit_retention")
REMOVAL_CAUSES: Final = ("expired", "offset_delete", "group_delete", "topic_delete")
GROUP_STATES: Final = ("Empty", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead")


class Mark(NamedTuple):
    """What a decision adds to a meter (an attribute of Metrics): one for each record, or one for all."""

    meter: str
    each_record: bool


# KIP-496: the APIs whose Results move a meter. A group that becomes Empty completes no rebalance, and neither
# a deleted group nor a deleted topic is an OffsetDelete. What expires is marked by the pass.
KIP_496: Final = {
    "OffsetCommit": Mark("offset_commits", each_record=True),
    "OffsetDelete": Mark("offset_deletions", each_record=True),
    "SyncGroup": Mark("group_rebalances", each_record=False),
}


class Metric:
    """attribute is where the broker counts it (Metrics), or the name under which a gauge is watched."""

    __slots__ = ("always", "attribute", "buckets", "kind", "labels", "meaning", "name")

    def __init__(self, attribute: str, kind: Kind, name: str, meaning: str, *, labels: tuple[str, ...] = (),
                 buckets: tuple[float, ...] = (), always: tuple[str, ...] = ()) -> None:  # fmt: skip
        self.attribute = attribute
        self.kind = kind
        self.name = name
        self.meaning = meaning
        self.labels = labels
        self.buckets = buckets
        # Label values that are there from the start, so that rate() and absent() work.
        self.always = always


CATALOGUE: Final = (
    Metric("build", "gauge", "tidemark_build_info", "1, with the version that runs.", labels=("version",)),
    Metric(
        "requests",
        "counter",
        "tidemark_requests_total",
        "Requests that were decided.",
        labels=("api", "version"),
    ),
    Metric(
        "request_errors",
        "counter",
        "tidemark_request_errors_total",
        "Answers that are an error as a whole; errors of single items in an answer do not count.",
        labels=("api", "error"),
    ),
    Metric("connections", "gauge", "tidemark_connections", "Open connections.", labels=("listener",)),
    Metric(
        "connections_opened",
        "counter",
        "tidemark_connections_opened_total",
        "Connections that were accepted.",
        labels=("listener",),
    ),
    Metric(
        "received_bytes",
        "counter",
        "tidemark_received_bytes_total",
        "Bytes that clients sent.",
        labels=("listener",),
    ),
    Metric(
        "sent_bytes",
        "counter",
        "tidemark_sent_bytes_total",
        "Bytes that clients were sent.",
        labels=("listener",),
    ),
    Metric(
        "bad_input",
        "counter",
        "tidemark_bad_input_total",
        "What could not be taken, by what was wrong with it; nearly always the connection was closed.",
        labels=("kind",),
        always=BAD_INPUT_KINDS,
    ),
    Metric(
        "event_loop_stall",
        "histogram",
        "tidemark_event_loop_stall_seconds",
        "By how much a timer that is due every 50 ms came late.",
        buckets=SECONDS,
    ),
    Metric(
        "event_loop_stall_max",
        "gauge",
        "tidemark_event_loop_stall_max_seconds",
        "The longest stall since the start.",
    ),
    Metric(
        "flush_duration",
        "histogram",
        "tidemark_flush_duration_seconds",
        "How long one sync of all dirty internal logs took.",
        buckets=SECONDS,
    ),
    Metric(
        "flush_records",
        "histogram",
        "tidemark_flush_records",
        "Records that one flush made durable.",
        buckets=RECORDS,
    ),
    Metric(
        "log_size",
        "gauge",
        "tidemark_log_size_bytes",
        "Bytes of a partition's segments on disk.",
        labels=("topic", "partition"),
    ),
    Metric("topics", "gauge", "tidemark_topics", "Topics, internal ones included."),
    Metric("partitions", "gauge", "tidemark_partitions", "Partitions, internal ones included."),
    Metric("groups", "gauge", "tidemark_groups", "Groups by state.", labels=("state",), always=GROUP_STATES),
    Metric("members", "gauge", "tidemark_members", "Members of all groups."),
    Metric("group_members", "gauge", "tidemark_group_members", "Members of the group.", labels=("group",)),
    Metric("offsets", "gauge", "tidemark_offsets", "Committed offsets that are stored."),
    Metric(
        "next_expiry",
        "gauge",
        "tidemark_offset_next_expiry_timestamp_seconds",
        "When the first of the group's offsets expires, as things stand: it goes with the next cleanup from "
        "then on. Nothing where none does.",
        labels=("group",),
    ),
    Metric(
        "unsubscribed_offsets",
        "gauge",
        "tidemark_group_unsubscribed_offsets",
        "Committed offsets of topics that a group with members is not subscribed to: their lag only grows.",
        labels=("group",),
    ),
    Metric(
        "offset_commits",
        "counter",
        "tidemark_offset_commits_total",
        "Offsets that were committed; a request with ten partitions counts ten.",
    ),
    Metric(
        "offset_expirations",
        "counter",
        "tidemark_offset_expirations_total",
        "Offsets that expired, by the rule that let them go.",
        labels=("reason",),
        always=EXPIRY_REASONS,
    ),
    Metric(
        "offset_deletions",
        "counter",
        "tidemark_offset_deletions_total",
        "Offsets that OffsetDelete removed; deleted groups and topics do not count, as in Kafka.",
    ),
    Metric(
        "group_rebalances",
        "counter",
        "tidemark_group_completed_rebalances_total",
        "Rebalances that reached an assignment.",
    ),
    Metric(
        "offsets_removed",
        "counter",
        "tidemark_offsets_removed_total",
        "Offsets that are gone, by what took them; a rebuilt state after a restart counts none.",
        labels=("cause",),
        always=REMOVAL_CAUSES,
    ),
    Metric(
        "cleanup_runs",
        "counter",
        "tidemark_offset_cleanup_runs_total",
        "Passes that looked for what has expired.",
    ),
    Metric(
        "cleanup_duration",
        "histogram",
        "tidemark_offset_cleanup_duration_seconds",
        "How long such a pass took, turns of others included.",
        buckets=SECONDS,
    ),
    Metric(
        "clock_offset",
        "gauge",
        "tidemark_clock_offset_seconds",
        "How far the broker's time is from the host's, because a test has moved it.",
    ),
    Metric(
        "series_left_out",
        "gauge",
        "tidemark_series_left_out",
        f"Series that this page leaves out, because a metric has more than {SERIES_MAX}.",
        labels=("metric",),
    ),
)
