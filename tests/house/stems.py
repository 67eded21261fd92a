#!/usr/bin/env python3
"""Proves that each source has its test: tests/core/utf8_test.cpp for src/core/utf8.cpp, and that CMake builds both.

Usage: stems.py [REPOSITORY]. Exempt is a source that only holds destructors.
"""
import pathlib
import re
import sys


def is_trivial(source):
    text = source.read_text(encoding="utf-8")
    code = [line for line in text.splitlines() if line and not re.match(r"#include|namespace|}|//|.*= default;$", line)]
    return not code


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    built = (root / "src/CMakeLists.txt").read_text(encoding="utf-8")
    tested = (root / "tests/CMakeLists.txt").read_text(encoding="utf-8")
    offences = []
    for source in sorted((root / "src").rglob("*.cpp")):
        name = source.relative_to(root / "src").as_posix()
        test = name.removesuffix(".cpp") + "_test.cpp"
        if name not in built:
            offences.append(f"src/{name} is not built")
        if not (root / "tests" / test).exists() and not is_trivial(source):
            offences.append(f"src/{name} has no tests/{test}")
    for test in sorted((root / "tests").rglob("*_test.cpp")):
        name = test.relative_to(root / "tests").as_posix()
        if not name.startswith("consumer/") and name not in tested:
            offences.append(f"tests/{name} is not built")
    print("\n".join(offences))
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
