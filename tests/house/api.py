#!/usr/bin/env python3
"""Proves that the public API is the one that is written down: api.py [--accept] [REPOSITORY]

tests/house/api.txt has a line for each public type, member, function, enumerator and constant of include/, by name, wherever
it is declared. Prints what is new (+) and what is gone (-); exit code 1 if anything is. Where that is meant, `--accept` writes
the list anew, and the change has a line in CHANGELOG.md.
"""
import difflib
import pathlib
import re
import subprocess
import sys

KINDS = {"class", "struct", "union", "enum", "enumerator", "member", "function", "prototype", "variable", "typedef", "macro",
         "alias", "externvar"}
EXPORTS = "CTXMGR_API,CTXMGR_C_API"


def tags_of(root):
    headers = [str(path) for path in sorted((root / "include").rglob("*")) if path.suffix in {".hpp", ".h"}]
    command = ["ctags", "-f", "-", "--sort=no", "--languages=C++", "--language-force=C++", "--kinds-C++=+px", "-I", EXPORTS,
               "--fields=+zKSatZ", "--extras=-F", "-L", "-"]
    tags = subprocess.run(command, input="\n".join(headers), capture_output=True, text=True, check=True).stdout
    for tag in tags.splitlines():
        name, _, rest = tag.split("\t", 2)
        fields = dict(field.split(":", 1) for field in rest.rsplit(';"\t', 1)[1].split("\t") if ":" in field)
        yield name, fields


def line_of(name, fields):
    """"ctxmgr::Artifact::content: std::string"; None for what a host cannot name."""
    kind, scope = fields.get("kind"), fields.get("scope", "")
    of, _, scope = scope.partition(":")
    if kind not in KINDS or fields.get("access") in {"private", "protected"} or of == "function" or name.startswith("__anon"):
        return None
    if kind == "macro":
        return f"{name} (macro)"
    scope = re.sub(r"(^|::)__anon\w+", "", scope)  # an enumeration without a name, which ctags makes up
    full = f"{scope}::{name}" if scope else name
    if kind in {"class", "struct", "union", "enum"}:
        return f"{full} ({kind})"
    if kind == "enumerator":
        return f"{full} (enumerator)"
    of_type = re.sub(r"^\w+:", "", fields.get("typeref", ""))
    return f"{full}{fields.get('signature', '')}" + (f": {of_type}" if of_type else "")


def api_of(root):
    return sorted({line for line in (line_of(*tag) for tag in tags_of(root)) if line})


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--accept"]
    root = pathlib.Path(arguments[0] if arguments else ".").resolve()
    written = root / "tests/house/api.txt"
    api = api_of(root)
    if "--accept" in sys.argv:
        written.write_text("\n".join(api) + "\n", encoding="utf-8")
        return 0
    before = written.read_text(encoding="utf-8").splitlines()
    changes = [line for line in difflib.unified_diff(before, api, lineterm="", n=0) if not line.startswith(("---", "+++", "@@"))]
    if changes:
        print("\n".join(changes))
        print("The public API has changed. If that is meant: tests/house/api.py --accept, and a line in CHANGELOG.md.")
    return 1 if changes or not api else 0


if __name__ == "__main__":
    sys.exit(main())
