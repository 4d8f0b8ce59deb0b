"""Write what in docs/ is made from the code.

python -m documentation [--check]

--check writes nothing, and exits with 1 if a file is out of date.
"""

from __future__ import annotations

import sys

from documentation import picture, tables


def main() -> int:
    made = {**tables.made(), picture.FILE: picture.svg()}
    stale = [file for file, text in made.items() if not file.exists() or file.read_text("utf-8") != text]
    for file in stale:
        if "--check" in sys.argv[1:]:
            print(f"{file.name} is out of date: run make docs", file=sys.stderr)
        else:
            file.write_text(made[file], "utf-8")
            print(file.name)
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
