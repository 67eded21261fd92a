#!/usr/bin/env python3
"""Proves that includes point one way: core <- media <- ports <- engine <- session <- prompts. Adapters know core and ports only.
Inside the engine each floor knows those below it (see FLOORS); what stands in src/engine itself knows all of them.

Usage: layers.py [REPOSITORY]. Prints a line for each offence; exit code 1 if there is one.
"""
import pathlib
import re
import sys

KNOWS = {
    "core": {"core"},
    "media": {"core", "media"},
    "ports": {"core", "media", "ports"},
    "engine": {"core", "media", "ports", "engine"},
    "session": {"core", "media", "ports", "engine", "session"},
    "prompts": {"core", "media", "ports", "engine", "session", "prompts"},
    "adapters": {"core", "ports", "adapters"},
    "testing": {"core", "ports", "testing"},
    "c": {"core", "media", "ports", "engine", "session", "adapters", "", "c"},
    "": {"core", "media", "ports", "engine", "session", ""},  # ctxmgr.hpp, json.hpp, openai.hpp
}
FLOORS = ["structure", "words", "index", "selection", "tools", "extracts", "history", "summaries", "planning", "build"]
# Header-only, compiled by a host with llama.cpp's own header: they put what the engine and the prompts do around a model.
LLAMA = {"adapters/llama.hpp", "adapters/llama_template.hpp"}
KNOWN_BY_LLAMA = {"core", "ports", "engine", "prompts", "adapters"}
THIRD_PARTY_IN_PUBLIC = {"tl/expected.hpp", "stddef.h", "stdint.h"}
THIRD_PARTY_IN_JSON_HPP = THIRD_PARTY_IN_PUBLIC | {"nlohmann/json.hpp", "nlohmann/json_fwd.hpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
SOURCES = {".hpp", ".cpp", ".h"}


def layer_of(path):
    """Of "core/utf8.hpp" or "ctxmgr/core/error.hpp"; None where it is not a path of ours."""
    parts = path.removeprefix("ctxmgr/").split("/")
    if len(parts) == 1:
        return "" if path.startswith("ctxmgr/") else None
    return parts[0] if parts[0] in KNOWS else None


def sources_below(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SOURCES)


def layered(root, folder):
    """Offences below include/ctxmgr or src."""
    is_public = folder != "src"
    for path in sources_below(root / folder):
        name = path.relative_to(root / folder).as_posix()
        layer = layer_of(name) if "/" in name else ""
        if layer is None:
            yield f"{path}: {name.split('/')[0]} is no layer"
            continue
        allowed = THIRD_PARTY_IN_JSON_HPP if name == "json.hpp" else THIRD_PARTY_IN_PUBLIC
        allowed = allowed | {"llama.h"} if name in LLAMA else allowed
        knows = KNOWN_BY_LLAMA if name in LLAMA else KNOWS[layer]
        for quote, target in INCLUDE.findall(path.read_text(encoding="utf-8")):
            known = layer_of(target)
            if known is not None and known not in knows:
                yield f'{path}: {layer or "a top-level file"} must not know {target}'
            if not is_public:
                continue
            if known is not None and not target.startswith("ctxmgr/"):
                yield f"{path}: a public header includes the private {target}"
            if known is None and ("/" in target or target.endswith(".h") or quote == '"') and target not in allowed:
                yield f"{path}: third-party {target} in a public header"
        if path.suffix == ".hpp" and not path.read_text(encoding="utf-8").startswith("#pragma once"):
            yield f"{path}: does not begin with #pragma once"


def floor_of(path):
    """Of "engine/index/text_index.hpp"; None where it is on no floor."""
    parts = path.split("/")
    return parts[1] if parts[0] == "engine" and len(parts) == 3 else None


def floors(root):
    """Offences inside of src/engine."""
    for path in sources_below(root / "src/engine"):
        floor = floor_of(path.relative_to(root / "src").as_posix())
        if floor is None:
            continue
        if floor not in FLOORS:
            yield f"{path}: {floor} is no floor of the engine"
            continue
        above = FLOORS[FLOORS.index(floor) + 1:]
        for _, target in INCLUDE.findall(path.read_text(encoding="utf-8")):
            known = floor_of(target)
            if known in above or (target.startswith("engine/") and known is None):
                yield f"{path}: {floor} must not know {target}, which is above it"


def reached(include, name, seen):
    """The public headers that one includes, directly or not."""
    if name not in seen:
        seen.add(name)
        for _, target in INCLUDE.findall((include / name).read_text(encoding="utf-8")):
            if target.startswith("ctxmgr/"):
                reached(include, target, seen)
    return seen


def umbrella(root):
    """What ctxmgr.hpp promises: all of the library itself."""
    have = reached(root / "include", "ctxmgr/ctxmgr.hpp", set())
    for layer in ("core", "ports", "engine", "session"):
        for path in sources_below(root / "include/ctxmgr" / layer):
            if path.relative_to(root / "include").as_posix() not in have:
                yield f"{path}: ctxmgr.hpp does not include it"


def without_mid_sentence_comments(root):
    """An editor shows a field's comment alone, so it cannot go on where the one before ended."""
    begins = re.compile(r"///< ((?:Of|For|By|To|In|Under|On|From|With|Beyond|Over|Below|Than|And|Or|Else|The same|and|or|else)\b|…)")
    for path in sources_below(root / "include"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if found := begins.search(line):
                yield f'{path}:{number}: a comment that begins with "{found[1]}" does not stand alone'


def on_public_api_only(root, folder):
    """Offences of programs, which have to do with what any host has."""
    for path in sources_below(root / folder):
        for _, target in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if layer_of(target) is not None and not target.startswith("ctxmgr/"):
                yield f"{path}: includes the private {target}"


def without_regex(root):
    """std::regex recurses once a character: long input ends the process."""
    for folder in ("include", "src", "tools", "examples", "bench", "tests"):
        for path in sources_below(root / folder):
            if ("<", "regex") in INCLUDE.findall(path.read_text(encoding="utf-8")):
                yield f"{path}: includes <regex>"


def without_loose_ends(root):
    """Nothing left to do, and no path of somebody's machine."""
    loose_end = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b|(?<![\w.})])/(home|root|work|Users)/\w")
    for folder in ("include", "src", "tools", "examples", "bench", "tests", "scripts", "cmake", "docs"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCES | {".py", ".sh", ".cmake", ".in", ".md", ".txt"} or "data" in path.parts:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                if path.name != pathlib.Path(__file__).name and loose_end.search(line):
                    yield f"{path}:{number}: {line.strip()[:100]}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    offences = [*layered(root, "include/ctxmgr"), *layered(root, "src")]
    offences += [*floors(root), *umbrella(root), *without_mid_sentence_comments(root)]
    for folder in ("tools", "examples", "tests/consumer"):  # benches measure private parts as well
        offences += on_public_api_only(root, folder)
    offences += [*without_regex(root), *without_loose_ends(root)]
    for offence in offences:
        print(offence.replace(f"{root}/", ""))
    if not sources_below(root / "src"):
        print(f"{root} has no sources")
        return 1
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
