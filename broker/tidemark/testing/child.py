"""`python -m tidemark.testing.child ...`: the command `tidemark`, ended by the end of its stdin.

A test process that is killed stops nothing; but the pipe to its children closes.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Final

STDIN: Final = 0


def _end_with_parent() -> None:
    while os.read(STDIN, 1024):  # unbuffered: at its end Python would wait a second for the buffer's lock
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> int:
    from tidemark.cli.main import main as tidemark

    threading.Thread(target=_end_with_parent, daemon=True).start()
    return tidemark(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
