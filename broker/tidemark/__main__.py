"""`python -m tidemark` is `tidemark`."""

import sys

from tidemark_tools.main import main

sys.exit(main())
