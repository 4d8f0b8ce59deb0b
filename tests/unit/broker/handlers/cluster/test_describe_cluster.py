"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

from tests.unit.broker.cluster_story import ClusterStory
from tidemark.handlers.cluster.describe_cluster import describe_cluster
from tidemark_protocol.messages.describe_cluster import DescribeClusterRequest


def test_one_broker_which_is_the_controller() -> None:
    for version in range(3):
        response = ClusterStory().ask(describe_cluster, DescribeClusterRequest(), version)
        assert (response.error_code, response.cluster_id, response.controller_id) == (0, "cluster-id", 1)
        assert [(b.broker_id, b.host, b.port, b.rack, b.is_fenced) for b in response.brokers] == [
            (1, "broker.test", 19092, None, False)
        ]
        assert response.cluster_authorized_operations == -(2**31)


def test_operations_are_returned_if_requested() -> None:
    request = DescribeClusterRequest(include_cluster_authorized_operations=True)
    assert ClusterStory().ask(describe_cluster, request, 0).cluster_authorized_operations == 8096
    story = ClusterStory()
    story.allowed = lambda operation, kind, name: False
    assert story.ask(describe_cluster, request, 0).cluster_authorized_operations == 0


def test_a_broker_refuses_requests_about_controllers() -> None:
    for kind, code, message in (
        (
            2,
            114,
            "The request was sent to an endpoint of type BROKER, "
            "but we wanted an endpoint of type CONTROLLER",
        ),
        (3, 115, "Unsupported endpoint type 3"),
    ):
        response = ClusterStory().ask(describe_cluster, DescribeClusterRequest(endpoint_type=kind), 1)
        assert (response.error_code, response.error_message) == (code, message)
        assert (response.endpoint_type, response.cluster_id, response.controller_id, response.brokers) == (
            1,
            "",
            -1,
            [],
        )
