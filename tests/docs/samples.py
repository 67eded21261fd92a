"""What a command prints, as a page shows it: written by this script, compared by `docs.blocks`.

A sample is a block of the language `text` behind a comment that has the command, which runs where the pages and examples lie:

    <!-- sample: ctxpack count examples/data/wal.md -->

WORK is a folder for what the command makes, and pkg-config finds the installed library.

Times differ from run to run: "0.3 ms" is as good as "0.2 ms".

Usage: samples.py PREFIX ROOT writes the samples of ROOT's pages anew, by what is installed under PREFIX"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLE = re.compile(r"(<!-- sample: (?P<command>.*?) -->\n+```text\n)(?P<shown>.*?)(?=^```)", re.M | re.S)


def printed(command, prefix):
    """What the command prints, or an exception with what it says on the error stream."""
    found = [str(path) for path in Path(prefix).resolve().rglob("pkgconfig")]
    with tempfile.TemporaryDirectory() as work:
        environment = dict(os.environ, PATH=f"{prefix}/bin:{os.environ['PATH']}", LC_ALL="C.UTF-8", NO_COLOR="1", WORK=work,
                           PKG_CONFIG_PATH=":".join(found), LD_LIBRARY_PATH=":".join(str(Path(path).parent) for path in found))
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=Path(prefix) / "share/doc/ctxmgr", env=environment,
                              capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def without_times(text):
    return re.sub(r"\d+\.\d ms", "# ms", text)


def main():
    prefix, root = sys.argv[1], Path(sys.argv[2])
    for page in sorted([*root.glob("*.md"), *root.glob("docs/*.md"), *root.glob("docs/proof/*.md")]):
        text = page.read_text(encoding="utf-8")
        written = SAMPLE.sub(lambda match: match[1] + printed(match["command"], prefix), text)
        if without_times(written) != without_times(text):
            page.write_text(written, encoding="utf-8")
            print(f"{page}: written anew")


if __name__ == "__main__":
    main()
