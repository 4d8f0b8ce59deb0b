"""Codecs in steps agree with Kafka's bytes, and can be paused and limited at every element."""

from __future__ import annotations

import importlib
from collections.abc import Generator
from typing import Any

import pytest

import tidemark_protocol
from tests.protocol.golden import body, has_unknown_tags, vectors, without_unknown_tags
from tests.protocol.test_vectors import name, no_nan
from tidemark_protocol import to_dict
from tidemark_protocol.generator.__main__ import IN_STEPS
from tidemark_protocol.wire import WireError

VECTORS = vectors()


def steps_of(api: str) -> Any:
    module = tidemark_protocol.index.MODULES[f"{api}Request"].replace(".messages.", ".steps.")
    return importlib.import_module(module)


def finished(steps: Generator[int, None, Any]) -> tuple[Any, int]:
    """Return the generator's result, and the sum of the numbers that it yielded."""
    elements = 0
    while True:
        try:
            elements += next(steps)
        except StopIteration as done:
            return done.value, elements


@pytest.mark.parametrize("api", IN_STEPS)
def test_decoding_in_steps_reads_kafkas_bytes(api: str) -> None:
    message = f"{api}Request"
    for line in VECTORS[message]:
        data = body(line)
        steps = steps_of(api).DECODERS[line["version"]](b"\xff" + data + b"\xff", 1, 1 + len(data))
        (decoded, pos), _ = finished(steps)
        assert pos == 1 + len(data), name(line)
        expected = no_nan(to_dict(tidemark_protocol.decode(message, line["version"], data)))
        assert no_nan(to_dict(decoded)) == expected, name(line)


@pytest.mark.parametrize("api", IN_STEPS)
def test_encoding_in_steps_writes_kafkas_bytes(api: str) -> None:
    message = f"{api}Response"
    for line in VECTORS[message]:
        if has_unknown_tags(line["value"]):
            continue
        value = tidemark_protocol.from_dict(message, without_unknown_tags(line["value"]))
        out = bytearray()
        finished(steps_of(api).ENCODERS[line["version"]](out, value))
        assert out.hex() == body(line).hex(), name(line)


@pytest.mark.parametrize(
    ("api", "version", "body", "elements"),
    [
        ("DescribeGroups", 0, (1000).to_bytes(4, "big") + b"\0\1g" * 1000, 1000),
        ("OffsetFetch", 1, b"\0\1g" + b"\0\0\0\1" + b"\0\1t" + (1000).to_bytes(4, "big") + bytes(4000), 1001),
        # 200 unknown tagged fields of no bytes, each with the tag 9
        ("Heartbeat", 4, b"\2g" + bytes(4) + b"\2m" + b"\0" + b"\xc8\x01" + b"\x09\0" * 200, 200),
    ],
    ids=["strings", "numbers", "unknown tags"],
)
def test_the_steps_count_every_element(api: str, version: int, body: bytes, elements: int) -> None:
    _, counted = finished(steps_of(api).DECODERS[version](body, 0, len(body)))
    assert elements <= counted <= elements + 1  # and one step for the message itself


@pytest.mark.parametrize("api", IN_STEPS)
def test_truncated_bytes_are_refused_in_steps(api: str) -> None:
    message = f"{api}Request"
    for line in VECTORS[message]:
        data = body(line)
        for end in {len(data) // 2, len(data) - 1} - {-1, len(data)}:
            version = line["version"]
            decode = tidemark_protocol.message_class(message).DECODERS[version]
            try:
                at_once, _ = decode(data[:end], 0, end)
            except (WireError, IndexError):
                with pytest.raises((WireError, IndexError)):
                    finished(steps_of(api).DECODERS[version](data[:end], 0, end))
            else:
                (in_steps, _), _ = finished(steps_of(api).DECODERS[version](data[:end], 0, end))
                assert in_steps == at_once, name(line)
