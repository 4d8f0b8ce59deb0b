"""`python -m tests.simulation`: see campaign.py."""

import sys

from tests.simulation.campaign import main

sys.exit(main())
