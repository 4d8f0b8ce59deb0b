"""OffsetCommit on a broker that also looks at requests: journal, faults, quotas. Nothing is synced.

Compare the rows with those of plain commits in the same run: the test API aims at 1.5 us more for each
request, a quota at 10 %.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from bench.commits import WIDEST, commits, name_of
from bench.expiry import post
from bench.rows import Effort, Row
from bench.servers import Ours, create_topic
from tests.wire import Connection
from tidemark_protocol import from_dict

TEST_API: Final = {"tidemark.test.api": "true"}
NO_JOURNAL: Final = {"tidemark.requests.max": "0"}
QUOTAS: Final = ("producer_byte_rate", "request_percentage")
UNREACHED: Final = 1e12


def on_request(folder: Path, effort: Effort) -> list[Row]:
    rows = [
        _row(folder, effort, f"{name_of(shape, 'never')} {label}", shape, TEST_API | more)
        for shape in ((1, 1), (16, 1), WIDEST)
        for label, more in (("test API", {}), ("test API without journal", NO_JOURNAL))
    ]
    widest = name_of(WIDEST, "never")
    rows.append(_row(folder, effort, f"{widest} fault of Produce", WIDEST, TEST_API, fault=True))
    rows += [_row(folder, effort, f"{widest} {each}", WIDEST, {}, quota=each) for each in QUOTAS]
    return rows


def _row(
    folder: Path,
    effort: Effort,
    name: str,
    shape: tuple[int, int],
    settings: dict[str, str],
    *,
    fault: bool = False,
    quota: str = "",
) -> Row:
    data = folder / name.replace(" ", "-")
    data.mkdir(parents=True)
    server = Ours(data, {"tidemark.sync": "never"} | settings)
    try:
        create_topic(server)
        if fault:
            post(server, "faults", {"api": "Produce", "error": "NOT_LEADER_OR_FOLLOWER"})
        if quota:
            entry = {
                "Entity": [{"EntityType": "client-id", "EntityName": None}],
                "Ops": [{"Key": quota, "Value": UNREACHED, "Remove": False}],
            }
            asked = from_dict("AlterClientQuotasRequest", {"Entries": [entry], "ValidateOnly": False})
            with Connection(server.bootstrap) as connection:
                assert connection.ask("AlterClientQuotas", 1, asked).entries[0].error_code == 0
        return commits(server, shape, effort, name)
    finally:
        server.stop()


__all__ = ["on_request"]
