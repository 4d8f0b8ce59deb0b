"""`tidemark monitoring rules|dashboard|prometheus`: prints a file for Prometheus or Grafana."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import tidemark
from tidemark_tools.main import USAGE_ERROR

USAGE: Final = """\
usage: tidemark monitoring rules|dashboard|prometheus

Prints a file that comes with tidemark:

  rules        alert rules for Prometheus        tidemark monitoring rules > rules.yml
  dashboard    a dashboard to import in Grafana  tidemark monitoring dashboard > tidemark.json
  prometheus   a configuration of Prometheus that scrapes tidemark:9464 and reads rules.yml
"""
FOLDER: Final = Path(tidemark.__file__).with_name("monitoring")
FILES: Final = {"dashboard": "dashboard.json", "prometheus": "prometheus.yml", "rules": "rules.yml"}


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code."""
    if len(arguments) != 1 or arguments[0] not in FILES:
        requested = arguments in (["--help"], ["-h"])
        print(USAGE, end="", file=sys.stdout if requested else sys.stderr)
        return 0 if requested else USAGE_ERROR
    print((FOLDER / FILES[arguments[0]]).read_text("utf-8"), end="")
    return 0
