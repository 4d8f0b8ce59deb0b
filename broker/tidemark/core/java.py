"""The iteration order of Java's hash maps. It decides ties of a vote and the order of groups in responses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from typing import Final, Generic, TypeVar

from tidemark.core.decision import Steps, at_once, in_order
from tidemark_protocol.java import SMALLEST_TABLE, bucket, hash_map_table, java_hash

K = TypeVar("K")

STEP: Final = 250  # keys between two pauses
UUIDS_CACHED: Final = 16_384  # hashes of topic ids: 3 MB
_LONG: Final = 0xFFFFFFFFFFFFFFFF
_SLOT_FACTOR: Final = -7046029254386353131  # spreads the hash of a key in Kafka's tables

OFFSETS_TOPIC_HASH: Final = java_hash("__consumer_offsets")


def partition_hash(partition: int) -> int:
    """TopicPartition.hashCode of a partition of `__consumer_offsets`."""
    return 31 * (31 + partition) + OFFSETS_TOPIC_HASH


def map_order(keys: Collection[K], hash_of: Callable[[K], int]) -> list[K]:
    """Return the order of a HashMap that computeIfAbsent has filled with these different keys.

    Such a map grows one key late, and the newest key of a bucket is first.
    """
    table = hash_map_table(len(keys) - 1)
    newest_first = [*keys][::-1]
    return sorted(newest_first, key=lambda key: bucket(hash_of(key), table))


def sized_map_order(texts: Collection[str]) -> Steps[Iterator[str]]:
    """Return the order of a HashMap that was created for as many keys and then filled with these."""
    return (yield from _by_hash(texts, hash_map_table(len(texts), len(texts))))


def put_order(texts: Collection[str]) -> list[str]:
    """Return the order of a HashMap that `put` has filled with these different strings."""
    return [*at_once(put_order_in_steps(texts))]


def put_order_in_steps(texts: Collection[str], capacity: int = SMALLEST_TABLE) -> Steps[Iterator[str]]:
    """Return the same as `put_order`, for texts of a client. capacity: the one that the map was made with."""
    return (yield from _by_hash(texts, hash_map_table(len(texts), capacity)))


def newest_first_order(texts: Collection[str], table: int) -> Steps[Iterator[str]]:
    """Return the order of a HashMap of so many buckets that `computeIfAbsent` has filled with these strings.

    The newest key of a bucket is first. table: see `grown_late`
    """
    return (yield from _by_hash([*texts][::-1], table))


def grown_late(table: int, size: int) -> int:
    """Return the number of buckets after `computeIfAbsent` on a HashMap that held so many keys before.

    It grows before it adds a key, and also if it has the key.
    """
    return table * 2 if size * 4 > table * 3 else table


def set_order(texts: Collection[str]) -> Steps[Iterator[str]]:
    """Return the order of a HashSet made of these different strings at once."""
    return (yield from _by_hash(texts, table_for_copy(len(texts))))


def _by_hash(texts: Collection[str], table: int) -> Steps[Iterator[str]]:
    """Return the texts bucket by bucket.

    A generator: it yields after each text, because the hash of a long one takes some time.
    """
    buckets: dict[str, int] = {}
    for text in texts:
        buckets[text] = bucket(java_hash(text), table)
        yield 0
    return (yield from in_order([*buckets], buckets.__getitem__))


@lru_cache(UUIDS_CACHED)
def uuid_hash(uuid: bytes) -> int:
    """Return the hash of Kafka's Uuid, given as 16 bytes, up to its sign."""
    value = int.from_bytes(uuid, "big")
    value ^= value >> 64
    return (value ^ value >> 32) & 0xFFFFFFFF


def timeline_slot(value: int, peak: int) -> int:
    """Return the slot of a key with this hash in Kafka's TimelineHashMap.

    The newest key of a slot is first. peak: the largest number of keys that the map ever had. Its table never
    shrinks. It also grows when a value is replaced, so it has room for one more key.
    """
    bits = 1
    while (peak + 1) * 3 > 4 << bits:
        bits += 1
    return (value * _SLOT_FACTOR & _LONG) >> 64 - bits


def bucket_order(
    keys: Iterable[K], hash_of: Callable[[K], int], table: int = SMALLEST_TABLE, peak: int = 0
) -> Steps[list[list[K]]]:
    """Return the buckets of a HashMap into which the keys are put one by one, without empty buckets.

    table: the number of buckets at first. peak: how many keys it held, if some were removed.
    A generator: it yields after some hundred keys.
    """
    hashes: dict[K, int] = {}
    for key in keys:
        hashes[key] = hash_of(key)
        if len(hashes) % STEP == 0:
            yield 0
    table = hash_map_table(max(peak, len(hashes)), table)
    buckets: dict[int, list[K]] = {}
    for number, (key, value) in enumerate(hashes.items()):
        if number % STEP == 0:
            yield 0
        buckets.setdefault(bucket(value, table), []).append(key)
    return [buckets[each] for each in (yield from in_order([*buckets]))]


def table_for_copy(size: int) -> int:
    """Return the number of buckets of a new HashSet that copies a collection of this size."""
    return hash_map_table(0, max(size * 4 // 3 + 1, SMALLEST_TABLE))


class HashOrder(Generic[K]):
    """The order of the keys of one HashMap or HashSet, through a sequence of changes.

    table: the number of buckets. keys: those that are put first.
    Java makes a tree of a bucket with many keys, which has another order.
    """

    __slots__ = ("_hash_of", "_newest_first", "_oldest_first", "_table")

    def __init__(
        self, hash_of: Callable[[K], int], table: int = SMALLEST_TABLE, keys: Iterable[K] = ()
    ) -> None:
        self._hash_of = hash_of
        self._newest_first: dict[K, None] = {}  # in front of the others of their buckets
        self._oldest_first: dict[K, None] = dict.fromkeys(keys)
        self._table = hash_map_table(len(self._oldest_first), table)

    def __contains__(self, key: K) -> bool:
        return key in self._oldest_first or key in self._newest_first

    def __len__(self) -> int:
        return len(self._oldest_first) + len(self._newest_first)

    def put(self, key: K) -> None:
        """Append the key to its bucket, then grow, as `put` and `putIfAbsent` do."""
        if key not in self._oldest_first and key not in self._newest_first:
            self._oldest_first[key] = None
            self._grow()

    def put_first(self, key: K) -> None:
        """Grow, then put the key in front of its bucket, as `computeIfAbsent` does."""
        self._grow()
        if key not in self:
            self._newest_first[key] = None

    def remove(self, key: K) -> None:
        self._oldest_first.pop(key, None)
        self._newest_first.pop(key, None)

    def in_order(self) -> list[K]:
        """Return the keys in the order of iteration."""
        keys = [*reversed(self._newest_first), *self._oldest_first]
        return self._by_bucket(keys, self._table) if len(keys) > 1 else keys

    def _by_bucket(self, keys: list[K], table: int) -> list[K]:
        hash_of = self._hash_of
        return sorted(keys, key=lambda key: bucket(hash_of(key), table))

    def _grow(self) -> None:
        self._table = grown_late(self._table, len(self))


class IntOrder(HashOrder[int]):
    """The order of a HashSet of integers."""

    __slots__ = ()

    def __init__(self, table: int = SMALLEST_TABLE, keys: Iterable[int] = ()) -> None:
        super().__init__(int, table, keys)

    def _by_bucket(self, keys: list[int], table: int) -> list[int]:
        if max(keys) < table:  # each has a bucket of its own
            return sorted(keys)
        return super()._by_bucket(keys, table)


class PriorityQueue(Generic[K]):
    """java.util.PriorityQueue. Its heap decides which of several items with the same priority is first."""

    __slots__ = ("_heap",)

    def __init__(self) -> None:
        self._heap: list[tuple[float, K]] = []

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, priority: float, item: K) -> None:
        heap = self._heap
        added = (priority, item)
        at = len(heap)
        heap.append(added)
        while at:
            parent = at - 1 >> 1
            if priority >= heap[parent][0]:
                break
            heap[at] = heap[parent]
            at = parent
        heap[at] = added

    def poll(self) -> K:
        """Remove and return the item with the smallest priority."""
        heap = self._heap
        last = heap.pop()
        if not heap:
            return last[1]
        first, at, size = heap[0], 0, len(heap)
        while (child := 2 * at + 1) < size:
            if child + 1 < size and heap[child][0] > heap[child + 1][0]:
                child += 1
            if last[0] <= heap[child][0]:
                break
            heap[at] = heap[child]
            at = child
        heap[at] = last
        return first[1]
