"""Handshakes on connections are tested in tests/unit/broker/server/test_states.py.

tests/conformance/cases/sasl.py compares them with Kafka's responses.
"""

from __future__ import annotations

from tidemark.security.mechanisms import sasl_listener
from tidemark.settings.sasl import MECHANISMS, SaslSettings


def test_clients_learn_of_the_mechanisms_in_kafkas_order() -> None:
    listener = sasl_listener(SaslSettings(MECHANISMS))
    assert [*listener.mechanisms] == ["PLAIN", "SCRAM-SHA-512", "SCRAM-SHA-256", "OAUTHBEARER"]
