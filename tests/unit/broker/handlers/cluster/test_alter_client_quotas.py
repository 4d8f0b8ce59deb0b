"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.story import error_response, interrupted
from tidemark.core.context import Operation
from tidemark.handlers.cluster.alter_client_quotas import alter_client_quotas
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntityData,
    AlterClientQuotasRequestEntryData,
    AlterClientQuotasResponse,
    OpData,
)

RATE = "producer_byte_rate"


def entry(user: str | None, key: str, value: float | None) -> AlterClientQuotasRequestEntryData:
    change = OpData(key, 0.0 if value is None else value, value is None)
    return AlterClientQuotasRequestEntryData([AlterClientQuotasRequestEntityData("user", user)], [change])


def alter(story: ClusterStory, *entries: AlterClientQuotasRequestEntryData) -> AlterClientQuotasResponse:
    response: AlterClientQuotasResponse = story.ask(
        alter_client_quotas, AlterClientQuotasRequest(list(entries)), 1
    )
    return response


def values(story: ClusterStory) -> dict[str | None, float]:
    """Return the quotas after a restart, by user."""
    return {entity[0][1]: record.value for (entity, _), record in story.restarted().quotas.items()}


def test_quota_is_kept_until_it_is_removed() -> None:
    story = ClusterStory()
    alter(story, entry("alice", RATE, 10), entry(None, RATE, 20))
    assert values(story) == {"alice": 10, None: 20}
    alter(story, entry("alice", RATE, None))
    assert values(story) == {None: 20}


def test_quota_that_does_not_change_writes_no_record() -> None:
    story = ClusterStory()
    alter(story, entry("alice", RATE, 10))
    before = len(story.log)
    alter(story, entry("alice", RATE, 10), entry("bob", RATE, None))
    assert len(story.log) == before


@pytest.mark.parametrize("pause", range(12))
def test_requests_at_the_same_time_do_not_mix_the_quotas_of_an_entity(pause: int) -> None:
    """A controller of Kafka decides one request after the other."""

    def both(value: float) -> AlterClientQuotasRequestEntryData:
        wanted = entry("alice", RATE, value)
        wanted.ops.append(OpData("consumer_byte_rate", value, False))
        return wanted

    story = ClusterStory()
    alter(story, entry("alice", RATE, 1))
    steps = alter_client_quotas(story.cluster, story.context(1), AlterClientQuotasRequest([both(1)]))
    interrupted(steps, pause, story.accept, lambda: alter(story, both(2)))
    assert len({record.value for record in story.restarted().quotas.values()}) == 1


def test_many_entries_are_written_in_parts() -> None:
    story = ClusterStory()
    response = alter(story, *(entry(f"user-{number}", RATE, 5) for number in range(1200)))
    assert len(response.entries) == len(values(story)) == 1200


def test_client_without_alter_configs_on_the_cluster_is_refused_for_each_entity() -> None:
    story = ClusterStory()
    story.allowed = lambda operation, *_: operation != Operation.ALTER_CONFIGS
    with pytest.raises(KafkaError) as refused:
        alter(story, entry("alice", RATE, 10))
    code = refused.value.code
    response = error_response(AlterClientQuotasRequest([entry("alice", RATE, 10)]), code)
    assert code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert [(each.error_code, each.error_message) for each in response.entries] == [(code, code.text)]
