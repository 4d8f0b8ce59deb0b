"""Topics, records and committed offsets for tests: written and read by Kafka's protocol.

`calls` yields requests and receives responses, so the same code serves the wire client of the pytest fixture
and the HTTP API, which decides them in the broker. `document` reads declarative seed data.
"""

from typing import Final

FIXTURE_CLIENT_ID: Final = "tidemark-fixture"
HTTP_CLIENT_ID: Final = "tidemark-http"
# Faults do not apply to the requests of these clients, and the journal of requests does not list them, unless
# a filter names the client: a test sets faults for, and asserts about, the client that it tests.
OWN_CLIENT_IDS: Final = frozenset((FIXTURE_CLIENT_ID, HTTP_CLIENT_ID))
