#!/usr/bin/env python3
"""Proves that a name means one thing: names.py [REPOSITORY]

Two types of one name in one namespace are undefined behaviour, also where no source sees both: the linker keeps the
functions of one of them. Sources of one test binary count as well. What stands in an unnamed namespace is of its file.
Prints a line for each type that two files define; exit code 1 if there is one.
"""
import pathlib
import re
import sys

NAMESPACE = re.compile(r"^(?:inline )?namespace ?([\w:]*) \{$")
TYPE = re.compile(r"^(?:class|struct|enum class|enum|union) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: :.*)? \{")


def types_of(path):
    """(namespace, name) of each type that stands in a named namespace and in nothing else."""
    spaces = []
    for line in path.read_text().splitlines():
        if opened := NAMESPACE.match(line):
            spaces.append(opened.group(1))
        elif line.startswith("}  // namespace") and spaces:
            spaces.pop()
        elif (found := TYPE.match(line)) and spaces and "" not in spaces:
            yield "::".join(spaces), found.group(1)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = {}
    for folder in ("include", "src", "tests", "tools"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            for name in types_of(path):
                files.setdefault(name, []).append(path.relative_to(root).as_posix())
    repeated = {name: paths for name, paths in files.items() if len(paths) > 1}
    for (space, name), paths in sorted(repeated.items()):
        print(f"{space}::{name}: {', '.join(paths)}")
    if len(files) < 100:
        print("the types were not found")
    return 1 if repeated or len(files) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
