from __future__ import annotations

import pytest

from tidemark_protocol.java_properties import read_properties


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a=b", {"a": "b"}),
        ("a = b ", {"a": "b "}),
        ("a: b", {"a": "b"}),
        ("a b c", {"a": "b c"}),
        ("  a=b", {"a": "b"}),
        ("# a=b\n! c=d\n\n", {}),
        ("a=b#c", {"a": "b#c"}),
        ("a=b\\\n   c\n", {"a": "bc"}),
        ("a=b\\\\\nc=d", {"a": "b\\", "c": "d"}),
        ("a=b\\\n# c", {"a": "b# c"}),
        ("a\\=b=c", {"a=b": "c"}),
        ("a=\\u00e9\\t", {"a": "é\t"}),
        ("a=1\r\nb=2\rc=3", {"a": "1", "b": "2", "c": "3"}),
        ("a=1\na=2", {"a": "2"}),
        ("a", {"a": ""}),
        ("a=", {"a": ""}),
        ("a==b", {"a": "=b"}),
        ("a=b\\", {"a": "b"}),
    ],
)
def test_a_file_is_read_as_java_util_properties_reads_it(text: str, values: dict[str, str]) -> None:
    assert read_properties(text) == values
