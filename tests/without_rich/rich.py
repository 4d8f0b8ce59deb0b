"""Hide the package rich from processes that tests start (tests/broker_process.py).

import-linter installs it. Users rarely have it. structlog imports it, which needs a fifth of the CPU time of
a broker that starts and stops.
"""

raise ImportError("rich is hidden from this process")
