from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tidemark.core.context import Operation
from tidemark.core.decision import Record
from tidemark.handlers.cluster.unregister_controller import unregister_controller
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.unregister_controller import UnregisterControllerRequest
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord


def test_a_directory_of_an_older_release_has_no_unregistration_of_controllers() -> None:
    story = ClusterStory()
    story.store([Record(None, FeatureLevelRecord("metadata.version", 30))])
    response = story.ask(unregister_controller, UnregisterControllerRequest(2), 0)
    assert (response.error_code, response.error_message) == (
        ErrorCode.UNSUPPORTED_VERSION,
        "The current MetadataVersion is too old to support controller unregistration.",
    )


def test_client_without_alter_on_the_cluster_is_refused() -> None:
    story = ClusterStory()
    story.allowed = lambda operation, *_: operation != Operation.ALTER
    with pytest.raises(KafkaError) as refused:
        story.ask(unregister_controller, UnregisterControllerRequest(2), 0)
    assert refused.value.code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
