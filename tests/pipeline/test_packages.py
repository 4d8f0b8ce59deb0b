"""The package of Delta Lake or Iceberg that a session gets, and the sentences if there is none. No Spark
runs.
"""

from __future__ import annotations

import pytest

from tidemark_pipeline.cli.options import Options, parse
from tidemark_pipeline.cli.packages import added, not_loaded
from tidemark_pipeline.model import PipelineError

DELTA = "io.delta:delta-spark_4.2_2.13:4.4.0"
ICEBERG = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"
EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"


def asked(form: str, *more: str) -> Options:
    return parse(["history", "--log-dir", "/a", "--out", "/o", "--format", form, *more])


def settings(form: str, *conf: str, version: str = "4.2.1", submitted: bool = False) -> dict[str, str]:
    more = [word for each in conf for word in ("--conf", each)]
    return dict(added(asked(form, *more), submitted=submitted, version=version).spark)


@pytest.mark.parametrize("form", ["parquet", "csv", "json"])
def test_files_need_no_package(form: str) -> None:
    assert settings(form, "spark.a=b") == {"spark.a": "b"}


@pytest.mark.parametrize(
    ("form", "version", "package"),
    [
        ("delta", "4.2.0", DELTA),
        ("delta", "4.2.1", DELTA),
        ("iceberg", "4.2.1", ICEBERG),
        ("iceberg", "4.3.0", ICEBERG),
    ],
)
def test_package_fits_the_installed_spark(form: str, version: str, package: str) -> None:
    assert settings(form, version=version)["spark.jars.packages"] == package


def test_delta_lake_gets_its_extension_and_catalog() -> None:
    given = settings("delta")
    assert given["spark.sql.extensions"] == EXTENSION
    assert given["spark.sql.catalog.spark_catalog"] == "org.apache.spark.sql.delta.catalog.DeltaCatalog"


def test_settings_of_the_user_are_kept() -> None:
    given = settings(
        "delta",
        "spark.jars.packages=a:b:1",
        "spark.sql.extensions=x.Y",
        "spark.sql.catalog.spark_catalog=x.Z",
    )
    assert given["spark.jars.packages"] == f"a:b:1,{DELTA}"
    assert given["spark.sql.extensions"] == f"x.Y,{EXTENSION}"
    assert given["spark.sql.catalog.spark_catalog"] == "x.Z"


@pytest.mark.parametrize(
    "given",
    [
        "spark.jars.packages=io.delta:delta-spark_4.3_2.13:5.0.0",
        "spark.jars=/lib/delta-spark_4.3_2.13-5.0.0.jar",
    ],
)
def test_package_of_the_user_is_used_with_any_spark(given: str) -> None:
    key, _, value = given.partition("=")
    assert settings("delta", given, version="4.3.0")[key] == value
    assert ("spark.jars.packages" in settings("delta", given)) == (key == "spark.jars.packages")


def test_nothing_is_downloaded_for_a_jvm_that_runs_already() -> None:
    given = settings("delta", version="4.9.0", submitted=True)
    assert "spark.jars.packages" not in given
    assert given["spark.sql.extensions"] == EXTENSION


def test_spark_without_a_release_is_one_sentence() -> None:
    with pytest.raises(PipelineError) as raised:
        settings("delta", version="4.3.0")
    assert str(raised.value) == (
        "no release of Delta Lake is known to work with PySpark 4.3.0: pip install 'pyspark==4.2.*', or name "
        "a package with --conf spark.jars.packages=GROUP:delta-spark...:VERSION"
    )
    with pytest.raises(
        PipelineError, match=r"pip install 'pyspark==4\.2\.\*' or 'pyspark==4\.3\.\*', or name"
    ):
        settings("iceberg", version="4.9.0")


def test_tables_cannot_be_written_on_spark_connect() -> None:
    with pytest.raises(PipelineError, match="^--format delta cannot be written on Spark Connect$"):
        added(asked("delta", "--master", "sc://host"), submitted=False, version="4.2.1")


IVY = """\
:: loading settings :: url = jar:file:/ivy-2.5.3.jar!/org/apache/ivy/core/settings/ivysettings.xml
\t\t:: io.delta#delta-spark_4.2_2.13;4.4.0: not found
Exception in thread "main" java.lang.RuntimeException: [{}]
\tat org.apache.spark.util.MavenUtils$.resolveMavenCoordinates(MavenUtils.scala:493)
"""


@pytest.mark.parametrize(
    "said",
    [
        "unresolved dependency: io.delta#delta-spark_4.2_2.13;4.4.0: not found",
        "download failed: io.delta#delta-spark_4.2_2.13;4.4.0!delta-spark_4.2_2.13.jar",
    ],
)
def test_package_that_cannot_be_downloaded_is_one_sentence(said: str) -> None:
    assert not_loaded(IVY.format(said)) == (
        f"{DELTA} cannot be downloaded from Maven Central: check the network and the version, or name its "
        "jars with --conf spark.jars=FILE,..."
    )
    assert not_loaded("Exception: out of memory\n") is None
