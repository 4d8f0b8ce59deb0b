"""Delta and Iceberg tables at --out: whose they are, which formats fit, and what follow needs to continue.

The files here have the layout that the engines' specifications define. The engines run in tests/ecosystem.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidemark_pipeline.cli.continuing import check_goes_on
from tidemark_pipeline.cli.iceberg import merged_names, schema_json
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.cli.outdir import MARKER, check_replaceable, committed, mark, replaced
from tidemark_pipeline.model import PipelineError

QUERY = "b3c1"
FORMS = ["delta", "iceberg"]


def names(place: Path) -> list[str]:
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())


def commit(out: Path, form: str, number: int, batch: int | None = None, query: str = QUERY) -> None:
    """Add a commit; batch: it is that micro-batch of the query."""
    if form == "delta":
        path = out / "_delta_log" / f"{number:020}.json"
        actions: list[object] = [{"commitInfo": {"operation": "WRITE"}}]
        if batch is not None:
            actions.append({"txn": {"appId": query, "version": batch, "lastUpdated": 1}})
        text = "".join(f"{json.dumps(action)}\n" for action in actions)
    else:
        path = out / "metadata" / f"v{number + 1}.metadata.json"
        properties = {} if batch is None else {"tidemark.query-id": query, "tidemark.batch-id": str(batch)}
        text = json.dumps({"format-version": 2, "properties": properties})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def facts(form: str) -> dict[str, object]:
    return {"follow": True, "group": None, "transactions": "committed", "format": form}


def followed(out: Path, form: str, *, planned: int, finished: int, written: int) -> Path:
    """Create the files of a stream with micro-batches up to these numbers."""
    for place, newest in (("offsets", planned), ("commits", finished)):
        (out / "_checkpoint" / place).mkdir(parents=True)
        for number in range(newest + 1):
            (out / "_checkpoint" / place / str(number)).touch()
    (out / "_checkpoint" / "metadata").write_text(json.dumps({"id": QUERY}))
    for number in range(written + 1):
        commit(out, form, number, number)
    mark(out, facts(form))
    return out


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("planned", "finished", "written"), [(-1, -1, -1), (0, -1, -1), (3, 2, 2), (3, 2, 3), (12, 12, 12)]
)
def test_follow_continues_after_a_kill_at_any_step(
    tmp_path: Path, form: str, planned: int, finished: int, written: int
) -> None:
    out = followed(tmp_path, form, planned=planned, finished=finished, written=written)
    check_goes_on(out, facts(form))
    if form == "delta" and written >= 0:  # a commit of OPTIMIZE, after which Delta removed the older ones
        for path in (out / "_delta_log").iterdir():
            path.unlink()
        commit(out, form, written + 1)
        check_goes_on(out, facts(form))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lost", ["metadata", "offsets", "query"])
def test_follow_refuses_a_checkpoint_that_does_not_fit(tmp_path: Path, form: str, lost: str) -> None:
    out = followed(tmp_path, form, planned=4, finished=4, written=4)
    if lost == "metadata":
        (out / "_checkpoint" / "metadata").unlink()
    elif lost == "offsets":
        (out / "_checkpoint" / "offsets" / "4").unlink()
    else:
        (out / "_checkpoint" / "metadata").write_text('{"id": "another"}')
    with pytest.raises(
        PipelineError, match="_checkpoint is missing, older than the table, or of another one"
    ):
        check_goes_on(out, facts(form))


@pytest.mark.parametrize(("form", "log"), [("delta", "_delta_log"), ("iceberg", "metadata")])
def test_follow_refuses_a_checkpoint_without_its_table(tmp_path: Path, form: str, log: str) -> None:
    out = followed(tmp_path, form, planned=1, finished=1, written=-1)
    with pytest.raises(PipelineError, match=f"{out}/{log} is missing, but _checkpoint is not"):
        check_goes_on(out, facts(form))


@pytest.mark.parametrize(
    ("was", "form"), [("parquet", "delta"), ("delta", "parquet"), ("delta", "iceberg"), ("iceberg", "csv")]
)
def test_table_with_versions_is_not_replaced_by_another_format(tmp_path: Path, was: str, form: str) -> None:
    mark(tmp_path, {"format": was})
    with pytest.raises(PipelineError) as raised:
        check_replaceable(tmp_path, form)
    assert str(raised.value) == (
        f"{tmp_path} was written with --format {was}, and --format {form} cannot replace it: "
        "name another directory, or remove it"
    )
    with pytest.raises(PipelineError, match="cannot replace it"), replaced(tmp_path, {"format": form}):
        pytest.fail("the table would be lost")


def test_files_may_be_replaced_by_files_of_another_format(tmp_path: Path) -> None:
    mark(tmp_path, {"format": "csv"})
    check_replaceable(tmp_path, "json")


@pytest.mark.parametrize("form", FORMS)
def test_table_of_another_program_is_kept(tmp_path: Path, form: str) -> None:
    commit(tmp_path, form, 0)
    before = names(tmp_path)
    with pytest.raises(PipelineError, match="another program wrote it"), committed(tmp_path, form, {}):
        pytest.fail("the table is not ours")
    assert names(tmp_path) == before


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def fail(out: Path, form: str, *, number: int | None = None, as_of_ms: int = 1) -> None:
    """Write a file, commit it if the number of a commit is given, and fail."""
    with committed(out, form, {"format": form, "as_of_ms": as_of_ms}):
        (out / "data" / "deep").mkdir(parents=True)
        (out / "data" / "deep" / "part-1").touch()
        if number is not None:
            commit(out, form, number)
        raise RuntimeError


def test_first_run_that_fails_leaves_nothing(tmp_path: Path, form: str) -> None:
    out = tmp_path / "out"
    with pytest.raises(RuntimeError):
        fail(out, form)
    assert not out.exists()


def test_failed_run_leaves_the_old_table(tmp_path: Path, form: str) -> None:
    out = tmp_path / "out"
    with committed(out, form, {"format": form, "as_of_ms": 1}):
        commit(out, form, 0)
        (out / "part-0").touch()
    before = names(out)
    with pytest.raises(RuntimeError):
        fail(out, form, as_of_ms=2)
    assert names(out) == before
    assert json.loads((out / MARKER).read_text())["as_of_ms"] == 1


def test_run_that_fails_after_its_commit_keeps_the_files_of_the_commit(tmp_path: Path, form: str) -> None:
    out = tmp_path / "out"
    with pytest.raises(RuntimeError):
        fail(out, form, number=0)
    assert "data/deep/part-1" in names(out)


def test_table_that_a_killed_run_left_is_ours(tmp_path: Path, form: str) -> None:
    """The marker is written before the rows."""
    out = tmp_path / "out"
    with committed(out, form, facts(form)):
        assert (out / MARKER).exists()


def test_settle_is_not_needed(tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyspark")
    mark(tmp_path, facts(form))
    assert main(["history", "--settle", "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"tidemark-pipeline: {tmp_path} was written with --format {form}, so every reader finds each row "
        "once: --settle is not needed\n"
    )


def test_schema_of_iceberg_has_an_id_for_each_field_and_element() -> None:
    t = pytest.importorskip("pyspark.sql.types")
    of_b = t.StructType().add("c", t.LongType()).add("d", t.ArrayType(t.IntegerType()))
    schema = t.StructType().add("a", t.StringType()).add("b", t.ArrayType(of_b)).add("e", t.TimestampType())
    optional = {"required": False}
    inner = [
        {"id": 4, "name": "c", **optional, "type": "long"},
        {
            "id": 5,
            "name": "d",
            **optional,
            "type": {"type": "list", "element-id": 6, "element": "int", "element-required": False},
        },
    ]
    element = {"type": "struct", "fields": inner}
    elements = {"type": "list", "element-id": 3, "element": element, "element-required": False}
    assert schema_json(schema) == {
        "type": "struct",
        "fields": [
            {"id": 1, "name": "a", **optional, "type": "string"},
            {"id": 2, "name": "b", **optional, "type": elements},
            {"id": 7, "name": "e", **optional, "type": "timestamptz"},
        ],
    }


def test_columns_of_earlier_snapshots_stay_readable() -> None:
    old = '[{"field-id": 1, "names": ["a"]}, {"field-id": 2, "names": ["b"]}]'
    new = '[{"field-id": 1, "names": ["a"]}, {"field-id": 3, "names": ["c"]}]'
    merged = json.loads(merged_names(new, old))
    assert {entry["field-id"]: entry["names"] for entry in merged} == {1: ["a"], 3: ["c"], 2: ["b"]}
    assert json.loads(merged_names(new, None)) == json.loads(new)
