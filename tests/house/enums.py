#!/usr/bin/env python3
"""Proves that every public enum has a to_string(): enums.py [REPOSITORY]

Prints a line for each that has none; exit code 1 if there is one.
"""
import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "include").rglob("*.hpp")))
    enums = re.findall(r"^\s*enum class (\w+)", text, re.MULTILINE)
    named = set(re.findall(r"std::string_view to_string\((\w+) \w+\)", text))
    missing = [name for name in enums if name not in named]
    for name in missing:
        print(f"{name} has no to_string()")
    return 1 if missing or not enums else 0


if __name__ == "__main__":
    sys.exit(main())
