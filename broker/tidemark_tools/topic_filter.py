"""The topics that an option names by a regular expression."""

from __future__ import annotations

import re
from collections.abc import Callable

from tidemark_tools.client.errors import ClientError


def topic_filter(text: str) -> Callable[[str], bool]:
    """Return a filter from a regular expression for whole names, where a comma means "or".

    Raises ClientError. Kafka: TopicFilter.
    """
    pattern = re.sub(r"^[\"']+|[\"']+$", "", text.strip().replace(",", "|").replace(" ", ""))
    try:
        compiled = re.compile(pattern)
    except re.error:
        raise ClientError(f"{pattern} is an invalid regex.") from None
    return lambda name: compiled.fullmatch(name) is not None
