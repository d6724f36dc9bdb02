"""Compare what users see with what is stored: ``python -m tests.frozen``.

python -m tests.frozen                  # only report what differs
python -m tests.frozen --write          # find out everything, and store it
python -m tests.frozen --write NAME...  # only parts whose name begins so, and new parts
"""

from __future__ import annotations

import sys

from tests.frozen.outputs import (
    PARTS,
    differences,
    find_out,
    read_store,
    remove_sample,
    write_store,
)


def main(options: list[str]) -> int:
    """Compare, report and perhaps store; return 1 if something differs."""
    begins = tuple(option for option in options if not option.startswith("--"))
    stored, count = read_store(), 0
    for name in PARTS:
        if name in stored and not name.startswith(begins or ""):
            continue
        now = find_out(name)
        for line in sorted(differences(stored.get(name), now, name)):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
            count += 1
        stored[name] = now
    remove_sample()
    if "--write" in options:
        write_store(stored)
        return 0
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
