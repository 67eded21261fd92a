#!/usr/bin/env python3
"""The program in the README is the one that is compiled, and its commands have their times."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
program = (root / "examples/quickstart.cpp").read_text().strip()
if program not in (root / "README.md").read_text():
    sys.exit("README.md does not show examples/quickstart.cpp as it is")

readme = (root / "README.md").read_text()
for command in ("./scripts/quickstart.sh", "./scripts/test.sh"):
    lines = [line for line in readme.splitlines() if line.strip().startswith(command)]
    if len(lines) != 1 or not re.search(r"# \d+ minutes", lines[0]):
        sys.exit(f"README.md names no command {command} with its minutes")
    if f"`{command.split('/')[-1]}`" not in readme or not re.search(r"need .*\binstalls\b", readme, re.S):
        sys.exit(f"README.md does not say what {command} needs and installs")

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
