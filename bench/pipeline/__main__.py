"""`python -m bench.pipeline [--full] [--only NAME] [--write]` measures the pipeline and prints the table.

`--only commands --sizes 2,20` runs whole commands on logs of these megabytes, also of the commit `--before`.

`python -m bench.pipeline generate DIR [--records N] [--segments N] [--groups N] [--codec CODEC]` only writes
a directory.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from bench.__main__ import machine
from bench.aims import Aim, at_least, at_most
from bench.load import RESULTS
from bench.pipeline import commands
from bench.pipeline.generate import generate
from bench.rows import OTHERS_SHOWN, Row, figure
from bench.table import DOCUMENT, caption, line
from tidemark_protocol.compression import Codec

RECORDS: Final = 2_000_000
FULL: Final = 20_000_000
HEAD: Final = ("what", "figure", "besides", "aim")
PLACE: Final = re.compile(r"(<!-- pipeline measured -->\n).*?(<!-- pipeline measured: end -->)", re.DOTALL)
COMMANDS_PLACE: Final = re.compile(
    r"(<!-- commands measured -->\n).*?(<!-- commands measured: end -->)", re.DOTALL
)
TWICE: Final = 2.2
TEN_TIMES: Final = TWICE**3.32  # a factor of ten is 3.32 doublings
DOUBLED: Final = ("source to noop", "source to Parquet", "forecast from segments")

AIMS: Final = {
    aim.row: aim
    for aim in (
        Aim("decode, no CRC", "1,000,000 per core second", at_least(1_000_000)),
        Aim("decode, CRC", "750,000 per core second", at_least(750_000)),
        Aim("source to noop", "500,000 per CPU second", at_least(500_000)),
        Aim("source to Parquet", "250,000 per CPU second", at_least(250_000)),
        Aim("forecast, 3 retentions, from Parquet", "5 s", at_most(5)),
        Aim("forecast, 3 retentions, from segments", "10 s", at_most(10)),
        Aim("peak of a worker", "600 MB", at_most(600)),
        *(Aim(f"twice the records: {what}", "2.2 times", at_most(TWICE)) for what in DOUBLED),
        *commands.AIMS,
        *(Aim(f"ten times: {what}", f"{TEN_TIMES:.1f} times", at_most(TEN_TIMES)) for what in DOUBLED),
    )
}


def main() -> None:
    arguments = parse()
    if arguments.command == "generate":
        write_directory(arguments)
        return
    rows = []
    for row in measured(arguments):
        print(text_of(row), flush=True)
        rows.append(row)
    found = {"machine": machine(), "rows": [asdict(row) for row in rows]}
    written = RESULTS / "pipeline" / time.strftime("%Y%m%d-%H%M%S.json")
    written.parent.mkdir(parents=True, exist_ok=True)
    written.write_text(json.dumps(found, indent=1) + "\n")
    print(f"written to {written}")
    if arguments.write:
        write(found["machine"], rows)
    missed = [row.name for row in rows if not met(row)]
    if missed:
        sys.exit(f"missed: {'; '.join(missed)}")


def write(of: dict[str, Any], rows: list[Row]) -> None:
    """Write the rows to their places in docs/performance.md."""
    whole = [row for row in rows if isinstance(row, commands.CommandRow)]
    aims = {row.name: (AIMS[row.name].text, met(row)) for row in whole if row.name in AIMS}
    made = {
        PLACE: table(of, [row for row in rows if row not in whole]),
        COMMANDS_PLACE: f"{caption(of, [])}\n\n{commands.table(whole, aims)}",
    }
    text = DOCUMENT.read_text()
    for place, some in ((PLACE, len(whole) < len(rows)), (COMMANDS_PLACE, bool(whole))):
        if some:
            text = place.sub(lambda found, place=place: found[1] + made[place] + found[2], text)  # type: ignore[misc]
    DOCUMENT.write_text(text)


def measured(arguments: argparse.Namespace) -> Iterator[Row]:
    """Measure one case after the other. The session is started when the first case needs it."""
    from bench.pipeline.cases import Bench, Spark, decode
    from tidemark_pipeline.cli.session import session

    RESULTS.mkdir(exist_ok=True)
    # On the disk of the working tree, not in a /tmp that may be memory.
    bench = Bench(Path(tempfile.mkdtemp(prefix="run-", dir=RESULTS)), arguments.times)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, bench.folder)

        def spark() -> Spark:
            if not made:
                made.append(Spark(bench, stack.enter_context(session(arguments.master))))
                made[0].warm_up()
            return made[0]

        made: list[Spark] = []
        cases: dict[str, Callable[[], Iterable[Row]]] = {
            "decode": lambda: decode(bench, RECORDS),
            "source": lambda: spark().source(RECORDS),
            "floor": lambda: spark().floor(RECORDS),
            "forecast": lambda: spark().forecast(RECORDS),
            "memory": lambda: spark().memory(),
            "commands": lambda: commands.commands(bench, arguments.sizes, arguments.before),
            "growth": lambda: spark().growth("twice the records", RECORDS, 2 * RECORDS),
        }
        if arguments.full:
            cases["full"] = lambda: spark().growth("ten times", RECORDS, FULL)
        for name, case in cases.items():
            if any(part in name for part in arguments.only.split(",")):
                yield from case()


def text_of(row: Row) -> str:
    return "  ".join(filter(None, (f"{row.name:42} {figure(row.value):>10} {row.unit:6}", *beside(row))))


def beside(row: Row) -> tuple[str, str]:
    busy = row.others is not None and row.others > OTHERS_SHOWN
    others = f" (others took {row.others:.1f} cores)" if busy else ""
    aim = AIMS.get(row.name)
    told = "" if aim is None else f"{aim.text}: {'met' if met(row) else '**missed**'}"
    return row.note + others, told


def met(row: Row) -> bool:
    aim = AIMS.get(row.name)
    return aim is None or aim.holds(row, None)


def table(of: dict[str, Any], rows: Iterable[Row]) -> str:
    """Return the table as Markdown."""
    cells = [(row.name, f"{figure(row.value)} {row.unit}", *beside(row)) for row in rows]
    head = [caption(of, []), "", line(HEAD), line("---" for _ in HEAD)]
    return "\n".join([*head, *map(line, cells)]) + "\n"


def write_directory(arguments: argparse.Namespace) -> None:
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


def megabytes(text: str) -> list[int]:
    sizes = [int(part) for part in text.split(",")]
    if not set(sizes) <= set(commands.RECORDS):
        raise argparse.ArgumentTypeError(f"sizes are of {', '.join(map(str, commands.RECORDS))}")
    return sizes


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.pipeline",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--full", action="store_true", help="20 million records as well")
    parser.add_argument(
        "--only",
        default="",
        metavar="NAME",
        help="of decode, source, floor, forecast, memory, commands, growth, full",
    )
    sizes = ",".join(map(str, commands.RECORDS))
    parser.add_argument("--sizes", type=megabytes, default=sizes, metavar="MB,...", help="of `commands`")
    parser.add_argument(
        "--before", default=commands.BEFORE, metavar="COMMIT", help="`commands` of this one too; '': of none"
    )
    parser.add_argument("--times", type=int, default=5, metavar="N", help="the median of so many runs")
    parser.add_argument("--master", default="local[2]", metavar="URL", help="of Spark")
    parser.add_argument("--write", action="store_true", help="the table goes into docs/performance.md")
    subparsers = parser.add_subparsers(dest="command")
    command = subparsers.add_parser("generate")
    command.add_argument("directory", type=Path)
    command.add_argument("--records", type=int, default=RECORDS)
    command.add_argument("--segments", type=int, default=8)
    command.add_argument("--groups", type=int, default=200)
    command.add_argument("--batch-max", type=int, default=100, metavar="N", help="1 to N records in a batch")
    command.add_argument("--codec", choices=[codec.name for codec in Codec], default=Codec.NONE.name)
    return parser.parse_args()


if __name__ == "__main__":
    main()
