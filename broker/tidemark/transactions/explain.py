"""Explain in sentences what a transaction holds back, and when it ends. /v1/transactions shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidemark.metadata.model import INTERNAL_TOPICS
from tidemark.transactions.model import EXPIRE, ONGOING, PREPARE_COMMIT, Transaction
from tidemark_expiry.sentences import moment, shown

NAMED_MAX: Final = 3  # partitions and groups in one sentence
HANGING: Final = "Hanging"  # the state of a transaction that no coordinator knows


@dataclass(slots=True, frozen=True)
class HeldPartition:
    """A partition of a transaction.

    first_offset        of the transaction there; None if it has written nothing to it
    last_stable_offset  consumers with read_committed see the records below it
    """

    topic: str
    partition: int
    first_offset: int | None
    last_stable_offset: int
    high_watermark: int

    @property
    def records_held_back(self) -> int:
        """The number of offsets that consumers with read_committed do not see yet."""
        return self.high_watermark - self.last_stable_offset

    @property
    def blocks(self) -> bool:
        """Whether this transaction is the first one that holds them back."""
        return self.first_offset is not None and self.first_offset <= self.last_stable_offset

    def __str__(self) -> str:
        return f"{shown(self.topic)}-{self.partition}"


@dataclass(slots=True, frozen=True)
class HeldBack:
    """Everything that a transaction holds back: records, and committed offsets of these groups."""

    partitions: Sequence[HeldPartition] = ()
    groups: Sequence[str] = ()


@dataclass(slots=True, frozen=True)
class Outlook:
    """When a transaction and its id end, in wall time, if no client does anything.

    aborted_ms  the first pass after it aborts the transaction; None: no pass does
    expires_ms  the first pass after it removes the transactional id; None: not while a transaction is open
    """

    aborted_ms: int | None
    expires_ms: int | None


def outlook(transaction: Transaction, *, left_ms: int | None, now_ms: int, id_expiration_ms: int) -> Outlook:
    """Return when the transaction and its id end. left_ms: of its timeout; None if that does not run."""
    return Outlook(
        now_ms + left_ms if transaction.status is ONGOING and left_ms is not None else None,
        transaction.last_update_ms + id_expiration_ms if transaction.status in EXPIRE else None,
    )


def explain_transaction(transaction: Transaction, effects: HeldBack, ends: Outlook, now_ms: int) -> str:
    """Explain what the transaction holds back, why, and when that ends."""
    name = f"Transactional id {shown(transaction.transactional_id)}"
    if transaction.status in EXPIRE:
        assert ends.expires_ms is not None
        kept = f"it expires at {_pass('cleanup', ends.expires_ms, now_ms)}, unless it is used before"
        return (
            f"{name} has no open transaction and holds back nothing: {kept} (transactional.id.expiration.ms)."
        )
    producer = f"{name} (producer {transaction.producer_id}, epoch {transaction.producer_epoch})"
    return f"{producer} {_status(transaction)}. {_held_back(effects)}{_end(transaction, ends, now_ms)}"


def explain_hanging(producer_id: int, epoch: int, hold: HeldPartition) -> str:
    """Explain an open transaction of a producer whose coordinator does not know it."""
    where = f"--topic {shown(hold.topic)} --partition {hold.partition} --start-offset {hold.first_offset}"
    return (
        f"Producer {producer_id}, epoch {epoch}, has a transaction in {hold} that the coordinator does not "
        f"know, so no timeout ends it. {_held_back(HeldBack((hold,)))}`tidemark transactions "
        f"--bootstrap-server HOST:PORT abort {where}` aborts it there."
    )


def _status(transaction: Transaction) -> str:
    if transaction.status is ONGOING:
        return f"has had an open transaction since {moment(transaction.start_ms)}"
    end = "committed" if transaction.status is PREPARE_COMMIT else "aborted"
    return f"has {end} its transaction at {moment(transaction.last_update_ms)}, and writes its markers"


def _held_back(effects: HeldBack) -> str:
    """Return a sentence each for the records and the offsets that are held back, with a blank behind it."""
    # No consumer reads an internal topic with read_committed.
    of_users = [each for each in effects.partitions if each.topic not in INTERNAL_TOPICS]
    sentences = [_records(of_users), _behind_others(of_users), _offsets(effects.groups)]
    if not any(sentences):
        return "It has written nothing yet, and holds back nothing. "
    return "".join(f"{sentence} " for sentence in sentences if sentence)


def _records(partitions: Sequence[HeldPartition]) -> str:
    blocked = [each for each in partitions if each.blocks]
    if not blocked:
        return ""
    named = _some([f"{each} from offset {each.last_stable_offset} on" for each in blocked])
    count = sum(each.records_held_back for each in blocked)
    offsets = "1 offset" if count == 1 else f"{count} offsets"
    return f"Consumers with isolation.level=read_committed do not see {named} ({offsets}) until it ends."


def _behind_others(partitions: Sequence[HeldPartition]) -> str:
    behind = [str(each) for each in partitions if each.first_offset is not None and not each.blocks]
    return f"In {_some(behind)}, an earlier transaction holds back the same records." if behind else ""


def _offsets(groups: Sequence[str]) -> str:
    if not groups:
        return ""
    names = _some([shown(group) for group in groups])
    kind = "group" if len(groups) == 1 else "groups"
    return f"It has pending offsets of {kind} {names}: the committed offsets that they replace cannot expire."


def _end(transaction: Transaction, ends: Outlook, now_ms: int) -> str:
    if transaction.status is not ONGOING:
        return (
            "Nothing has to be done: the markers are repeated until they are written, also after a restart."
        )
    if ends.aborted_ms is None:
        return "Its timeout does not run, because the broker's time is held."
    at = _pass("", ends.aborted_ms, now_ms)
    timeout = f"transaction.timeout.ms={transaction.timeout_ms}"
    return f"If its producer does not end it, the coordinator aborts it at {at} ({timeout})."


def _pass(kind: str, due_ms: int, now_ms: int) -> str:
    which = f"{kind} pass" if kind else "pass"
    if due_ms <= now_ms:
        return f"the next {which}, because it has been due since {moment(due_ms)}"
    return f"the first {which} from {moment(due_ms)} on"


def _some(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - NAMED_MAX
    if more > 0:
        return f"{', '.join(names[:NAMED_MAX])} and {more} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
