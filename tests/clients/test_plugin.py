"""Examples of docs/testing.md and docs/share-groups.md.

Each block is saved under the name in its first line, and run by pytest.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.authorities import Authority
from tests.broker_process import two_free_ports
from tests.clientenv import client_python
from tests.kafka_oracle import KafkaNode, missing

pytest_plugins = ["pytester"]
pytestmark = [pytest.mark.contract, pytest.mark.slow]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "testing.md"
SHARE_GROUPS = PAGE.with_name("share-groups.md")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FAILS = "test_fails.py"
KFAKE = "test_beside_kfake.py"
LIBRDKAFKA = "test_beside_librdkafka.py"
STRICT = (
    "-W",
    "error",
    "-W",
    "ignore::DeprecationWarning",
)  # kafka-python uses deprecated features of Python
TIME = re.compile(r"20\d\d-\d\d-\d\dT[\d:.]+Z")


def blocks(language: str, page: Path = PAGE) -> list[str]:
    return [text for found, text in BLOCK.findall(page.read_text("utf-8")) if found == language]


def files(page: Path = PAGE) -> dict[str, str]:
    """Return the blocks by the name in their first line."""
    named = {}
    for text in blocks("python", page):
        first = text.split("\n", 1)[0]
        assert re.fullmatch(r"# \w+\.py", first), f"{page.name}: a block without a name: {first}"
        assert first[2:] not in named, f"{page.name}: two blocks are called {first[2:]}"
        named[first[2:]] = text
    return named


@pytest.fixture
def user(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, no_worker: None) -> pytest.Pytester:
    """A folder with the page's conftest.py, and both client libraries."""
    clients = [client_python(name).parent.parent for name in ("confluent-kafka", "kafka-python")]
    found = [str(path) for client in clients for path in client.glob("lib/python*/site-packages")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(found))
    pytester.path.joinpath("conftest.py").write_text(files()["conftest.py"])
    # pytest-asyncio, which our own tests use, warns unless this is set.
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    return pytester


def save(user: pytest.Pytester, name: str, page: Path = PAGE) -> None:
    user.path.joinpath(name).write_text(files(page)[name])


def test_the_page_has_examples() -> None:
    assert len(files()) > 8


@pytest.mark.parametrize("name", [name for name in files() if name not in ("conftest.py", FAILS)])
def test_an_example_of_the_page_passes(user: pytest.Pytester, name: str) -> None:
    save(user, name)
    result = user.runpytest_subprocess("-q", *STRICT, name)
    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"passed"}, outcomes


@pytest.mark.parametrize("name", files(SHARE_GROUPS))
def test_an_example_of_share_groups_passes(user: pytest.Pytester, name: str) -> None:
    save(user, name, SHARE_GROUPS)
    result = user.runpytest_subprocess("-q", *STRICT, name)
    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"passed"}, outcomes


@pytest.mark.parametrize(
    ("heading", "file", "rows_min"),
    [("## Beside kfake", KFAKE, 22), ("## Beside librdkafka's mock cluster", LIBRDKAFKA, 14)],
)
def test_each_function_of_another_broker_has_an_equivalent_with_an_example_or_none(
    heading: str, file: str, rows_min: int
) -> None:
    section = PAGE.read_text("utf-8").split(heading)[1].split("```python")[0]
    rows = [row.strip("|").split(" | ") for row in section.splitlines() if row.startswith("| ")][2:]
    assert len(rows) >= rows_min
    named = {example.strip(" `"): here.strip() for _, here, example in rows}
    written = set(re.findall(r"^def (test_\w+)", files()[file], re.MULTILINE))
    assert set(named) - {""} == written
    assert named[""].startswith("none: ")


def test_the_example_of_a_failure_fails_as_the_page_shows(user: pytest.Pytester) -> None:
    save(user, FAILS)
    result = user.runpytest_subprocess("-q", FAILS)
    result.assert_outcomes(failed=1)
    (shown,) = blocks("text")
    pattern = re.sub("Group billing .*", "Group billing *", TIME.sub("20*Z", shown))
    result.stdout.fnmatch_lines(pattern.splitlines())


@pytest.mark.parametrize("mode", ["thread", "subprocess"])
def test_all_examples_together_pass_in_parallel_in_every_mode(user: pytest.Pytester, mode: str) -> None:
    for name in files():
        # The comparisons run once, because they are many.
        if name not in (FAILS, KFAKE, LIBRDKAFKA):
            save(user, name)
    result = user.runpytest_subprocess("-q", "-n", "2", *STRICT, "--tidemark-mode", mode)
    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"passed"}, outcomes


@pytest.mark.java
@pytest.mark.skipif(missing() is not None, reason=missing() or "")
def test_tests_that_do_not_move_time_run_with_apache_kafka(
    user: pytest.Pytester, tmp_path_factory: pytest.TempPathFactory
) -> None:
    save(user, "test_first.py")
    save(user, "test_settings.py")
    user.makepyfile(
        test_plain="""
        def test_plain(tidemark, shop):
            topic = tidemark.topic("payments", 2, {"retention.ms": 3_600_000})
            shop.sell(topic, 3)
            shop.read(topic, "accounting", 3)

        def test_the_topic_is_gone(tidemark, shop):
            shop.sell(tidemark.topic("payments"), 1)
            shop.sell(tidemark.topic(), 1)
        """
    )
    kafka = KafkaNode(tmp_path_factory.mktemp("kafka"), two_free_ports())
    kafka.start()
    try:
        where = ("--tidemark-mode", "external", "--tidemark-bootstrap", kafka.bootstrap)
        result = user.runpytest_subprocess("-q", "-rs", *STRICT, *where)
    finally:
        kafka.stop()
    outcomes = result.parseoutcomes()
    assert outcomes == {"passed": 2, "skipped": 2}
    result.stdout.fnmatch_lines([f"*tidemark.clock.advance() is not available: {kafka.bootstrap} *"])


def test_the_settings_of_the_ini_file_are_those_of_the_broker(user: pytest.Pytester) -> None:
    ini, _ = blocks("ini")
    user.path.joinpath("pytest.ini").write_text(ini)
    user.makepyfile(
        """
        def test_a_day_is_enough(tidemark, shop):
            topic = tidemark.topic("orders")
            shop.sell(topic, 1)
            shop.read(topic, "billing", 1)
            tidemark.clock.advance(hours=23)
            tidemark.assert_kept("billing")
            tidemark.clock.advance(hours=1)
            tidemark.assert_expired("billing")
        """
    )
    user.runpytest_subprocess("-q").assert_outcomes(passed=1)


def test_the_fixture_connects_to_a_listener_with_tls(user: pytest.Pytester) -> None:
    _, ini = blocks("ini")
    user.path.joinpath("pytest.ini").write_text(ini)
    authority = Authority()
    keys = authority.sign()
    folder = user.mkdir("tests")
    folder.joinpath("broker.pem").write_text(keys.key() + keys.chain)
    folder.joinpath("authority.pem").write_text(authority.pem)
    folder.joinpath("client.properties").write_text(
        "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location=tests/authority.pem\n"
    )
    user.makepyfile(
        """
        def test_a_topic_is_made(tidemark):
            topic = tidemark.topic("orders")
            tidemark.produce(topic, "one")
            assert [record.value for record in tidemark.records(topic)] == [b"one"]
        """
    )
    user.runpytest_subprocess("-q").assert_outcomes(passed=1)


def test_expiry_with_two_consumers_needs_one_short_test(user: pytest.Pytester) -> None:
    user.makepyfile(
        """
        def test_expiry(tidemark, shop):
            topic = tidemark.topic("orders", partitions=2)
            shop.sell(topic, 20)
            shop.servers["heartbeat.interval.ms"] = 100
            readers = [shop.open_reader(topic, "billing") for _ in range(2)]
            while not all(reader.assignment() for reader in readers):
                for reader in readers:
                    reader.poll(0.01)
            for reader in readers:
                (where,) = reader.assignment()
                where.offset = 1
                reader.commit(offsets=[where], asynchronous=False)
            for reader in readers:
                reader.close()
            tidemark.clock.advance(days=8)
            assert len(tidemark.assert_expired("billing", topic)) == 2
        """
    )
    # The duration is not checked; `--durations=0` shows it: 0.5 s on an idle machine.
    user.runpytest_subprocess("-q").assert_outcomes(passed=1)
