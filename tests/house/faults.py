#!/usr/bin/env python3
"""Every test that docs/proof/faults.md names is there.

Usage: faults.py [REPOSITORY]
"""
import pathlib
import re
import sys

DEFINED = re.compile(r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP)\(\s*(\w+),\s*(\w+)")


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    page = (root / "docs/proof/faults.md").read_text(encoding="utf-8")
    there = set()
    for source in (root / "tests").rglob("*_test.cpp"):
        there.update(".".join(name) for name in DEFINED.findall(source.read_text(encoding="utf-8")))
    named = set(re.findall(r"\b\w+Test\.\w+", page))
    missing = sorted(named - there)
    print("\n".join(f"docs/proof/faults.md names {name}, which is not there" for name in missing))
    rows = re.findall(r"^\| (.+?) \| \w+Test\.", page, re.M)
    if len(rows) != len(set(rows)) or not named:
        print("docs/proof/faults.md has a row twice, or names no test")
        return 1
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
