"""Read the batches of a segment file: headers alone, or complete batches with their bytes.

Reads have a fixed window, so that neither large segments nor tiny batches cost too much.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import Final

from tidemark.log.errors import BadBatch
from tidemark.log.storage import StoredFile
from tidemark_protocol.batch import (
    HEADER_BYTES,
    LOG_OVERHEAD_BYTES,
    MAGIC,
    BatchError,
    BatchHeader,
    check_crc,
    read_header,
)

LOCATE_WINDOW_BYTES: Final = (
    8 * 1024
)  # an index entry is usually at most this far from the batch that is searched
SCAN_WINDOW_BYTES: Final = 4 * 1024 * 1024
_EXTENT: Final = Struct(">qi4xb6xi")  # of a header: base offset, length, magic, last offset delta


def walk_headers(file: StoredFile, position: int, end: int) -> Iterator[tuple[int, BatchHeader]]:
    """Yield position and header of each batch in position..end without reading bodies.

    Raises BadBatch if a batch is cut or is not a batch.
    """
    window = b""
    window_start = position
    while position < end:
        inside = position - window_start
        if inside + HEADER_BYTES > len(window):
            window = file.pread(min(LOCATE_WINDOW_BYTES, end - position), position)
            window_start, inside = position, 0
        header = header_at(window, inside, position)
        following = position + header.size
        if following > end:
            raise BadBatch(position, f"the batch of {header.size} bytes is cut: {end - position} are left")
        yield position, header
        position = following


def find_batch(file: StoredFile, position: int, end: int, offset: int) -> tuple[int, int, int] | None:
    """Find the first batch in position..end that contains an offset or a later one.

    Returns its position, base offset and size. Raises BadBatch like `walk_headers`, which is slower because
    it builds each header.
    """
    window = b""
    window_start = position
    while position < end:
        inside = position - window_start
        if inside + HEADER_BYTES > len(window):
            window = file.pread(min(LOCATE_WINDOW_BYTES, end - position), position)
            window_start, inside = position, 0
            if len(window) < HEADER_BYTES:
                header_at(window, inside, position)  # raises BadBatch
        base_offset, length, magic, last_offset_delta = _EXTENT.unpack_from(window, inside)
        size = length + LOG_OVERHEAD_BYTES
        if magic != MAGIC or size < HEADER_BYTES or base_offset < 0 or last_offset_delta < 0:
            header_at(window, inside, position)  # raises BadBatch
        if position + size > end:
            raise BadBatch(position, f"the batch of {size} bytes is cut: {end - position} are left")
        if base_offset + last_offset_delta >= offset:
            return position, base_offset, size
        position += size
    return None


def read_batches(
    file: StoredFile, position: int, end: int, *, check: bool
) -> Iterator[tuple[int, BatchHeader, memoryview, int]]:
    """Yield (position in the file, header, buffer, position in the buffer) of each complete batch.

    Raises BadBatch if a batch is cut or is not a batch, and with check if its CRC differs.
    """
    while position < end:
        window = file.pread(min(SCAN_WINDOW_BYTES, end - position), position)
        view = memoryview(window)
        inside = 0
        while position < end:
            if inside and len(window) - inside < HEADER_BYTES and position + (len(window) - inside) < end:
                break  # the header continues in the next window
            header = header_at(window, inside, position)
            size = header.size
            if position + size > end:
                raise BadBatch(position, f"the batch of {size} bytes is cut: {end - position} are left")
            if inside + size > len(window):
                if inside:
                    break  # the body continues in the next window
                window = file.pread(size, position)
                view = memoryview(window)
            if check and not check_crc(view, inside, header):
                raise BadBatch(position, "the CRC differs")
            yield position, header, view, inside
            position += size
            inside += size


def header_at(window: bytes, inside: int, position: int) -> BatchHeader:
    """Return the header in the window. Raises BadBatch with its position in the file."""
    try:
        header = read_header(window, inside)
    except BatchError as error:
        if not any(window[inside:]):
            raise BadBatch(position, "only zeros follow") from None
        raise BadBatch(position, str(error)) from None
    if header.last_offset_delta < 0 or header.base_offset < 0:
        raise BadBatch(position, f"offsets {header.base_offset} to {header.last_offset}")
    return header
