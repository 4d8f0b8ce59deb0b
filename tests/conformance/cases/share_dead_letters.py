"""Dead-letter queues of share groups, and share.version 2 (KIP-1191). Only Kafka 4.4 has them.

share.version belongs to the whole broker, so these cases have brokers of their own.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from tests.conformance.build_admin import GROUP, SET, TOPIC, change, describe
from tests.conformance.build_data import batch, fetch, produce, record
from tests.conformance.build_share import ACCEPT, GAP, REJECT, RELEASE, share_state
from tests.conformance.build_transactions import set_features
from tests.conformance.case import Fields, Talk, case
from tests.conformance.consumers import set_group
from tests.conformance.sharing import (
    SECOND,
    SHARE_SETTINGS,
    Sharer,
    a_sharer,
    fill,
    filled_topic,
    share_topic,
    sharers,
    started,
)
from tidemark_protocol.batch import headers, records

FEATURE: Final = "share.version"
QUEUE: Final = "errors.deadletterqueue.topic.name"
COPY: Final = {"errors_deadletterqueue_copy_record_enable": "true"}
LETTERS: Final = {"errors_deadletterqueue_group_enable": "true"}  # of a topic
ANY_NAME: Final = {
    **SHARE_SETTINGS,
    "errors.deadletterqueue.topic.name.prefix": "",
    "errors.deadletterqueue.auto.create.topics.enable": "true",
}
dead: Final = partial(case, settings=ANY_NAME, is_new=True)


def at_level_2(k: Talk) -> None:
    """Raise share.version to 2, unless another case has done so."""
    k.until(lambda: _raised(k), lambda level: level == 2)


def _raised(k: Talk) -> int:
    k.do(*set_features((FEATURE, 2)))
    return _level(k)


def _level(k: Talk) -> int:
    fields = {"ClientSoftwareName": "x", "ClientSoftwareVersion": "1"}
    finalized = k.do("ApiVersions", 4, fields)["FinalizedFeatures"]
    found: list[int] = [each["MaxVersionLevel"] for each in finalized if each["Name"] == FEATURE]
    return found[0] if found else 0


def queue(k: Talk, partitions: int = 1, **configs: str) -> str:
    return k.topic(partitions, **{**LETTERS, **configs})


def letters(k: Talk, topic: str, partition: int = 0) -> list[Any]:
    """Return the records of a dead-letter queue, in the clear."""
    response = k.do(*fetch({topic: {partition: 0}}))["Responses"][0]["Partitions"][0]
    data = bytes.fromhex(response["Records"] or "")
    return [
        {
            "offset": one.offset,
            "key": _text(one.key),
            "value": _text(one.value),
            "headers": [[name, _text(value)] for name, value in one.headers],
        }
        for pos, header in headers(data)
        for one in records(data, pos, header)
    ]


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "backslashreplace")


def ask_letters(k: Talk, topic: str, count: int, partition: int = 0) -> None:
    """Keep the records of a dead-letter queue, once there are so many."""
    found = k.until(lambda: letters(k, topic, partition), lambda told: len(told) >= count)
    k.keep("letters", found)


def with_queue(k: Talk, topic: str, letters_to: str, version: int = 1, **configs: str) -> Sharer:
    at_level_2(k)
    return started(k, topic, version, errors_deadletterqueue_topic_name=letters_to, **configs)


@dead()
def rejected_records_become_dead_letters(k: Talk) -> None:
    topic, letters_to = filled_topic(k, 5), queue(k)
    one = with_queue(k, topic, letters_to)
    one.acknowledge({topic: {0: [(1, 2, REJECT)]}})
    ask_letters(k, letters_to, 2)
    one.acknowledge({topic: {0: [(0, 0, ACCEPT), (3, 3, GAP), (4, 4, REJECT)]}})
    ask_letters(k, letters_to, 3)


@dead()
def dead_letters_are_copies(k: Talk) -> None:
    topic, letters_to = share_topic(k), queue(k)
    given = (("h1", b"one"), ("h2", None))
    data = batch(record(key=b"k0", value=b"v0", headers=given), record(key=None, value=None), record())
    k.do(*produce({topic: {0: data}}))
    one = with_queue(k, topic, letters_to, **COPY)
    one.acknowledge({topic: {0: [(0, 2, REJECT)]}})
    ask_letters(k, letters_to, 3)


@dead()
def records_that_were_delivered_too_often_become_dead_letters(k: Talk) -> None:
    topic, letters_to = filled_topic(k, 2), queue(k)
    one = with_queue(k, topic, letters_to, share_delivery_count_limit="2")
    for _ in range(2):
        one.acknowledge({topic: {0: [(0, 1, RELEASE)]}})
        one.fetch({topic: [0]})
    ask_letters(k, letters_to, 2)


@dead()
def records_whose_locks_ended_too_often_become_dead_letters(k: Talk) -> None:
    topic, letters_to = filled_topic(k, 2), queue(k)
    one = with_queue(k, topic, letters_to, share_delivery_count_limit="2", **SECOND)
    one.fetch_until({topic: [0]})
    ask_letters(k, letters_to, 2)
    one.fetch({topic: [0]})


@dead()
def session_ends_with_records_that_were_delivered_too_often(k: Talk) -> None:
    topic, letters_to = filled_topic(k, 2), queue(k)
    one = with_queue(k, topic, letters_to, share_delivery_count_limit="2")
    one.acknowledge({topic: {0: [(0, 1, RELEASE)]}})
    one.fetch({topic: [0]})
    one.acknowledge(epoch=-1)
    ask_letters(k, letters_to, 2)


@dead()
def rejected_records_of_several_batches(k: Talk) -> None:
    topic, letters_to = filled_topic(k, 3, batches=3), queue(k)
    one = with_queue(k, topic, letters_to, **COPY)
    one.acknowledge({topic: {0: [(0, 8, REJECT)]}})
    ask_letters(k, letters_to, 9)
    fill(k, topic, 2)
    one.fetch_until({topic: [0]})


@dead()
def partitions_of_dead_letters(k: Talk) -> None:
    topic, letters_to = filled_topic(k, 1, partitions=4), queue(k, 2)
    at_level_2(k)
    (one,) = sharers(k, 1, {topic: 4}, errors_deadletterqueue_topic_name=letters_to)
    for index in range(4):
        one.fetch_until({topic: [index]}, kept=False)
        one.acknowledge({topic: {index: [(0, 0, REJECT)]}}, kept=False)
    for index in range(2):
        ask_letters(k, letters_to, 2, index)


@dead()
def state_while_records_become_dead_letters(k: Talk) -> None:
    topic, letters_to = filled_topic(k, 5), queue(k)
    one = with_queue(k, topic, letters_to)
    one.acknowledge({topic: {0: [(1, 2, REJECT)]}})
    ask_letters(k, letters_to, 2)
    k.broker.pause(500)
    read = share_state("Read", one.group, {k.topic_id(topic): {0: {"LeaderEpoch": 0}}})
    k.ask(*read)
    one.acknowledge({topic: {0: [(0, 0, ACCEPT)]}})
    k.ask(*read)


@dead()
def queue_that_is_not_enabled(k: Talk) -> None:
    """The records are archived, though they cannot be written."""
    topic, letters_to = filled_topic(k, 3), k.topic()
    one = with_queue(k, topic, letters_to)
    one.acknowledge({topic: {0: [(0, 1, REJECT)]}})
    k.broker.pause(1000)
    ask_letters(k, letters_to, 0)
    one.acknowledge({topic: {0: [(2, 2, ACCEPT)]}})
    one.fetch({topic: [0]})


@dead()
def queue_is_created(k: Talk) -> None:
    topic, letters_to = filled_topic(k, 3), k.name("letters")
    one = with_queue(k, topic, letters_to)
    one.acknowledge({topic: {0: [(0, 1, REJECT)]}})
    k.until_there(letters_to)
    ask_letters(k, letters_to, 2)
    k.ask("Metadata", 12, {"Topics": [{"Name": letters_to}]}, keep=_partitions)
    keys = ["errors.deadletterqueue.group.enable", "message.timestamp.type", "cleanup.policy"]
    k.ask(*describe((TOPIC, letters_to, keys)))


def _partitions(response: Fields) -> Any:
    return [[topic["ErrorCode"], len(topic["Partitions"])] for topic in response["Topics"]]


@case(
    settings={**ANY_NAME, "errors.deadletterqueue.auto.create.topics.enable": "false"},
    is_new=True,
)
def queue_is_not_created(k: Talk) -> None:
    topic, letters_to = filled_topic(k, 3), k.name("letters")
    one = with_queue(k, topic, letters_to)
    one.acknowledge({topic: {0: [(0, 1, REJECT)]}})
    one.acknowledge({topic: {0: [(2, 2, ACCEPT)]}})
    k.broker.pause(1000)
    k.ask("Metadata", 12, {"Topics": [{"Name": letters_to}]}, keep=_partitions)


@dead()
def queue_is_the_topic_itself(k: Talk) -> None:
    topic = filled_topic(k, 2, **LETTERS)
    one = with_queue(k, topic, topic)
    one.acknowledge({topic: {0: [(0, 0, REJECT)]}})
    one.fetch_until({topic: [0]})


@dead()
def group_without_a_queue(k: Talk) -> None:
    topic = filled_topic(k, 2)
    at_level_2(k)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 0, REJECT)]}})
    letters_to = queue(k)
    set_group(k, one.group, errors_deadletterqueue_topic_name=letters_to)
    one.acknowledge({topic: {0: [(1, 1, REJECT)]}})
    ask_letters(k, letters_to, 1)


@case(settings={**ANY_NAME, "group.share.max.size": "140"}, is_new=True)
def queue_at_share_version_1(k: Talk) -> None:
    k.ask(*set_features((FEATURE, 1), upgrade=2))
    topic, letters_to = filled_topic(k, 2), queue(k)
    one = a_sharer(k, topic, errors_deadletterqueue_topic_name=letters_to)
    k.keep("level", _level(k))
    one.fetch_until({topic: [0]}, kept=False)
    one.acknowledge({topic: {0: [(0, 1, REJECT)]}})
    k.broker.pause(1000)
    ask_letters(k, letters_to, 0)


@case(settings=SHARE_SETTINGS, is_new=True)
def names_of_queues(k: Talk) -> None:
    group = k.group()
    for name in (
        "dlq.letters",
        "letters",
        "__letters",
        "__consumer_offsets",
        "",
        "no/name",
        "x" * 250,
        "dlq.",
        None,
    ):
        k.ask(*change((GROUP, group, [(QUEUE, SET, name)])))
    for value in ("true", "FALSE", "maybe", ""):
        k.ask(*change((GROUP, group, [("errors.deadletterqueue.copy.record.enable", SET, value)])))
    k.ask(*describe((GROUP, group, [QUEUE, "errors.deadletterqueue.copy.record.enable"])))
    topic = k.topic()
    for value in ("true", "maybe"):
        k.ask(*change((TOPIC, topic, [("errors.deadletterqueue.group.enable", SET, value)])))
    k.ask(*describe((TOPIC, topic, ["errors.deadletterqueue.group.enable"])))


@case(settings={**ANY_NAME, "group.share.max.size": "150"}, is_new=True)
def levels_of_share_version(k: Talk) -> None:
    """Each level that may be set, and a group at each."""
    topic = filled_topic(k, 2)
    for level in (3, 2, 1, 0, -1):
        for upgrade in (1, 2, 3):
            k.ask(*set_features((FEATURE, level), upgrade=upgrade, validate_only=True))
    for level, upgrade in ((2, 1), (1, 1), (1, 2), (2, 1), (1, 3), (0, 2), (0, 3)):
        k.ask(*set_features((FEATURE, level), upgrade=upgrade))
        k.broker.pause(300)
        k.keep("level", _level(k))
        one = Sharer(k, k.group())
        one.join(topic)
