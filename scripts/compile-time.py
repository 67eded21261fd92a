#!/usr/bin/env python3
"""The processor time that a clean build takes: user and system time of every compiler run, added up. Wall time would
measure what else the machine does. No compiler cache, and no link.

Usage: scripts/compile-time.py [OPTION...] [CHECKOUT...]

With several checkouts (say, `git worktree add /tmp/before COMMIT`), their sources are compiled in turn, so that a machine
that gets slower halfway slows both: the ratios hold even where the seconds do not.

  --what product|tests  the library with ctxpack, as quickstart.sh builds it (preset release), or what the preset test
                        builds for the tests alone; of a checkout without that preset, dev (default: product)
  --sample N            every N-th source only, scaled up; precompiled headers count in full (default: 1, all). Sixteen
                        sources that compile at once count as one, so there N is small: 3 measures a dozen of the tests
  --slowest N           lists the N slowest sources of the last checkout
"""
import argparse
import json
import pathlib
import resource
import shlex
import subprocess
import sys
import tempfile

OPTIONS = {
    "product": ["-DCTXMGR_BUILD_TESTS=OFF", "-DCTXMGR_BUILD_BENCH=OFF", "-DCTXMGR_BUILD_EXAMPLES=OFF"],
    "tests": ["-DCTXMGR_BUILD_EXAMPLES=OFF", "-DCTXMGR_BUILD_TOOLS=OFF"],
}


def preset_for(what, root):
    if what == "product":
        return "release"
    presets = json.loads((root / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]
    return "test" if any(preset["name"] == "test" for preset in presets) else "dev"


class Checkout:
    def __init__(self, root, what, build):
        self.root, self.build = root, build
        subprocess.run(["cmake", "--preset", preset_for(what, root), *OPTIONS[what], "-DCTXMGR_CCACHE=OFF", "-B", build],
                       cwd=root, check=True, stdout=subprocess.DEVNULL)
        commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        if what == "tests":
            commands = [c for c in commands if "/tests/" in self.name(c)]
        self.precompiled = [c for c in commands if "cmake_pch" in c["file"]]
        self.sources = [c for c in commands if "cmake_pch" not in c["file"]]
        self.seconds = {}

    def name(self, command):
        """Of the object: the same for a source in each checkout, and different where two targets compile it."""
        output = command.get("output") or shlex.split(command["command"])[shlex.split(command["command"]).index("-o") + 1]
        return "/" + output.removeprefix(f"{self.build}/")

    def compile(self, command):
        if not pathlib.Path(command["file"]).exists():  # a generated one
            subprocess.run(["cmake", "--build", self.build, "--target", command["file"]], check=True,
                           stdout=subprocess.DEVNULL)
        words = shlex.split(command["command"])
        output = pathlib.Path(command["directory"], words[words.index("-o") + 1])
        output.parent.mkdir(parents=True, exist_ok=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, cwd=command["directory"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.seconds[self.name(command)] = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def sampled(checkouts, every):
    """Every N-th by name over all checkouts, so that each is measured by the same sources."""
    names = sorted({checkout.name(command) for checkout in checkouts for command in checkout.sources})
    return names[every // 2::every]


def print_common(checkouts):
    """The same without what only some have: sources that were added since are no one's fault."""
    common = set.intersection(*(set(checkout.seconds) for checkout in checkouts))
    precompiled = {checkout.name(command) for checkout in checkouts for command in checkout.precompiled}
    if common <= precompiled:
        return
    seconds = [sum(s for name, s in checkout.seconds.items() if name in common - precompiled) for checkout in checkouts]
    ratios = "  ".join(f"{s:.1f} s ({s / seconds[0]:.2f})" for s in seconds)
    print(f"the {len(common - precompiled)} measured sources that all have, without precompiled headers: {ratios}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="*", default=["."])
    parser.add_argument("--what", choices=OPTIONS, default="product")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--slowest", type=int, default=0)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="compile-time.") as scratch:
        checkouts = [Checkout(pathlib.Path(root).resolve(), arguments.what, pathlib.Path(scratch, str(number)))
                     for number, root in enumerate(arguments.checkout)]
        for checkout in checkouts:
            for command in checkout.precompiled:
                checkout.compile(command)
        precompiled = [sum(checkout.seconds.values()) for checkout in checkouts]
        by_name = [{checkout.name(command): command for command in checkout.sources} for checkout in checkouts]
        for name in sampled(checkouts, arguments.sample):
            for checkout, commands in zip(checkouts, by_name):
                if name in commands:
                    checkout.compile(commands[name])

        first = 0.0
        for checkout, precompiled_seconds in zip(checkouts, precompiled):
            measured = len(checkout.seconds) - len(checkout.precompiled)
            seconds = precompiled_seconds
            seconds += (sum(checkout.seconds.values()) - precompiled_seconds) * len(checkout.sources) / max(measured, 1)
            first = first or seconds
            print(f"{seconds:8.1f} s  {seconds / first:5.2f}  {arguments.what}, {measured} of {len(checkout.sources)} "
                  f"sources, {precompiled_seconds:.1f} s of it precompiled headers  {checkout.root}")
        if len(checkouts) > 1:
            print_common(checkouts)
        slowest = sorted(checkouts[-1].seconds.items(), key=lambda entry: -entry[1])
        for name, seconds in slowest[:arguments.slowest]:
            print(f"{seconds:8.2f} s  {name}")


if __name__ == "__main__":
    sys.exit(main())
