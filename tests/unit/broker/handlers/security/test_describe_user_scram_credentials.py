"""Responses are compared with Kafka's in tests/conformance/cases/sasl.py."""

from __future__ import annotations

from typing import Any

from tests.conformance.build_sasl import describe_users, upsertion
from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.handlers.security.test_alter_user_scram_credentials import alter
from tidemark.handlers.security.describe_user_scram_credentials import describe_user_scram_credentials
from tidemark_protocol import from_dict


def describe(story: ClusterStory, users: list[str] | None) -> Any:
    name, version, fields = describe_users(users)
    return story.response(describe_user_scram_credentials, from_dict(f"{name}Request", fields), version)


def test_users_are_described_without_their_keys() -> None:
    story = ClusterStory()
    alter(story, [upsertion("alice", 1, 8192), upsertion("bob", 2)])
    described = {
        result.user: [(each.mechanism, each.iterations) for each in result.credential_infos]
        for result in describe(story, None).results
    }
    assert described == {"alice": [(1, 8192)], "bob": [(2, 4096)]}


def test_client_without_permission_learns_of_no_user() -> None:
    story = ClusterStory()
    alter(story, [upsertion("alice")])
    story.allowed = lambda operation, resource_type, name: False
    response = describe(story, None)
    assert response.error_code == 31
    assert [(result.user, result.error_code) for result in response.results] == [("", 31)]
