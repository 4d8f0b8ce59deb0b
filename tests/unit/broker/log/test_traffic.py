from __future__ import annotations

from tidemark.log.manager import ALL, COUNTED, TrafficByTopic


def test_traffic_is_counted_for_the_topic_and_in_total() -> None:
    traffic = TrafficByTopic()
    for topic, messages, size in (("orders", 3, 300), ("orders", 1, 50), ("payments", 2, 200)):
        traffic.of(topic).messages_in += messages
        traffic.of(topic).bytes_in += size
    traffic.of("payments").bytes_out += 70
    assert traffic.reading("messages_in") == {ALL: 6, "orders": 4, "payments": 2}
    assert traffic.reading("bytes_in") == {ALL: 550, "orders": 350, "payments": 200}
    assert traffic.reading("bytes_out") == {ALL: 70, "orders": 0, "payments": 70}


def test_the_total_includes_deleted_topics() -> None:
    traffic = TrafficByTopic()
    for name in COUNTED:
        setattr(traffic.of("orders"), name, 5)
    traffic.forget("orders")
    traffic.forget("nobody")
    traffic.of("orders").messages_in += 1  # made again
    assert traffic.reading("messages_in") == {ALL: 6, "orders": 1}
    assert traffic.reading("fetch_requests") == {ALL: 5, "orders": 0}
