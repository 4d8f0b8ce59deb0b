"""`python -m bench.pipeline generate DIR [--records N] [--segments N] [--groups N] [--codec CODEC]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.pipeline.generate import generate
from tidemark_protocol.compression import Codec


def main() -> None:
    arguments = parse()
    made = generate(
        arguments.directory,
        records=arguments.records,
        segments=arguments.segments,
        group_count=arguments.groups,
        batch_max=arguments.batch_max,
        codec=Codec[arguments.codec],
    )
    print(
        f"{made.records:,} records, {made.bytes:,} bytes in {len(made.segments)} segments: {made.directory}"
    )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.pipeline", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("generate", help="only write a directory")
    command.add_argument("directory", type=Path)
    command.add_argument("--records", type=int, default=2_000_000)
    command.add_argument("--segments", type=int, default=8)
    command.add_argument("--groups", type=int, default=200)
    command.add_argument("--batch-max", type=int, default=100)
    command.add_argument("--codec", choices=[codec.name for codec in Codec], default=Codec.NONE.name)
    return parser.parse_args()


if __name__ == "__main__":
    main()
