"""`python -m tidemark_pipeline` is the command `tidemark-pipeline`."""

import sys

from tidemark_pipeline.main import main

sys.exit(main())
