"""`python -m tidemark_testing.child ...`: the command `tidemark`, which stops when its stdin closes.

A killed test process cannot stop its children, but the pipes to them close.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Final

STDIN: Final = 0


def _end_with_parent() -> None:
    while os.read(STDIN, 1024):  # unbuffered: at exit, Python would wait a second for the buffer's lock
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> int:
    from tidemark_tools.main import main as tidemark

    threading.Thread(target=_end_with_parent, daemon=True).start()
    return tidemark(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
