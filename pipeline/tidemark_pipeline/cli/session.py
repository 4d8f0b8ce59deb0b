"""The Spark session of the command: quiet, in UTC, and configured for a small machine.

The startup messages of Java and Spark (incubator modules, log4j's profile, host names, native libraries) go
into a file that is kept only after a failure.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partialmethod
from importlib.util import find_spec
from pathlib import Path
from socketserver import BaseServer
from typing import TYPE_CHECKING, Any, Final, NoReturn
from urllib.parse import urlsplit
from urllib.request import getproxies

from tidemark_pipeline.cli import class_data, packages
from tidemark_pipeline.cli.options import CONNECT
from tidemark_pipeline.model import PipelineError
from tidemark_pipeline.package import send
from tidemark_pipeline.tables.small import SMALL

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidemark_pipeline.cli.class_data import Archive

JAVA_MIN: Final = 17  # Spark 4's
# As in pyproject.toml. The message cannot name our extra `spark`: tidemark-broker is not on PyPI yet.
PACKAGES: Final = {"pyspark": "pyspark>=4.2,<5", "pyarrow": "pyarrow>=18", "numpy": "numpy>=2"}
CONNECT_PORT: Final = 15002
CONNECT_WAIT_S: Final = 10.0
CONNECT_PACKAGES: Final = dict.fromkeys(
    ("pandas", "grpc", "grpc_status", "zstandard"), "'pyspark[connect]>=4.2,<5' 'pandas<3'"
)
GIB: Final = 2**30
DRIVER_GIB_MAX: Final = 8
POLL_S: Final = 0.05

EVERYWHERE: Final = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Not Spark's INT96, which other readers take for local time, and misread after the year 2262.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.ui.showConsoleProgress": "false",
}
# On one machine no other host connects, and the web page is not needed.
LOCALLY: Final = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.log.level": "WARN",
}
# In a JVM that runs for seconds, the second compiler needs as much CPU time as all the rest. With the first
# alone, Java reserves 48 MB for code. About ten tables fill that, and then nothing is compiled any more.
# With a larger heap and more room for classes at the start, the garbage is collected a few times only. Java
# limits this share of the memory to the largest heap, which the user may have set.
BRIEF_JAVA: Final = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC "
    "-XX:InitialRAMPercentage=5 -XX:MetaspaceSize=256m"
)
# A small log is read before Spark is warm, so optimizations for long work cost more than they save.
JAVA_OPTIONS: Final = "spark.driver.extraJavaOptions"
SHORTLY: Final = {
    JAVA_OPTIONS: BRIEF_JAVA,
    "spark.sql.adaptive.enabled": "false",
    SMALL: "true",
    "spark.sql.shuffle.partitions": "1",
    # Spark assumes that an Arrow table is huge, and would repartition it for parallel work.
    "spark.sql.maxSinglePartitionBytes": str(2**63 - 1),
    # Each sort would clear 64 MB.
    "spark.buffer.pageSize": "1m",
    # Arrow tables as rows of the plan would be evaluated by the optimizer, at each planning.
    "spark.sql.execution.arrow.localRelationThreshold": "0",
    # Compiling a query takes longer than interpreting it once, over some hundred thousand rows.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
# For a cluster, whose log turns out to be long: the defaults of what a running session can change.
AT_LENGTH: Final = {
    "spark.sql.adaptive.enabled": "true",
    SMALL: "false",
    "spark.sql.shuffle.partitions": str(max(2, os.cpu_count() or 1)),
    "spark.sql.maxSinglePartitionBytes": "128m",
    "spark.sql.execution.arrow.localRelationThreshold": "48MB",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
}


# For a log of up to 1 GB. Spark spills to disk what has no room, and Java would use all the room it gets.
DECODED: Final = {JAVA_OPTIONS: BRIEF_JAVA, "spark.driver.memory": "1g"}


def check_installed(master: str | None) -> None:
    """Raise PipelineError if the packages of the extra `spark` are missing."""
    needed = {name: f"'{requirement}'" for name, requirement in PACKAGES.items()}
    if _is_connect(master):
        needed |= CONNECT_PACKAGES
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        install = " ".join(dict.fromkeys(needed[name] for name in missing))
        raise PipelineError(f"{', '.join(missing)} not installed: pip install {install}")


def check_server(master: str | None) -> None:
    """Raise PipelineError if nothing listens at this Spark Connect master. Its client would retry for ten
    minutes.
    """
    if master is None or not _is_connect(master) or getproxies():  # gRPC has the proxies of the environment
        return
    try:
        url = urlsplit(master)
        address = (url.hostname or "", url.port or CONNECT_PORT)
        socket.create_connection(address, CONNECT_WAIT_S).close()
    except ValueError as error:  # of the port
        raise PipelineError(f"{master} is not an address: {error}") from None
    except OSError as error:
        raise PipelineError(f"no Spark Connect server at {master}: {error.strerror or error}") from None


def check_java(master: str | None) -> None:
    """Raise PipelineError if this master needs a local Java and it is missing or too old."""
    if not _needs_java(master):
        return
    java = _java()
    release = java_release(_version_text(java))
    if release is not None and release < JAVA_MIN:
        raise PipelineError(f"Spark needs Java {JAVA_MIN} or newer, and {java} is Java {release}")


def _needs_java(master: str | None) -> bool:
    """Return whether a local JVM is needed: not on Spark Connect, and spark-submit has started one
    already.
    """
    return not _is_connect(master) and not _submitted()


def _is_connect(master: str | None) -> bool:
    return master is not None and master.startswith(CONNECT)


def _submitted() -> bool:
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _java() -> str:
    """Return the path of the java that Spark will run. Raises PipelineError if there is none."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home, "bin"))) if home else shutil.which("java")
    if java is None:
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "there is none on the PATH"
        raise PipelineError(f"Spark needs Java {JAVA_MIN} or newer, but {where}")
    return java


def _version_text(java: str) -> str:
    """Return what `java -version` prints. Raises PipelineError if it fails, as Apple's placeholder does."""
    try:
        run = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603 - the user's own
    except OSError as error:
        said = error.strerror or str(error)
    else:
        if not run.returncode:
            return run.stderr
        said = next(iter(run.stderr.splitlines()), f"exit code {run.returncode}")
    raise PipelineError(f"Spark needs Java {JAVA_MIN} or newer, and {java} does not run: {said}")


def java_release(said: str) -> int | None:
    """Return 17 for `openjdk version "17.0.15"`, 8 for `java version "1.8.0_402"`; None if there is no
    version.
    """
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(found[1]) if found else None


@contextmanager
def session(
    master: str | None,
    app_name: str = "tidemark",
    settings: Mapping[str, str] | None = None,
    *,
    shortly: bool = False,
    decoded: bool = False,
) -> Iterator[SparkSession]:
    """Yield a session that ends with the block. An existing session is used unchanged, and does not end.

    master: None for the one of spark-submit, or all cores of this machine. settings: override ours. shortly:
    the log is small. decoded: this process decodes the log.
    """
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    signal.signal(signal.SIGTERM, _exit)  # otherwise the files in the temporary directory are not deleted
    with tempfile.TemporaryDirectory(prefix="tidemark-spark-") as place:
        wanted = settings_for(master, shortly=shortly, decoded=decoded)
        archive = _archive(wanted)
        if archive is not None:
            wanted[JAVA_OPTIONS] += f" {archive.java_options()}"
        spark = _started(master, app_name, {**wanted, **(settings or {})}, Path(place, "spark.log"))
        interrupted = False
        try:
            if not (_submitted() or is_one_process(master)):
                send(spark)
            yield spark
        except (KeyboardInterrupt, SystemExit):
            interrupted = True
            raise
        finally:
            # During one call to a JVM there cannot be another. The JVM ends when it notices that we ended.
            if not interrupted and archive is not None:
                archive.write_later(spark._jvm)
            if not interrupted or _is_connect(master):
                spark.stop()


def is_given() -> bool:
    """Return whether `session` uses a JVM that runs already, which can load no further packages."""
    from pyspark.sql import SparkSession

    return _submitted() or SparkSession.getActiveSession() is not None


def _archive(settings: Mapping[str, str]) -> Archive | None:
    """Return the archive of classes for a JVM that runs shortly."""
    return class_data.archive(_java()) if JAVA_OPTIONS in settings else None


def is_one_process(master: str | None) -> bool:
    """Return whether workers run in our environment: not on `local-cluster[2,1,1024]`."""
    return re.fullmatch(r"local(\[.*\])?", master or "local") is not None


def _started(master: str | None, app_name: str, settings: Mapping[str, str], log: Path) -> SparkSession:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if not _needs_java(master):
        builder: Any = SparkSession.builder.appName(app_name)
        if master is not None:
            builder = builder.remote(master) if _is_connect(master) else builder.master(master)
        return _configured(builder, settings).getOrCreate()
    return _launched({"spark.master": master or "local[*]", "spark.app.name": app_name, **settings}, log)


def _configured(builder: Any, settings: Mapping[str, str]) -> Any:
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder


def _launched(settings: Mapping[str, str], log: Path) -> SparkSession:
    """Start a JVM, with its output in log. Raises PipelineError with its last words if it does not start."""
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf()
    for key, value in settings.items():
        conf.set(key, value)
    _quiet_py4j()
    _shorten_poll_of_servers()
    with log.open("wb") as said:
        try:  # the JVM ends after us, and a reader of our output would wait for that
            with _held_back():
                gateway = launch_gateway(conf, {"stdout": said, "stderr": said})
        except PySparkRuntimeError:
            reason = packages.not_loaded(log.read_text(errors="replace"))
            raise PipelineError(reason or f"Spark's JVM did not start: {last_words(log)}") from None
    context = SparkContext(conf=conf, gateway=gateway)
    # Restore KeyboardInterrupt for Ctrl-C: the context's own handler would call Java during another call.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return SparkSession(context)


@contextmanager
def _held_back() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until the block ends; a second one takes effect at once.

    If its parent is interrupted during the start, a JVM never ends.
    """
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def hold(number: int, frame: object) -> None:
        came.append(number)
        restore()

    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, hold)
    try:
        yield
    finally:
        restore()
        if came:
            signal.raise_signal(came[0])


def _exit(number: int, frame: object) -> NoReturn:
    """Exit as a shell reports a command that a signal has ended."""
    sys.exit(128 + number)


def _quiet_py4j() -> None:
    """Silence py4j, which logs traces of interrupted calls, some by the root logger."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(lambda record: "py4j" not in record.pathname)


def _shorten_poll_of_servers() -> None:
    """Shorten the interval at which PySpark's accumulator server looks for its end. `SparkContext.stop` waits
    for that: by default up to 0.5 s.
    """
    from pyspark import accumulators

    kinds: list[Any] = [each for each in vars(accumulators).values() if isinstance(each, type)]
    for kind in kinds:
        if issubclass(kind, BaseServer):
            kind.serve_forever = partialmethod(BaseServer.serve_forever, poll_interval=POLL_S)


def last_words(log: Path) -> str:
    """Return the last line of a JVM's stderr that is no frame of a trace."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return next((line for line in reversed(lines) if not line.startswith("\t")), "it said nothing")


def settings_for(master: str | None, *, shortly: bool = False, decoded: bool = False) -> dict[str, str]:
    """Return our settings; under spark-submit and on Connect only those that its administrator does not
    decide.
    """
    if not _needs_java(master):
        return {key: value for key, value in EVERYWHERE.items() if key.startswith("spark.sql.")}
    if master is not None and not master.startswith("local"):
        return dict(EVERYWHERE)
    return {
        **EVERYWHERE,
        **LOCALLY,
        "spark.driver.memory": f"{driver_gib(_memory_bytes())}g",
        "spark.sql.shuffle.partitions": str(max(2, os.cpu_count() or 1)),
        **(SHORTLY if shortly else DECODED if decoded else {}),
    }


def driver_gib(memory_bytes: int) -> int:
    """Return the heap size for one machine: a quarter of its memory, because Python's workers need some
    too.
    """
    return max(1, min(DRIVER_GIB_MAX, memory_bytes // 4 // GIB))


def _memory_bytes() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):  # this system does not report it
        return 4 * GIB
