"""`--explain`: why and when offsets expire, from the HTTP API of a tidemark broker. Apache Kafka has none."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from tidemark_protocol.errors import ErrorCode
from tidemark_tools.client.connection import addresses
from tidemark_tools.client.errors import CannotConnect, ErrorResponse
from tidemark_tools.http_api import (
    HTTPS,
    TOKEN,
    TOKEN_VARIABLE,
    Api,
    ApiError,
    NoResponse,
    read_token,
    serves_https,
)
from tidemark_tools.java import padded, time_text, width
from tidemark_tools.options import Parsed

HTTP_PORT: Final = 9464
HTTP_TIMEOUT_S: Final = 10
PAGE: Final = 1000
MOST_OF_IT: Final = 0.8  # of the retention: after this time in Empty, a reset offset expires soon
COLUMNS: Final = ("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "RULE", "SINCE", "DUE")
WIDTHS: Final = (15, 15, 10, 15, 20, 24, 0)  # the minimum of each


@contextmanager
def http_api(parsed: Parsed, settings: Mapping[str, str]) -> Iterator[Api]:
    """Yield a client of the HTTP API at --http, or at port 9464 of the first host of --bootstrap-server.

    settings: those of --command-config. `tidemark.http.token` and `tidemark.http.tls` have the names of the
    broker's settings, and `ssl.*` apply to https://. Errors say that --explain needs the API, and where it
    was expected, or that the token was refused.
    """
    address = parsed.value("http")
    if address is None:
        address = str(addresses(parsed.text("bootstrap-server"))[0]._replace(port=HTTP_PORT))
    if serves_https(settings) and "://" not in address:
        address = f"{HTTPS}{address}"
    token = read_token(settings)
    api = Api(address, timeout_s=HTTP_TIMEOUT_S, token=token.value, settings=settings)
    try:
        yield api
    except (NoResponse, ApiError) as error:
        if isinstance(error, ApiError) and error.code == "token_required":
            if token.value is not None:
                raise CannotConnect(f"{api.url} refused the token of {token.origin}") from None
            raise CannotConnect(
                f"{api.url} needs a token: set {TOKEN_VARIABLE}, or {TOKEN} in the file of --command-config"
            ) from None
        if isinstance(error, ApiError) and error.code:
            raise CannotConnect(f"{api.url}: {error}") from None
        reason = error.reason if isinstance(error, NoResponse) else f"HTTP status {error.status}"
        raise CannotConnect(
            f"no tidemark HTTP API at {api.address} ({reason}). --explain needs one, and Apache Kafka has "
            "none. Pass --http HOST:PORT to name another address"
        ) from None


def _group(api: Api, group: str) -> dict[str, Any] | None:
    """Return the description of a group, or None if it does not exist."""
    try:
        groups: list[dict[str, Any]] = api.get("/v1/groups", group=group)["groups"]
    except ApiError as error:
        if error.status != HTTPStatus.NOT_FOUND or not error.code:
            raise
        return None
    return groups[0] if groups else None


class Explained(NamedTuple):
    """A group's state, and its offsets as /v1/offsets returns them, ordered by topic and partition."""

    state: str
    offsets: list[dict[str, Any]]


def explained(api: Api, groups: Iterable[str]) -> dict[str, Explained]:
    """Explain the groups, ordered by id. Raises ErrorResponse for an unknown group."""
    found: dict[str, Explained] = {}
    for group in sorted(set(groups)):
        result = _group(api, group)
        if result is None:
            raise ErrorResponse(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group} not found.")
        pages = api.pages("/v1/offsets", "offsets", group=group, limit=PAGE)
        offsets = sorted(pages, key=lambda offset: (offset["topic"], offset["partition"]))
        found[group] = Explained(result["state"], offsets)
    return found


def print_explained(offsets: Sequence[Mapping[str, Any]]) -> None:
    """Print a table like Kafka's: each offset with its rule, when that started to count, and when it is due.

    Below each row is its explanation.
    """
    if not offsets:
        return
    rows = [
        COLUMNS,
        *(
            (
                each["group"], each["topic"], str(each["partition"]), str(each["offset"]), each["rule"],
                time_text(each["since_ms"]), time_text(each["due_ms"]),
            )
            for each in offsets
        ),
    ]  # fmt: skip
    wide = [width(least, (row[n] for row in rows)) if least else 0 for n, least in enumerate(WIDTHS)]
    for row, result in zip(rows, [None, *offsets], strict=True):
        print("\n" + " ".join(map(padded, row, wide)), end="")
        if result is not None:
            print(f"\n    {result['explanation']}", end="")
    print()


def warn_of_resets(api: Api, groups: Iterable[str]) -> None:
    """Warn on stderr about each group that has been Empty for most of the retention.

    A commit does not restart the retention of an empty group, so its reset offsets expire soon.
    """
    clock = api.get("/v1/clock")
    for name in groups:
        result = _group(api, name)
        warning = "" if result is None else reset_warning(result, clock["now_ms"], clock["retention_ms"])
        if warning:
            print(warning, file=sys.stderr)


def reset_warning(group: Mapping[str, Any], now_ms: int, retention_ms: int) -> str:
    """Return the warning for this group, or "" if none is needed."""
    since_ms = group["state_since_ms"]
    # Without a protocol type, each offset's retention starts at its own commit: a reset restarts it.
    if group["state"] != "Empty" or not group["protocol_type"] or since_ms is None:
        return ""
    if now_ms - since_ms < MOST_OF_IT * retention_ms:
        return ""
    gone = (now_ms - since_ms) / retention_ms
    due = time_text(since_ms + retention_ms)
    return (
        f"WARN: group '{group['group']}' has been Empty since {time_text(since_ms)}, for {gone:.0%} of the "
        "offset retention. A commit does not restart the retention: offsets that are reset now expire at "
        f"{due}, unless a consumer joins before that."
    )
