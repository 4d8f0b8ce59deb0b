"""The commands that give offsets back: a shell reads each group's name as it is."""

from __future__ import annotations

import subprocess

from tidemark_pipeline.report.give_back import ALL_FILE, command, file_names
from tidemark_pipeline.report.words import is_unseen

ODD_NAMES = (
    "plain",
    "a b",
    'it\'s $HOME `id` \\ "x"',
    "-dash",
    "*?[a]",
    "tab\there",
    "two\nlines",
    "消费者",
    "rtl\u202ename 'quoted' \\",
    "$(touch /tmp/x)",
)


def words_of(shown: str) -> list[str]:
    """Return the words of a command, as bash splits them."""
    script = f"set -f; kafka-consumer-groups() {{ printf '%s\\0' \"$@\"; }}; {shown}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    return done.stdout.decode().split("\0")[:-1]


def test_a_shell_reads_every_name_as_it_is() -> None:
    shown = command(ODD_NAMES, "reset-all.csv")
    assert not is_unseen(shown)  # so the page shows it as it is
    named = [word for name in ODD_NAMES for word in ("--group", name)]
    rest = ["--reset-offsets", "--from-file", "reset-all.csv", "--execute"]
    assert words_of(shown) == ["--bootstrap-server", "localhost:9092", *named, *rest]


def test_the_group_without_a_name_is_not_named_beside_others() -> None:
    """Kafka's tool refuses it, and then resets no group."""
    assert words_of(command(["", "a"], "f.csv")).count("--group") == 1
    assert "" in words_of(command([""], "f.csv"))


def test_names_of_files_are_safe_and_differ_also_without_case() -> None:
    names = file_names(["a/b", "A b", "../x", "", "消费者", "all", "g" * 300])
    assert names == [
        "reset-a_b.csv",
        "reset-A_b-2.csv",
        "reset-.._x.csv",
        "reset-group.csv",
        "reset-_.csv",
        "reset-all-2.csv",
        f"reset-{'g' * 60}.csv",
    ]
    assert ALL_FILE not in names
