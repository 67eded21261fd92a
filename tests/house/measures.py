#!/usr/bin/env python3
"""Prints what a newcomer meets, in figures: measures.py [CHECKOUT...]

Public headers and their lines, public types (nested ones counted), lengths of functions, the largest folder of sources, and
how much of the public headers are whole-line comments. Lengths of functions are those of Universal Ctags, from the line
of the name to the closing brace.
"""
import pathlib
import re
import statistics
import subprocess
import sys

SOURCES = {".hpp", ".cpp"}
TYPE = re.compile(r"^\s*(?:template\s*<.*>\s*)?(?:class|struct|union|enum(?:\s+class)?)\s+(?:[A-Z_]+_API\s+)?(?:\[\[\w+\]\]\s*)?"
                  r"(\w+)(?:\s+final)?\s*(?::[^;{]*)?\{", re.MULTILINE)


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace")


def public_headers(root):
    return sorted((root / "include").rglob("*.hpp"))


def types_of(header):
    """Names of the classes, structs and enums that a header defines, nested ones too."""
    return TYPE.findall(re.sub(r"//.*", "", text_of(header)))


def functions_of(root, folder="src"):
    """(lines, file, name) of each function."""
    files = [str(path) for path in sorted((root / folder).rglob("*")) if path.suffix in SOURCES]
    command = ["ctags", "-f", "-", "--languages=C++", "--language-force=C++", "--kinds-C++=f", "--fields=+ne", "-L", "-"]
    tags = subprocess.run(command, input="\n".join(files), capture_output=True, text=True, check=True).stdout
    for tag in tags.splitlines():
        fields = tag.split("\t")
        begin, end = re.search(r"\tline:(\d+)", tag), re.search(r"\tend:(\d+)", tag)
        if begin and end:
            yield int(end[1]) - int(begin[1]) + 1, pathlib.Path(fields[1]).relative_to(root).as_posix(), fields[0]


def folders_of(root, folder="src"):
    """(files, folder) of each folder of sources."""
    for path in [root / folder, *sorted((root / folder).rglob("*"))]:
        if path.is_dir():
            yield sum(file.suffix in SOURCES for file in path.iterdir()), path.relative_to(root).as_posix()


def spread(lengths):
    lengths = sorted(lengths)
    return f"{statistics.median(lengths):.0f} / {lengths[len(lengths) * 9 // 10]} / {lengths[-1]}"


def measures(root):
    headers = public_headers(root)
    lines = [line for header in headers for line in text_of(header).splitlines() if line.strip()]
    functions = [length for length, _, _ in functions_of(root)]
    files, folder = max(folders_of(root))
    comments = sum(line.lstrip().startswith("//") for line in lines)
    yield "public headers: n, median / p90 / max lines", \
        f"{len(headers)}, {spread([text_of(header).count(chr(10)) for header in headers])}"
    yield "public types", str(sum(len(types_of(header)) for header in headers))
    yield "functions: n, median / p90 / max lines, over 60", \
        f"{len(functions)}, {spread(functions)}, {sum(length > 60 for length in functions)}"
    yield "largest folder", f"{files} ({folder})"
    yield "whole-line comments in public headers", f"{100 * comments / len(lines):.0f} %"


def main():
    for root in sys.argv[1:] or ["."]:
        print(root)
        for name, value in measures(pathlib.Path(root).resolve()):
            print(f"  {name:48} {value}")


if __name__ == "__main__":
    sys.exit(main())
