#!/usr/bin/env python3
"""Proves what keeps the sources readable: limits.py [REPOSITORY]

No function over 60 lines, no source over 500, no folder of more than 60 files, and no more public types than there are: who
adds one finds one to take away. Prints a line for each offence; exit code 1 if there is one.
"""
import pathlib
import sys

import measures

FUNCTION_LINES = 60
SOURCE_LINES = 500
FOLDER_FILES = 60
PUBLIC_TYPES = 165


def offences(root):
    for lines, path, name in measures.functions_of(root):
        if lines > FUNCTION_LINES:
            yield f"{path}: {name}() has {lines} lines"
    for files, folder in measures.folders_of(root):
        if files > FOLDER_FILES:
            yield f"{folder}: {files} files"
    for path in sorted((root / "src").rglob("*")):
        lines = measures.text_of(path).count("\n") if path.suffix in measures.SOURCES else 0
        name = path.relative_to(root).as_posix()
        if lines > SOURCE_LINES:
            yield f"{name}: {lines} lines"
    types = sum(len(measures.types_of(header)) for header in measures.public_headers(root))
    if types > PUBLIC_TYPES:
        yield f"include: {types} public types"


def main():
    found = list(offences(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
