"""Tables as Kafka's newer tools print them, and failures in their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tidemark_tools.client.client import Client
from tidemark_tools.client.errors import ClientError, Unreachable
from tidemark_tools.columns import padded, width
from tidemark_tools.options import Failed


@contextmanager
def failing(client: Client, action: str) -> Iterator[None]:
    """Raise Failed with this prefix for an error of the client, unless no broker was reached at all."""
    try:
        yield
    except (ClientError, ConnectionError) as error:
        if isinstance(error, Unreachable) and not client.connected:
            raise
        raise Failed(f"{action}: {error}. Enable debug logging for additional detail.") from None


def print_table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table. A tab follows each cell, also the last one of a row."""
    cells = [list(headers), *([str(cell) for cell in row] for row in rows)]
    widths = [width(0, column) for column in zip(*cells, strict=True)]
    for row in cells:
        print("".join(f"{padded(cell, wide)}\t" for cell, wide in zip(row, widths, strict=True)))
