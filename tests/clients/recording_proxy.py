"""A TCP proxy that records the API keys and versions that a client sends.

    python -m tests.clients.recording_proxy LISTEN_PORT BROKER_HOST:PORT OUTPUT

The broker must advertise the proxy's address (`advertised.listeners`). Each request is one line of JSON:
api_key, api_version, client_id.
"""

from __future__ import annotations

import asyncio
import json
import struct
import sys
from pathlib import Path
from typing import TextIO


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy bytes until either side closes."""
    try:
        while chunk := await reader.read(1 << 16):
            writer.write(chunk)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


async def pump_frames(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, output: TextIO) -> None:
    """Copy a client's requests frame by frame, and record each header."""
    try:
        while True:
            prefix = await reader.readexactly(4)
            frame = await reader.readexactly(struct.unpack(">i", prefix)[0])
            output.write(json.dumps(header(frame)) + "\n")
            output.flush()
            writer.write(prefix + frame)
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


def header(frame: bytes) -> dict[str, int | str | None]:
    """Parse the start of a request header, which is the same in all header versions except v0."""
    api_key, api_version, _, length = struct.unpack_from(">hhih", frame)
    return {
        "api_key": api_key,
        "api_version": api_version,
        "client_id": None if length < 0 else frame[10 : 10 + length].decode(errors="replace"),
    }


async def main(listen_port: int, broker: str, output_path: str) -> None:
    host, _, port = broker.rpartition(":")
    with Path(output_path).open("a", encoding="utf-8") as output:

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            broker_reader, broker_writer = await asyncio.open_connection(host, int(port))
            await asyncio.gather(pump_frames(reader, broker_writer, output), pump(broker_reader, writer))

        server = await asyncio.start_server(serve, "127.0.0.1", listen_port)
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], sys.argv[3]))
