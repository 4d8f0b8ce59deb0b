"""Run examples/notebook/committed-offsets.ipynb.

`python -m tests.ecosystem.notebook` also writes the outputs to the file. The kernel is a child process with
the libraries of the environment `notebook` and with our PySpark.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from tests.broker_process import ROOT
from tests.clientenv import client_python
from tests.pipeline.conftest import BRIEF, submit_arguments

NOTEBOOK: Final = ROOT / "examples" / "notebook" / "committed-offsets.ipynb"
SECONDS: Final = 900
# nbclient, in the child process.
RUN: Final = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], 4)
NotebookClient(notebook, timeout=None, resources={"metadata": {"path": sys.argv[2]}}).execute()
nbformat.write(notebook, sys.argv[3])
"""
# The other settings may change the order of rows that no query sorts.
KEEP_ORDER: Final = ("spark.driver.extraJavaOptions", "spark.python.sql.dataFrameDebugging.enabled")
KEPT: Final = ("text/plain", "text/html", "image/png")


def executed() -> dict[str, Any]:
    """Return the notebook with new outputs. Raises CalledProcessError if a cell fails, which is on stderr."""
    libraries = client_python("notebook").parents[1].glob("lib/python3*/site-packages")
    code = [str(ROOT / name) for name in ("pipeline", "protocol")]
    java = f"--master local[2] {submit_arguments({name: BRIEF[name] for name in KEEP_ORDER})} pyspark-shell"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*code, *map(str, libraries)]),
        "PYSPARK_SUBMIT_ARGS": java,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    with tempfile.TemporaryDirectory() as place:
        done = Path(place, "done.ipynb")
        command = [sys.executable, "-c", RUN, str(NOTEBOOK), str(NOTEBOOK.parent), str(done)]
        subprocess.run(command, env=environment, check=True, timeout=SECONDS)
        return tidied(json.loads(done.read_text()))


def tidied(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook without what differs in each run: times, Spark's warnings, the kernel's version."""
    for number, cell in enumerate(notebook["cells"]):
        cell |= {"id": f"cell-{number}", "metadata": {}}
        if cell["cell_type"] == "code":
            cell["outputs"] = [each for each in cell["outputs"] if each.get("name") != "stderr"]
            for each in cell["outputs"]:
                if "data" in each:
                    each["data"] = {kind: each["data"][kind] for kind in KEPT if kind in each["data"]}
    notebook["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def written(notebook: dict[str, Any]) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(written(executed()), "utf-8")
