"""The plugin in pytest runs of its own, with and without an external broker."""

from __future__ import annotations

import re
import statistics
import subprocess
import sys

import pytest

from tests.unit.testing.committing import topics
from tidemark_testing.client import Tidemark

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.slow  # each starts pytest in a process of its own

IMPORT_MS_MAX = 10  # for a project that does not use the plugin
# pytest-asyncio, which our own tests use, warns unless this is set.
ASYNCIO_INI = "[pytest]\nasyncio_default_fixture_loop_scope = function\n"
HELPERS = """
import pytest
from tidemark_tools.client.client import Client
from tidemark_protocol import from_dict

@pytest.fixture
def commit():
    def commit(to, group, topic, offset=1):
        where = {"PartitionIndex": 0, "CommittedOffset": offset, "CommittedMetadata": ""}
        message = {"GroupId": group, "Topics": [{"Name": topic, "Partitions": [where]}]}
        with Client(to.bootstrap_servers) as client:
            client.call_coordinator(
                group, from_dict("OffsetCommitRequest", message),
                lambda answer: answer.topics[0].partitions[0].error_code, max_version=8,
            )
    return commit
"""
EXPIRES = """
def test_it(tidemark, commit):
    commit(tidemark, "readers", tidemark.topic("orders"))
    tidemark.clock.advance(days=8)
    tidemark.assert_expired("readers")
"""


@pytest.fixture
def run(pytester: pytest.Pytester, no_worker: None) -> pytest.Pytester:
    """Return a pytester whose runs are independent of the run of these tests."""
    pytester.makeconftest(HELPERS)
    pytester.makeini(ASYNCIO_INI)
    return pytester


def external(tidemark: Tidemark, *, http: bool = True) -> list[str]:
    named = ["--tidemark-mode", "external", "--tidemark-bootstrap", tidemark.bootstrap_servers]
    return [*named, "--tidemark-http", tidemark.http] if http else named


CHAOS = """
def test_it(tidemark, commit):
    topic = tidemark.topic("orders")
    tidemark.produce(topic, "one order")
    with tidemark.chaos("readers", topic, steps=3) as chaos:
        commit(tidemark, "readers", topic)
    chaos.assert_every_record_processed([])
"""


def test_a_test_that_fails_with_chaos_shows_the_seed_that_repeats_it(run: pytest.Pytester) -> None:
    run.makepyfile(CHAOS)
    result = run.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["-* tidemark: chaos -*", "seed *; repeat it with --tidemark-chaos-seed *"])
    (seed,) = re.findall(r"repeat it with --tidemark-chaos-seed (\d+)", result.stdout.str())
    assert len(steps(result)) == 3
    assert steps(run.runpytest_subprocess("--tidemark-chaos-seed", seed)) == steps(result)


def steps(result: pytest.RunResult) -> list[str]:
    return re.findall(r"^  (\w+ \d+.*?): (?:at|there)", result.stdout.str(), re.MULTILINE)


def test_a_wrong_seed_stops_the_run(run: pytest.Pytester) -> None:
    result = run.runpytest_subprocess("--tidemark-chaos-seed", "seven")
    result.stderr.fnmatch_lines(
        ["ERROR: --tidemark-chaos-seed must be a whole number from 0 to 9007199254740992, got 'seven'"]
    )


def test_a_failing_test_shows_the_reason_and_the_timeline(run: pytest.Pytester) -> None:
    run.makepyfile(EXPIRES.replace("days=8", "days=3"))
    result = run.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E  *AssertionError: group readers has not expired. *readers*",
            "-* tidemark: groups and their offsets -*",
            "group readers: classic, Empty, 0 members, 1 offset, lag 0",
            "  20*Z*orders-0 committed at offset 1",
            "  20*Z*time moved by 3 d",
            "  20*Z*now",
            "  20*Z*orders-0 due. *readers*",
        ]
    )


def test_a_passing_test_shows_no_timeline(run: pytest.Pytester) -> None:
    run.makepyfile(EXPIRES)
    result = run.runpytest_subprocess("-rA", "-W", "error")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*tidemark: groups*")


def test_no_test_sees_what_an_earlier_one_left(run: pytest.Pytester) -> None:
    """Neither of a client that stays connected and sends on, nor of one that connects between two tests."""
    run.makepyfile(
        """
        import pytest
        from tidemark_protocol import from_dict
        from tidemark_tools.client.client import Client

        left = []

        def create(client, name):
            topic = {"Name": name, "NumPartitions": 1, "ReplicationFactor": 1}
            request = from_dict("CreateTopicsRequest", {"Topics": [topic], "timeoutMs": 1000})
            client.call(request, max_version=5)

        @pytest.fixture
        def late(request):
            yield
            if left:
                create(left[0], "late")  # after the end of the fixture `tidemark`

        @pytest.fixture
        def between(tidemark_server):
            yield
            tidemark_server.topic("between")

        def empty(tidemark):
            assert tidemark.groups == {} and len(tidemark.faults) == 0
            with Client(tidemark.bootstrap_servers) as client:
                assert [each.name for each in client.metadata().topics] == []
            assert not tidemark.requests(api="CreateTopics")

        def test_leaves(late, tidemark):
            client = Client(tidemark.bootstrap_servers)
            create(client, "orders")
            left.append(client)
            tidemark.faults.add(api="Fetch", drop=True)

        def test_after_a_late_request(tidemark):
            empty(tidemark)

        def test_nothing(tidemark): ...

        def test_uses_the_server(between, tidemark):
            empty(tidemark)

        def test_after_use_of_the_server(tidemark):
            empty(tidemark)
            tidemark.clock.advance(days=1)

        def test_after_a_move(tidemark, tidemark_server):
            import time
            assert abs(tidemark.clock.now_ms - time.time() * 1000) < 60_000
            tidemark.topic("orders")
            tidemark.kill()

        def test_after_a_kill(tidemark):
            empty(tidemark)

        def test_a_kept_state_has_nothing_of_earlier_tests(tidemark_server):
            tidemark_server.topic("kept")
            with tidemark_server.kept():
                with Client(tidemark_server.bootstrap_servers) as client:
                    assert [each.name for each in client.metadata().topics] == ["kept"]
        """
    )
    run.runpytest_subprocess("-p", "no:randomly").assert_outcomes(passed=8)


def test_a_failing_fixture_and_a_factory_broker_show_timelines_too(run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        import pytest

        @pytest.fixture
        def prepared(tidemark, commit):
            commit(tidemark, "prepared", tidemark.topic("orders"))
            raise ValueError("broken")

        def test_setup(prepared): ...

        def test_own(tidemark_factory, commit):
            own = tidemark_factory()
            commit(own, "own", own.topic("orders"))
            assert False
        """
    )
    result = run.runpytest_subprocess()
    result.assert_outcomes(errors=1, failed=1)
    result.stdout.fnmatch_lines(["group prepared: *", "group own: *"])


def test_the_section_of_a_stopped_broker_hides_no_failure(run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        def test_it(tidemark_factory):
            own = tidemark_factory()
            own.server.stop()
            assert 1 == 2
        """
    )
    result = run.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E  *assert 1 == 2", "*there is no report*", "no HTTP response from *"])


def test_the_factory_starts_and_stops_brokers(run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        import socket, pytest
        ports = []

        def test_settings(tidemark_factory, commit):
            short = tidemark_factory({"offsets.retention.minutes": 1, "auto.create.topics.enable": False})
            other = tidemark_factory(release="3.9")
            commit(short, "readers", short.topic("orders"))
            assert short.clock.advance(seconds=50).offsets == []
            assert len(short.clock.advance(seconds=10).offsets) == 1
            assert other.groups == {}
            ports.extend(each.bootstrap_servers.split(":")[1] for each in (short, other))

        def test_they_are_gone():
            for port in ports:
                with pytest.raises(ConnectionRefusedError):
                    socket.create_connection(("127.0.0.1", int(port)))

        def test_a_wrong_setting(tidemark_factory):
            tidemark_factory({"offsets.retention.minutes": 0})
        """
    )
    result = run.runpytest_subprocess()
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["tidemark cannot start: Invalid value 0 for configuration offsets.ret*"])


def test_an_external_tidemark_is_reset(tidemark: Tidemark, run: pytest.Pytester) -> None:
    tidemark.topic("was-there")
    run.makepyfile(
        EXPIRES
        + """
def test_again(tidemark, commit):
    test_it(tidemark, commit)

def test_the_factory(tidemark_factory):
    tidemark_factory()
    """
    )
    result = run.runpytest_subprocess(*external(tidemark), "-rs", "-p", "no:xdist")
    result.assert_outcomes(passed=2, skipped=1)
    result.stdout.fnmatch_lines(
        [
            f"tidemark: the one at {tidemark.bootstrap_servers}, HTTP at {tidemark.http}",
            "*--tidemark-mode external*",
        ]
    )
    assert topics(tidemark.bootstrap_servers) == ["was-there"]
    assert tidemark.groups == {}


def test_workers_do_not_share_an_external_tidemark(tidemark: Tidemark, run: pytest.Pytester) -> None:
    run.makepyfile(EXPIRES)
    result = run.runpytest_subprocess(*external(tidemark), "-n", "2")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["the workers of pytest-xdist would move each other's time*"])


def test_without_http_tests_that_need_it_are_skipped_with_a_reason(
    tidemark: Tidemark, run: pytest.Pytester
) -> None:
    run.makepyfile(
        EXPIRES
        + """
def test_plain(tidemark, commit):
    first, second = tidemark.topic(), tidemark.topic("orders", partitions=2)
    commit(tidemark, "readers", first)
    assert first != second

@pytest.mark.parametrize("ask", [
    lambda it: it.clock.now, lambda it: it.clock.freeze(), lambda it: it.clock.to_expiry("g"),
    lambda it: it.expire_offsets(), lambda it: it.groups, lambda it: it.offsets("g"), lambda it: it.metrics,
    lambda it: it.explain("g", "t"), lambda it: it.assert_expired("g"), lambda it: it.assert_kept("g"),
    lambda it: it.snapshot(), lambda it: it.restore(), lambda it: it.http, lambda it: it.story(),
    lambda it: it.removals(),
])
def test_each(tidemark, ask):
    ask(tidemark)

def test_a_failure(tidemark):
    assert 1 == 2
    """.replace("@pytest", "import pytest\n@pytest", 1)
    )
    result = run.runpytest_subprocess(*external(tidemark, http=False), "-rs")
    result.assert_outcomes(passed=1, skipped=16, failed=1)
    told = f"tidemark: the Kafka at {tidemark.bootstrap_servers}. It cannot move time, explain offsets*"
    result.stdout.fnmatch_lines(
        [told, f"*SKIPPED*tidemark.clock.advance() is not available: {tidemark.bootstrap_servers}*"]
    )
    assert topics(tidemark.bootstrap_servers) == []


def test_fixture_logs_in_with_a_command_config(run: pytest.Pytester) -> None:
    jaas = 'PlainLoginModule required {}="alice-secret";'
    broker = {
        "listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.plaintext.plain.sasl.jaas.config": jaas.format("user_alice"),
    }
    client = {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": jaas.format('username="alice" password'),
    }
    config = run.path / "client.properties"
    run.makepyfile("def test_it(tidemark): assert tidemark.topic('orders') == 'orders'")
    with Tidemark.start(broker, client_settings=client) as tidemark:
        options = [*external(tidemark, http=False), "--tidemark-command-config", str(config)]
        result = run.runpytest_subprocess(*options)
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines([f"*--tidemark-command-config: cannot read {config}*"])
        config.write_text("".join(f"{name}={text}\n" for name, text in client.items()))
        run.runpytest_subprocess(*options).assert_outcomes(passed=1)
        assert tidemark.topic("orders-2") == "orders-2"


@pytest.mark.parametrize(
    ("arguments", "ini", "told"),
    [
        (
            ["--tidemark-mode", "external"],
            "",
            "--tidemark-mode external needs --tidemark-bootstrap HOST:PORT",
        ),
        (["--tidemark-http", "x:1"], "", "*need --tidemark-mode external"),
        (["--tidemark-image", "x:1"], "", "*--tidemark-image needs --tidemark-mode docker"),
        (["--tidemark-mode", "cloud"], "", "*invalid choice: 'cloud'*"),
        (
            [],
            "tidemark_mode = cloud",
            "*tidemark_mode must be one of thread, subprocess, docker, external, got 'cloud'",
        ),
        (
            [],
            "tidemark_settings = nonsense",
            "*tidemark_settings: each line must be KEY=VALUE, got 'nonsense'",
        ),
    ],
)
def test_contradictory_options_are_refused_before_any_test_runs(
    run: pytest.Pytester, arguments: list[str], ini: str, told: str
) -> None:
    run.makepyfile("def test_it(): ...")
    run.makeini(f"[pytest]\n{ini}")
    result = run.runpytest_subprocess(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{told}"])


def test_an_unreachable_broker_is_reported_without_a_traceback(run: pytest.Pytester) -> None:
    run.makepyfile(EXPIRES)
    result = run.runpytest_subprocess("--tidemark-mode", "external", "--tidemark-bootstrap", "127.0.0.1:1")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["cannot connect to --tidemark-bootstrap 127.0.0.1:1: *"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_the_ini_file_may_have_all_options(tidemark: Tidemark, run: pytest.Pytester) -> None:
    run.makepyfile(EXPIRES)
    run.makeini(
        f"""
        [pytest]
        tidemark_mode = external
        tidemark_bootstrap = {tidemark.bootstrap_servers}
        tidemark_http = {tidemark.http}
        tidemark_settings = only.for.a.broker.that.the.plugin.starts=1
        """
    )
    run.runpytest_subprocess().assert_outcomes(passed=1)


def test_an_unused_plugin_costs_little_time(run: pytest.Pytester) -> None:
    code = "import pytest, tidemark_testing.plugin"
    took_ms = []
    for _ in range(5):
        told = subprocess.run(
            [sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True
        )
        (line,) = re.findall(r"\| +(\d+) \| +tidemark_testing\.plugin$", told.stderr, re.MULTILINE)
        took_ms.append(int(line) / 1000)
    assert statistics.median(took_ms) < IMPORT_MS_MAX
    run.makepyfile(
        """
        import sys

        def test_it():
            ours = {name for name in sys.modules if name.startswith("tidemark")}
            assert ours == {"tidemark_testing", "tidemark_testing.plugin"}
            assert "asyncio" not in sys.modules or "uvicorn" not in sys.modules
        """
    )
    run.path.joinpath("conftest.py").unlink()
    run.runpytest_subprocess().assert_outcomes(passed=1)


def test_an_unknown_setting_of_the_factory_names_the_closest_valid_one(run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        import pytest

        def test_it(tidemark_factory):
            with pytest.raises(ValueError, match="'offset.retention.minutes'; did you mean 'offsets.ret"):
                tidemark_factory({"offset.retention.minutes": 60})

        def test_one_of_kafkas_that_means_nothing_here(tidemark_factory):
            tidemark_factory({"num.network.threads": 3})
        """
    )
    run.runpytest_subprocess().assert_outcomes(passed=2)


def test_an_unknown_setting_of_the_ini_file_fails_the_tests_that_need_a_broker(run: pytest.Pytester) -> None:
    run.makepyfile(EXPIRES, test_other="def test_it(): ...")
    run.makeini("[pytest]\ntidemark_settings = offsets.retention.minute=60")
    result = run.runpytest_subprocess()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["tidemark_settings: there is no setting *; did you mean 'offsets.retention.minutes'[?]"]
    )


def test_a_traceback_ends_in_the_line_of_the_test(run: pytest.Pytester) -> None:
    lines = [
        "tidemark.clock.advance()",
        "tidemark.clock.to_expiry('nobody')",
        "tidemark.topic(partitions=0)",
        "tidemark.explain('readers', 'orders')",
        "tidemark.metrics.value('none')",
        "tidemark.restore('none')",
        "tidemark.assert_expired('nobody')",
        "tidemark_factory({'none': 1})",
        "own = tidemark_factory(); own.server.stop(); own.groups",
    ]
    run.makepyfile(
        "".join(
            f"def test_{number}(tidemark, tidemark_factory):\n    {line}\n"
            for number, line in enumerate(lines)
        )
    )
    result = run.runpytest_subprocess("--tb=short")
    result.assert_outcomes(failed=len(lines))
    frames = [told for told in result.outlines if re.search(r"\.py:\d+: in ", told)]
    assert len(frames) == len(lines), frames
    assert all(frame.startswith("test_a_traceback") for frame in frames), frames


def test_pytest_does_not_rewrite_the_broker(run: pytest.Pytester) -> None:
    """By default pytest rewrites all packages of a distribution with a plugin, and ignores their bytecode."""
    described = run.path / "installed-1.dist-info"
    described.mkdir()
    described.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: installed\nVersion: 1\n")
    described.joinpath("entry_points.txt").write_text("[pytest11]\nother = json\n")
    described.joinpath("RECORD").write_text(
        "tidemark_testing/__init__.py,,\ntidemark_protocol/__init__.py,,\n"
    )
    run.makepyfile(
        """
        import sys

        def test_it(tidemark):
            from _pytest.assertion.rewrite import AssertionRewritingHook

            loaded_first = {"tidemark_testing", "tidemark_testing.plugin", "tidemark_protocol"}
            rewritten = {
                name
                for name, module in list(sys.modules.items())
                if name.startswith("tidemark") and isinstance(module.__loader__, AssertionRewritingHook)
            }
            assert "tidemark.node.node" in sys.modules
            assert rewritten <= loaded_first
            assert "tidemark_testing" in rewritten, "pytest would have rewritten it"
        """
    )
    run.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_a_prefix_keeps_tests_apart_without_a_reset(run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        import pytest
        seen = []

        @pytest.mark.parametrize("_", [1, 2])
        def test_it(tidemark, commit, _):
            topic = tidemark.topic("orders")
            assert topic == tidemark.name("orders") == tidemark.name(topic) != "orders"
            tidemark.produce("orders", "a")
            commit(tidemark, tidemark.name("billing"), topic, 1)
            tidemark.assert_committed("billing", "orders", 1)
            assert tidemark.lag("billing") == 0
            assert set(tidemark.create_topics({"topics": {"returns": {}}})) == {"returns"}
            seen.append(topic)

        def test_both_ran_on_one_broker(tidemark):
            assert len({*seen}) == 2
            assert len(tidemark.groups) == 2
            tidemark.clock.advance(days=8)
        """
    )
    run.runpytest_subprocess("--tidemark-isolation", "prefix").assert_outcomes(passed=3)


def test_workers_share_an_external_tidemark_with_prefixes(tidemark: Tidemark, run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        def test_one(tidemark):
            tidemark.produce(tidemark.topic("orders"), "a")
            assert len(tidemark.records("orders")) == 1

        def test_two(tidemark):
            test_one(tidemark)

        def test_time(tidemark):
            tidemark.clock.advance(days=1)
        """
    )
    result = run.runpytest_subprocess(*external(tidemark), "-n", "2", "-rs", "--tidemark-isolation", "prefix")
    result.assert_outcomes(passed=2, skipped=1)
    result.stdout.fnmatch_lines(["*would disturb the other workers*"])
