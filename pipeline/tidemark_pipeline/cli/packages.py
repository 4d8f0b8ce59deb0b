"""The Spark packages of Delta Lake, Iceberg and the source for Kafka.

Chooses the release that fits the installed Spark, and its settings. Needs no Spark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tidemark_pipeline.cli.options import CONNECT, Options
from tidemark_pipeline.model import PipelineError

PACKAGES: Final = "spark.jars.packages"
JARS: Final = "spark.jars"
EXTENSIONS: Final = "spark.sql.extensions"
NOT_LOADED: Final = re.compile(r"(?:unresolved dependency|download failed): ([^;\s]+)#([^;\s]+);([^:!\s]+)")


@dataclass(slots=True, frozen=True)
class Engine:
    """The engine of a table format, or the source for Kafka.

    artifact    what the names of its Spark packages begin with
    releases    the package that was tested with each release of Spark
    extension   of Spark's SQL; empty: it has none that is needed
    settings    of Spark
    a_class     a class of the package
    """

    name: str
    artifact: str
    releases: Mapping[str, str]
    a_class: str
    extension: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


_ICEBERG: Final = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"
ENGINES: Final[Mapping[str, Engine]] = {
    "delta": Engine(
        name="Delta Lake",
        artifact="delta-spark",
        releases={"4.2": "io.delta:delta-spark_4.2_2.13:4.4.0"},
        a_class="io.delta.tables.DeltaTable",
        extension="io.delta.sql.DeltaSparkSessionExtension",
        settings={
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            # Delta reads its log in 50 tasks. This table has one commit per run or minute.
            "spark.databricks.delta.snapshotPartitions": "2",
        },
    ),
    # iceberg.py uses only the classes of this package that do not depend on Spark.
    "iceberg": Engine(
        name="Iceberg",
        artifact="iceberg-spark-runtime",
        releases={"4.2": _ICEBERG, "4.3": _ICEBERG},
        a_class="org.apache.iceberg.hadoop.HadoopTables",
    ),
}

_SOURCE: Final = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"
KAFKA: Final = Engine(
    name="Spark's source for Kafka",
    artifact="spark-sql-kafka",
    releases={"4.2": _SOURCE, "4.3": _SOURCE},
    a_class="org.apache.spark.sql.kafka010.KafkaSourceProvider",
)


def _needed(options: Options) -> list[Engine]:
    engines = [ENGINES[options.format]] if options.format in ENGINES else []
    return engines if options.cluster is None else [*engines, KAFKA]


def added(options: Options, *, submitted: bool, version: str | None = None) -> Options:
    """Return the options with the Spark settings that --format and --bootstrap-server need.

    submitted: the JVM runs already, so that no package can be added. version: of PySpark; None: the installed
    one. Raises PipelineError: no package is known for it and the user gave none, or Spark Connect.
    """
    if options.format in ENGINES and (options.master or "").startswith(CONNECT):
        raise PipelineError(f"--format {options.format} cannot be written on Spark Connect")
    for engine in _needed(options):
        settings = _with_extension(engine, options.spark)
        if not submitted and not _is_given(engine, options.spark):
            package = _package(engine, version or _installed())
            settings[PACKAGES] = _joined(options.spark.get(PACKAGES, ""), package)
        options = replace(options, spark=settings)
    return options


def check_loaded(spark: Any, options: Options) -> None:
    """Raise PipelineError if the JVM of this session lacks a package that the options need."""
    for engine in _needed(options):
        from py4j.java_gateway import JavaPackage

        found: Any = spark._jvm
        for name in engine.a_class.split("."):
            found = getattr(found, name)
        if isinstance(found, JavaPackage):
            raise PipelineError(
                f"this Spark session was started without {engine.name}: start it with "
                f"--packages {_package(engine, spark.version)}"
            )


def not_loaded(log: str) -> str | None:
    """Return a sentence about the package that Spark could not download, from the output of its JVM."""
    found = NOT_LOADED.search(log)
    if found is None:
        return None
    return (
        f"{':'.join(found.groups())} cannot be downloaded from Maven Central: "
        f"check the network and the version, or name its jars with --conf {JARS}=FILE,..."
    )


def _with_extension(engine: Engine, given: Mapping[str, str]) -> dict[str, str]:
    """Return our settings and the user's, which override ours. Spark accepts a list of extensions."""
    settings = {**engine.settings, **given}
    if engine.extension:
        settings[EXTENSIONS] = _joined(given.get(EXTENSIONS, ""), engine.extension)
    return settings


def _joined(given: str, ours: str) -> str:
    names = [name.strip() for name in given.split(",") if name.strip()]
    return ",".join(dict.fromkeys([*names, ours]))


def _is_given(engine: Engine, given: Mapping[str, str]) -> bool:
    return any(engine.artifact in given.get(key, "") for key in (PACKAGES, JARS))


def _package(engine: Engine, version: str) -> str:
    minor = ".".join(version.split(".")[:2])
    if minor in engine.releases:
        return engine.releases[minor]
    known = " or ".join(f"'pyspark=={minor}.*'" for minor in engine.releases)
    raise PipelineError(
        f"no release of {engine.name} is known to work with PySpark {version}: pip install {known}, "
        f"or name a package with --conf {PACKAGES}=GROUP:{engine.artifact}...:VERSION"
    )


def _installed() -> str:
    from pyspark import __version__

    return str(__version__)
