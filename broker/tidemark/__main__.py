"""`python -m tidemark` is `tidemark`."""

import sys

from tidemark.cli.main import main

sys.exit(main())
