"""Responses are compared with Kafka's in tests/conformance/cases/sasl.py."""

from __future__ import annotations

import pytest

from tests.conformance.build_sasl import ScramClient, alter_users, upsertion
from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.story import interrupted
from tidemark.handlers.security.alter_user_scram_credentials import alter_user_scram_credentials
from tidemark.security.mechanisms import sasl_listener
from tidemark.security.scram import Scram
from tidemark.settings.sasl import SaslSettings
from tidemark_protocol import from_dict
from tidemark_protocol.records.remove_user_scram_credential_record import RemoveUserScramCredentialRecord

NOW_MS = 1_800_000_000_000

CLUSTER_AUTHORIZATION_FAILED = 31
SASL = sasl_listener(SaslSettings(("SCRAM-SHA-256", "SCRAM-SHA-512")))


def alter(story: ClusterStory, *arguments: object) -> list[tuple[str, int]]:
    name, version, fields = alter_users(*arguments)  # type: ignore[arg-type]
    request = from_dict(f"{name}Request", fields)
    response = story.ask(alter_user_scram_credentials, request, version)
    return [(result.user, result.error_code) for result in response.results]


def may_log_in(story: ClusterStory, mechanism: str, password: str) -> bool:
    exchange = SASL.mechanisms[mechanism](story.context(0))
    assert isinstance(exchange, Scram)
    client = ScramClient(mechanism, "alice", password)
    try:
        return client.accepts(
            exchange.evaluate(client.final(exchange.evaluate(client.first(), NOW_MS)), NOW_MS)
        )
    except Exception:  # noqa: BLE001 any refusal
        return False


def test_user_logs_in_with_the_credential_of_each_mechanism() -> None:
    story = ClusterStory()
    assert alter(story, [upsertion("alice", 1, password="a")]) == [("alice", 0)]
    assert alter(story, [upsertion("alice", 2, password="b")]) == [("alice", 0)]
    assert may_log_in(story, "SCRAM-SHA-256", "a")
    assert may_log_in(story, "SCRAM-SHA-512", "b")
    assert not may_log_in(story, "SCRAM-SHA-512", "a")


def test_deleted_credential_is_refused() -> None:
    story = ClusterStory()
    alter(story, [upsertion("alice", password="a")])
    assert alter(story, [], [("alice", 1)]) == [("alice", 0)]
    assert not may_log_in(story, "SCRAM-SHA-256", "a")


def test_credentials_survive_a_restart() -> None:
    story = ClusterStory()
    alter(story, [upsertion("alice"), upsertion("bob", 2)])
    alter(story, [], [("bob", 2)])
    restarted = story.restarted()
    assert restarted.scram_credentials == story.cluster.scram_credentials
    assert [*restarted.scram_credentials] == [("alice", 1)]


def test_client_without_permission_changes_nothing() -> None:
    story = ClusterStory()
    story.allowed = lambda operation, resource_type, name: False
    assert alter(story, [upsertion("alice")]) == [("alice", CLUSTER_AUTHORIZATION_FAILED)]
    assert not story.cluster.scram_credentials


@pytest.mark.parametrize("pause", range(3))
def test_credential_that_another_request_deletes_meanwhile_is_not_removed_again(pause: int) -> None:
    """A controller of Kafka cannot replay a removal of what does not exist."""
    story = ClusterStory()
    alter(story, [upsertion("alice", password="a")])
    name, version, fields = alter_users([], [("alice", 1)])
    request = from_dict(f"{name}Request", fields)
    steps = alter_user_scram_credentials(story.cluster, story.context(version), request)
    interrupted(steps, pause, story.accept, lambda: alter(story, [], [("alice", 1)]))
    removals = [each for each in story.log if isinstance(each.value, RemoveUserScramCredentialRecord)]
    assert len(removals) == 1
