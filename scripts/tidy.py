#!/usr/bin/env python3
"""Runs clang-tidy on the sources of the library and its tools: tidy.py BUILD_DIR [--jobs N] [--seconds N]

What had no finding is remembered by the hash of its preprocessed text (comments stay in it, for NOLINT), so a run looks
at what changed, headers included. What was committed last comes first; after `--seconds` no further source is begun, and
the next run goes on from there. Exit code 1 where there are findings. The memory is in $XDG_CACHE_HOME/ctxmgr-tidy (else
~/.cache).
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEMORY = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "ctxmgr-tidy"


def without_precompiled_headers(command):
    """Those of one compiler are nothing to another, and without them a source proves to include what it uses."""
    words = iter(shlex.split(command))
    kept = []
    for word in words:
        if word == "-include":
            next(words)
        elif word not in ("-Winvalid-pch", "-fpch-preprocess"):
            kept.append(word)
    return shlex.join(kept)


def commands(build):
    """One compile command of each source; an object library and a test may compile the same one twice."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        entry["command"] = without_precompiled_headers(entry["command"])
        source = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if source.is_relative_to(ROOT / "src") or source.is_relative_to(ROOT / "tools"):
            found[source] = entry
    return found


def last_changed_first(sources):
    log = subprocess.run(
        ["git", "log", "--no-merges", "--format=", "--name-only"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    age = {}
    for name in log.stdout.split():
        age.setdefault(ROOT / name, len(age))
    return sorted(sources, key=lambda source: age.get(source, len(age)))


def preprocessed(entry):
    command = shlex.split(entry["command"])
    output = command.index("-o")
    del command[output : output + 2]
    run = subprocess.run([*command, "-E", "-P", "-C"], cwd=entry["directory"], capture_output=True, check=True)
    return run.stdout


def findings(source, entry, database, setup, deadline):
    """What clang-tidy says of a source, nothing where it is clean or was so before, or None where there is no time."""
    if time.monotonic() > deadline:
        return None
    memory = MEMORY / hashlib.sha256(setup + preprocessed(entry)).hexdigest()
    if memory.exists():
        return ""
    run = subprocess.run(["clang-tidy", "-p", database, "--quiet", source], capture_output=True, text=True)
    if run.returncode == 0:
        memory.touch()
        return ""
    return run.stdout or run.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=float("inf"))
    args = parser.parse_args()
    deadline = time.monotonic() + args.seconds
    MEMORY.mkdir(parents=True, exist_ok=True)
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    setup = version + (ROOT / ".clang-tidy").read_bytes()
    sources = commands(args.build)
    left, bad = 0, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool, tempfile.TemporaryDirectory() as database:
        pathlib.Path(database, "compile_commands.json").write_text(json.dumps(list(sources.values())))
        order = last_changed_first(sources)
        for said in pool.map(lambda source: findings(source, sources[source], database, setup, deadline), order):
            left += said is None
            bad += bool(said)
            if said:
                print(said, end="" if said.endswith("\n") else "\n")
    if bad or not sources:
        sys.exit(f"clang-tidy: findings in {bad} of {len(sources)} files")
    later = f"; {left} were left for the next run" if left else ""
    print(f"clang-tidy has nothing to say about {len(sources) - left} files{later}")


if __name__ == "__main__":
    main()
