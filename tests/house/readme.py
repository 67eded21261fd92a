#!/usr/bin/env python3
"""The programs in the README and on the page about the layout are those that are compiled."""
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[2]
program = (root / "examples/quickstart.cpp").read_text().strip()
if program not in (root / "README.md").read_text():
    sys.exit("README.md does not show examples/quickstart.cpp as it is")

loop = (root / "examples/conversation_loop.cpp").read_text().split("// [the loop]\n")[1].split("// [end]")[0].strip("\n")
shown = "\n".join("    " + line if line else "" for line in loop.split("\n"))
if shown not in (root / "docs/context-layout.md").read_text():
    sys.exit("docs/context-layout.md does not show the loop of examples/conversation_loop.cpp as it is")

if len((root / "README.md").read_text().splitlines()) > 150:
    sys.exit("README.md has more than 150 lines")

adapters = (root / "docs/adapters.md").read_text()
for header in sorted((root / "examples/hosts").glob("*.hpp")):
    rows = [line for line in adapters.splitlines() if f"`{header.name}`" in line]
    if not rows:
        sys.exit(f"docs/adapters.md's table of hosts lacks {header.name}")
    lines = len(header.read_text().splitlines())
    if header.name != "your_struct.hpp" and f" | {lines} | " not in rows[0]:
        sys.exit(f"docs/adapters.md's table of hosts: {header.name} has {lines} lines")
