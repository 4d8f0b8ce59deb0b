"""`python -m tests.faults.simulation`: see campaign.py."""

import sys

from tests.faults.simulation.campaign import main

sys.exit(main())
