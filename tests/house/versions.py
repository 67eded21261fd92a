#!/usr/bin/env python3
"""Proves that the version is one: versions.py [REPOSITORY]

CMakeLists.txt has it. Packages of other languages and of package managers, tests of what is installed, the changelog and pages
that name a file of a release say the same. Debian's packages, pkg-config, CMake's package and both libraries have it from CMake.
Prints a line for each that differs; exit code 1 if there is one.
"""
import pathlib
import re
import sys

PLACES = {
    "bindings/node/package.json": r'"version": "([^"]+)"',
    "bindings/python/pyproject.toml": r'^version = "([^"]+)"',
    "conanfile.py": r'^    version = "([^"]+)"',
    "packaging/vcpkg/ctxmgr/vcpkg.json": r'"version": "([^"]+)"',
    "tests/consumer/pkg_config/build.sh": r"--exact-version (\S+) ctxmgr",
    "include/ctxmgr/c/ctxmgr.h": r"The library's version, \"([^\"]+)\"",
    "CHANGELOG.md": r"\A.*?^## \[([^\]]+)\]",  # The newest section.
    "docs/building.md": r"ctxmgr-[a-z-]+_([\d.]+)_amd64\.deb",
}


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    text_of = lambda name: (root / name).read_text(encoding="utf-8")
    version = re.search(r"^  VERSION (\S+)", text_of("CMakeLists.txt"), re.MULTILINE).group(1)
    offences = []
    for name, pattern in PLACES.items():
        found = re.findall(pattern, text_of(name), re.MULTILINE | re.DOTALL)
        if not found:
            offences.append(f"{name} names no version")
        offences += [f"{name}: {other}, and CMakeLists.txt has {version}" for other in found if other != version]
    print("\n".join(offences))
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
