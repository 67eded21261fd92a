#!/usr/bin/env python3
"""The program in the README is the one that is compiled."""
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[2]
program = (root / "examples/quickstart.cpp").read_text().strip()
if program not in (root / "README.md").read_text():
    sys.exit("README.md does not show examples/quickstart.cpp as it is")
