"""A fault as a sentence: which requests it applies to, what happens to them, and how many there were."""

from __future__ import annotations

from typing import Final

from tidemark.faults.model import Fault
from tidemark_expiry.sentences import shown

# The effects on a request. {s}: the verb's ending, {is}: is or are, {its}: its or their.
EFFECTS: Final = {
    "error": "get{s} {error}",
    "delay_ms": "wait{s} {delay_ms} ms {when} the decision",
    "drop": "{is} decided, but get{s} no response",
    "close": "lose{s} {its} connection {when} the decision",
    "throttle_ms": "{is} throttled by {throttle_ms} ms",
    "truncate_bytes": "get{s} {truncate_bytes} bytes of {its} response, then the connection closes",
    "duplicate": "get{s} {its} response twice",
    "block": "wait{s} {when} the decision until this fault is released",
    "refuse_connections": "{is} closed at once",
}
# Filters, in the order in which the sentence names them.
NAMES: Final = (
    ("group", "group"), ("transactional_id", "transactional id"), ("topic", "topic"),
    ("client_id", "client"), ("principal", "principal"), ("connection", "connection"),
)  # fmt: skip
ORDINALS: Final = {1: "st", 2: "nd", 3: "rd"}
TEENS: Final = range(11, 14)


def explain_fault(fault: Fault, matched: int, *, active: bool) -> str:
    """Return the sentence, such as: The next 2 OffsetCommit of group billing get NOT_COORDINATOR; 1 matched.

    matched: the number of requests to which the fault was applied.
    """
    counted = f"{matched or 'none'} matched"
    if fault.times is not None and active:
        counted = f"{matched} of {fault.times} matched"
    ends = f" for {fault.for_ms} ms" if fault.for_ms is not None else ""
    left = (fault.times or 0) - (matched if active else 0)
    return f"{'' if active else 'Ended: '}{_happens(fault, left)}{ends}; {counted}."


def _happens(fault: Fault, left: int) -> str:
    """left: how many of `times` are left."""
    if fault.pause:
        broker = "The broker" if fault.node_id is None else f"Broker {fault.node_id}"
        return f"{broker} decides no request and sends no response"
    if fault.coordinator_away:
        back = f", and loads for {fault.loading_ms} ms when it is back" if fault.loading_ms else ""
        place = "" if fault.node_id is None else f" on broker {fault.node_id}"
        return f"The coordinator{_names(fault)}{place} is away{back}"
    which, many = _which(fault, left)
    if fault.disk is not None:
        slow = f"needs {fault.delay_ms} ms longer" if fault.errno is None else f"fails with {fault.errno}"
        return f"{which} {fault.disk} of the disk {slow}"
    what = fault.api or ("request" if fault.action != "refuse_connections" else "new connection")
    if many and fault.api is None:
        what += "s"
    if fault.versions is not None:
        first, last = fault.versions
        what += f" v{first}" if first == last else f" v{first} to v{last}"
    if fault.node_id is not None:
        what += f" to broker {fault.node_id}"
    words = {"s": "" if many else "s", "is": "are" if many else "is", "its": "their" if many else "its"}
    values = {
        "error": fault.error.name if fault.error else "",
        "delay_ms": fault.delay_ms,
        "when": fault.when,
    }
    values |= {"throttle_ms": fault.throttle_ms, "truncate_bytes": fault.truncate_bytes}
    effect = EFFECTS[fault.action].format(**words, **values)
    level = "" if fault.level is None else f" (level {fault.level})"
    return f"{which} {what}{_names(fault)} {effect}{level}"


def _which(fault: Fault, left: int) -> tuple[str, bool]:
    """Return the words before the kind of request, and whether it is a plural."""
    if fault.disk is not None and fault.times is not None:
        return "The next", False
    if fault.nth is not None:
        return f"The {_ordinal(fault.nth)}", False
    if fault.every is not None:
        return f"Every {_ordinal(fault.every)}", False
    share = f"With a probability of {fault.probability:g}, each" if fault.probability is not None else "Each"
    if fault.times is None or fault.probability is not None:
        return share, False
    return ("The next", False) if left == 1 else (f"The next {left}", True)


def _names(fault: Fault) -> str:
    found = [
        f" of {word} {shown(str(value))}"
        for name, word in NAMES
        if (value := getattr(fault, name)) is not None
    ]
    if fault.partition is not None:
        found.append(f" partition {fault.partition}")
    return ",".join(found).replace(", partition", " partition")


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in TEENS else ORDINALS.get(number % 10, "th")
    return f"{number}{ending}"
