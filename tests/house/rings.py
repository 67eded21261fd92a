#!/usr/bin/env python3
"""Proves that knowledge runs one way: rings.py [REPOSITORY]

A unit is a header and its source, public or private. Units that include each other in a circle are a ring: none of them is
understood without the others. Open one by moving what both need into a header below them. Prints each ring that is too
large, and all of them where there are too many; exit code 1 if there is one.
"""
import pathlib
import re
import sys

LARGEST_RING = 4
UNITS_IN_RINGS = 30

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
SOURCES = {".hpp", ".cpp", ".h"}


def unit_of(name):
    return re.sub(r"\.(hpp|cpp|h)$", "", name.removeprefix("ctxmgr/"))


def units_of(root):
    """What each unit includes of the others."""
    files = {path.relative_to(root / top).as_posix(): path
             for top in ("include", "src") for path in sorted((root / top).rglob("*")) if path.suffix in SOURCES}
    knows = {unit_of(name): set() for name in files}
    for name, path in files.items():
        for target in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if target in files and unit_of(target) != unit_of(name):
                knows[unit_of(name)].add(unit_of(target))
    return knows


def reached_from(unit, knows):
    reached, waiting = set(), [unit]
    while waiting:
        for other in knows[waiting.pop()] - reached:
            reached.add(other)
            waiting.append(other)
    return reached


def rings_of(knows):
    """Units that reach each other, the largest ring first."""
    reached = {unit: reached_from(unit, knows) for unit in knows}
    rings = {frozenset(other for other in reached[unit] if unit in reached[other])
             for unit in knows if unit in reached[unit]}
    return sorted((sorted(ring) for ring in rings), key=lambda ring: (-len(ring), ring))


def main():
    knows = units_of(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
    rings = rings_of(knows)
    in_rings = sum(len(ring) for ring in rings)
    offences = [ring for ring in rings if len(ring) > LARGEST_RING or in_rings > UNITS_IN_RINGS]
    for ring in offences:
        print(f"{len(ring)} units include each other: {' '.join(ring)}")
    print(f"{len(knows)} units, {len(rings)} rings of {in_rings} units")
    return 1 if offences or not knows else 0


if __name__ == "__main__":
    sys.exit(main())
