#!/usr/bin/env python3
"""Proves that header, source and test have one name: a source whose name a header has, public or beside it, includes that
one first, tests/core/utf8_test.cpp is the test of src/core/utf8.cpp, and CMake builds both.

Usage: stems.py [REPOSITORY]. Exempt of the test is a source that only holds destructors.
"""
import pathlib
import re
import sys


def is_trivial(source):
    text = source.read_text(encoding="utf-8")
    code = [line for line in text.splitlines() if line and not re.match(r"#include|namespace|}|//|.*= default;$", line)]
    return not code


def first_include(source):
    found = re.search(r'#include [<"]([^>"]+)', source.read_text(encoding="utf-8"))
    return found[1] if found else ""


def headers_of(root, stem):
    """As an #include names them: the public one and the private one, where there are such."""
    return [name for folder, name in (("include", f"ctxmgr/{stem}.hpp"), ("src", f"{stem}.hpp"))
            if (root / folder / name).exists()]


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
        headers = headers_of(root, name.removesuffix(".cpp"))
        if headers and first_include(source) not in headers:
            offences.append(f"src/{name} does not begin with {headers[0]}")
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
