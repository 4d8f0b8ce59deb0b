"""Topics, records and committed offsets for tests: written and read by Kafka's protocol.

`calls` yields requests and receives responses, so the same code serves the wire client of the pytest fixture
and the HTTP API, which decides them in the broker. `document` reads declarative seed data.
"""
