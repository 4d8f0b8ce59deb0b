"""`python -m tidemark_pipeline` is the command `tidemark-pipeline`."""

import sys

from tidemark_pipeline.cli.main import main

sys.exit(main())
