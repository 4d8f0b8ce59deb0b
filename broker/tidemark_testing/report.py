"""The facts about a broker that explain why a test failed.

`report` has the sections that pytest shows below a failure. `unlike` and `sent_instead` complete the message
of an assertion: with a misspelt name, and with the requests that arrived in place of the expected ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from tidemark_expiry.sentences import moment, shown
from tidemark_testing.responses import Group, Moved, Offset, Removal
from tidemark_tools.http_api import Api, ApiError, NoResponse

if TYPE_CHECKING:
    from tidemark_testing.client import Tidemark

__tracebackhide__ = True

REQUESTS_MAX: Final = 10  # that failed
SENT_MAX: Final = 5  # kinds of requests in one message
JOURNAL_PAGE: Final = 1000
NAMES_MAX: Final = 1000  # that are compared with a misspelt one
OUTPUT_LINES_MAX: Final = 40
GROUPS_MAX: Final = 10
TRANSACTIONS_MAX: Final = 3
ENDS_MAX: Final = 5
LATEST: Final = -1  # the timestamp in ListOffsets that requests the end
LINES_MAX: Final = 40
MOMENT_WIDTH: Final = len("2026-11-21T10:35:43.019Z")
NAMED: Final = ("group", "topic", "transactional_id", "client_id")  # fields of a fault
EXPECTED: Final = {"MEMBER_ID_REQUIRED"}  # the response to every first JoinGroup of a client
FAILED: Final = ("dropped", "closed")  # outcomes of requests without a response
UNITS: Final = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s"), (1, "ms"))

Entry = tuple[int, str]  # time, and text


def report(tidemark: Tidemark) -> Iterator[tuple[str, str]]:
    """Yield the title and the text of each section: faults, failed requests, groups, output of the broker."""
    for chaos in tidemark.chaos_made:
        yield "chaos", chaos.report()
    api = tidemark.api("report()")
    faults = [_fault(api, view) for view in api.get("/v1/faults")["faults"]]
    if faults:
        yield "faults that are set", "\n".join(faults)
    failed = _failed(api)
    if failed:
        yield "requests that failed", "\n".join(failed[-REQUESTS_MAX:])
    held = open_transactions(api)
    if held:
        yield "open transactions", "\n".join(held)
    ends = _read_from_end(api)
    if ends:
        yield "clients that asked for the end of a log", "\n".join(ends[:ENDS_MAX])
    yield "groups and their offsets", tidemark.story()
    output = tidemark.server.output()[tidemark.output_before :].splitlines()
    if output:
        yield "output of the broker", "\n".join(output[-OUTPUT_LINES_MAX:])


def _fault(api: Api, view: dict[str, Any]) -> str:
    """Return a fault with the number of its requests. If it has none: the names in it that do not exist."""
    fault, matched = view["fault"], view["matched"]
    fields = ", ".join(f"{name}={value!r}" for name, value in fault.items())
    if matched or not view["active"]:
        return f"{view['id']}: {fields}: matched {counted(matched, 'request')}"
    return sentences(f"{view['id']}: {fields}: matched no request", instead(api, fault))


def _failed(api: Api) -> list[str]:
    """Return the last requests whose response has an error, or that got none because of the broker."""
    return [
        f"{moment(each['at_ms']):{MOMENT_WIDTH}}  {each['api']} v{each['version']} of client "
        f"{shown(each['client_id'])}{_about(each)}: {errors}"
        for each in _journal(api)
        if (errors := _errors(each))
    ]


def _errors(request: dict[str, Any]) -> str:
    """Return the errors in the response, or that there was none because of the broker. "": it succeeded."""
    unexpected = [error for error in request["errors"] if error not in EXPECTED]
    return ", ".join(unexpected) or (request["outcome"] if request["outcome"] in FAILED else "")


def open_transactions(api: Api) -> list[str]:
    """Explain each transaction that holds back the last stable offset of a partition."""
    found = api.pages("/v1/transactions", "transactions", limit=NAMES_MAX)
    return [each["explanation"] for each in found if each["partitions"]][:TRANSACTIONS_MAX]


def _read_from_end(api: Api) -> list[str]:
    """Return the partitions with records whose end a client has requested."""
    found = []
    for each in _journal(api, "ListOffsets"):
        asked = {
            (topic["Name"], part["PartitionIndex"])
            for topic in (each["request"] or {}).get("Topics", ())
            for part in topic["Partitions"]
            if part["Timestamp"] == LATEST
        }
        found += [
            f"client {shown(each['client_id'])} has requested the end of {shown(topic['Name'])}-{index}, "
            f"which is {part['Offset']}: with auto.offset.reset=latest and no committed offset, it reads "
            "from there"
            for topic in (each["response"] or {}).get("Topics", ())
            for part in topic["Partitions"]
            if (topic["Name"], index := part["PartitionIndex"]) in asked and part["Offset"] > 0
        ]
    return list(dict.fromkeys(found))


def _about(request: dict[str, Any]) -> str:
    """Return the first group, transactional id or topic that the request names."""
    for kind, names in (("group", request["groups"]), ("transactional id", request["transactional_ids"])):
        if names:
            return f" for {kind} {shown(names[0])}"
    topics = [each["topic"] for each in request["topics"]]
    return f" for topic {shown(topics[0])}" if topics else ""


def _journal(api: Api, name: str | None = None) -> list[dict[str, Any]]:
    """Return the recorded requests, of all APIs or of one."""
    return list(api.pages("/v1/requests", "requests", limit=JOURNAL_PAGE, api=name))


def unlike(api: Api, kind: str, name: str) -> str:
    """Return "There is no group biling; did you mean billing?", or "" if the name exists.

    kind: group, topic, transactional_id or client_id. Also "" if the broker does not list the names.
    """
    try:
        names = _names(api, kind)
    except (ApiError, NoResponse):
        return ""
    if name in names:
        return ""
    words = kind.replace("_", " ")
    if kind == "client_id":
        known = f"No client {shown(name)} has sent a request"
    else:
        known = f"There is no {words} {shown(name)}"
    close = get_close_matches(name, names[:NAMES_MAX], n=3)
    if close:
        return f"{known}; did you mean {' or '.join(map(shown, close))}?"
    return known


def _names(api: Api, kind: str) -> list[str]:
    """Return the names of a kind that the broker knows: those that exist, or that clients have used."""
    if kind == "group":
        return [each["group"] for each in api.pages("/v1/groups", "groups", limit=NAMES_MAX)]
    if kind == "topic":
        return [each["topic"] for each in api.pages("/v1/topics", "topics", limit=NAMES_MAX)]
    if kind == "client_id":
        return list(dict.fromkeys(each["client_id"] for each in _journal(api)))
    found = (name for each in _journal(api) for name in each["transactional_ids"])
    return list(dict.fromkeys(found))


def sent_instead(api: Api, *apis: str) -> str:
    """Return "Client app-1 has sent 3 OffsetCommit for group billing-2" for the requests of these APIs.

    With no API: of all. Without a request of these, the APIs that clients have used. "" if the journal is
    off.
    """
    try:
        found = [each for name in apis or (None,) for each in _journal(api, name)]
        used = Counter(each["api"] for each in _journal(api)) if apis and not found else Counter()
    except (ApiError, NoResponse):
        return ""
    counts = Counter((each["client_id"], each["api"], _about(each), _errors(each)) for each in found)
    sent = [
        f"client {shown(client)} has sent {number} {name}{about}{f' (response: {errors})' if errors else ''}"
        for (client, name, about, errors), number in counts.most_common(SENT_MAX)
    ]
    if not sent:
        listed = ", ".join(f"{number} {name}" for name, number in used.most_common(SENT_MAX))
        has = f", but {listed}" if listed else ""
        return f"The journal has no {' or '.join(apis) or 'request'} of a client{has}"
    more = f", and {len(counts) - SENT_MAX} other kinds" if len(counts) > SENT_MAX else ""
    text = "; ".join(sent) + more
    return f"{text[0].upper()}{text[1:]}"


def instead(api: Api, wanted: Mapping[str, Any]) -> str:
    """Return the names in a filter or a fault that do not exist, and what clients have sent of its API."""
    name = wanted.get("api")
    return sentences(*_unknown(api, wanted), sent_instead(api, *([name] if isinstance(name, str) else [])))


def _unknown(api: Api, wanted: Mapping[str, Any]) -> list[str]:
    named = [(kind, wanted.get(kind)) for kind in NAMED]
    return [unlike(api, kind, name) for kind, name in named if isinstance(name, str)]


def sentences(*parts: str) -> str:
    """Join sentences, of which some may be empty, and end each with a full stop if nothing else ends it."""
    return " ".join(part if part.endswith((".", "?")) else f"{part}." for part in parts if part)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def story(
    groups: Sequence[Group],
    offsets: Sequence[Offset],
    removals: Sequence[Removal],
    moves: Sequence[Moved],
    now_ms: int,
) -> str:
    """Return a summary with the lag, and the timeline, of every group that exists or has lost an offset."""
    by_name = {group.group: group for group in groups}
    names = sorted(by_name.keys() | {gone.group for gone in removals})
    lines = []
    for name in names[:GROUPS_MAX]:
        group = by_name.get(name)
        what = "gone"
        if group is not None:
            size = f"{counted(len(group.members), 'member')}, {counted(group.offsets, 'offset')}"
            what = f"{group.type}, {group.state}, {size}"
        kept = [each for each in offsets if each.group == name]
        lags = [max(each.lag, 0) for each in kept if each.lag is not None]
        lines.append(f"group {shown(name)}: {what}{f', lag {sum(lags)}' if lags else ''}")
        gone = [each for each in removals if each.group == name]
        lines += [f"  {line}" for line in timeline(group, kept, gone, moves, now_ms)]
    if len(names) > GROUPS_MAX:
        lines.append(f"... and {len(names) - GROUPS_MAX} more groups")
    return "\n".join(lines) or "There is no group, and no offset was removed."


def timeline(
    group: Group | None,
    offsets: Iterable[Offset],
    removals: Iterable[Removal],
    moves: Iterable[Moved],
    now_ms: int,
) -> list[str]:
    """Return one line for each event of a group. Future events follow the line "now"."""
    kept, gone = list(offsets), list(removals)
    both: list[Offset | Removal] = [*kept, *gone]
    # Within one millisecond, causes precede their effects.
    events: list[Entry] = [(of.committed_ms, f"{place(of)} committed at offset {of.offset}") for of in both]
    if group is not None and group.state_since_ms is not None:
        events.append((group.state_since_ms, f"the group is {group.state}"))
    events += [(of.since_ms, f"{of.rule} counts from here") for of in both if of.since_ms is not None]
    events += [(move.now_ms - move.moved_ms, f"time moved by {span(move.moved_ms)}") for move in moves]
    events += [(each.at_ms, f"{place(each)} gone. {each.explanation}") for each in gone]
    still: list[Entry] = []
    for each in kept:
        if each.due_ms is None:
            still.append((now_ms, f"{place(each)} stays. {each.explanation}"))
        else:
            due = "is due; the next pass takes it" if each.expired else "due"
            still.append((max(each.due_ms, now_ms), f"{place(each)} {due}. {each.explanation}"))
    in_order = sorted([*dict.fromkeys(events), (now_ms, "now"), *still], key=lambda event: event[0])
    lines = [f"{moment(at_ms):{MOMENT_WIDTH}}  {text}" for at_ms, text in in_order]
    half = LINES_MAX // 2
    if len(lines) > LINES_MAX:
        lines[half:-half] = [f"... {len(lines) - 2 * half} lines left out ..."]
    return lines


def place(of: Offset | Removal) -> str:
    return f"{shown(of.topic)}-{of.partition}"


def span(ms: int) -> str:
    """Format a time span: 8 d, 1 h 30 min, -1 ms."""
    parts, left = [], abs(ms)
    for size, unit in UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {unit}")
    return ("-" if ms < 0 else "") + (" ".join(parts) or "0 ms")
