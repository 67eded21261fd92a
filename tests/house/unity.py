#!/usr/bin/env python3
"""Proves that the sources of a target can be compiled as one: unity.py [REPOSITORY]

A unity build makes one file of many sources, and one of their unnamed namespaces. There a function of another source can
silently take the place of the one that was meant, and whether it compiles depends on which sources stand together. So of
the sources of a target, two define no function, type or constant of one name in unnamed namespaces of one namespace.
Exempt are sources that CMake compiles alone, operators, whose names nobody chooses, an alias that says the same twice, and
extension points.
Prints a line for each name that two sources have; exit code 1 if there is one.
"""
import pathlib
import re
import sys

# JsonReader finds it by the type that it reads into, which is of one source.
EXTENSION_POINTS = {"read_json"}
LISTS = ("src", "tests", "tools/ctxpack", "bench")  # Examples and fuzz targets are of one source.
TARGET = re.compile(r"^ *(?:add_library|add_executable|target_sources|ctxmgr_\w+)\((\w+)\s([^()]*)\)", re.MULTILINE)
ALONE = re.compile(r"^ *set_source_files_properties\(([^()]*)PROPERTIES\s+SKIP_UNITY_BUILD_INCLUSION ON\)", re.MULTILINE)
VARIABLE = re.compile(r"^ *set\((\w+) (\$\{PROJECT_SOURCE_DIR\}[\w/]*)\)", re.MULTILINE)
SOURCE = re.compile(r"[\w/.${}]+\.cpp")

NAMESPACE = re.compile(r"^(?:inline )?namespace ?([\w:]*) ?\{$")
NOT_A_NAME = re.compile(r"^(?:\W|[A-Z_]{3,}\(|extern |static_assert|template <.*>$|namespace |using (?!\w+ =)|(?:public|private|protected):)")
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
TYPE = re.compile(r"^(?:template <.*> )?(?:class|struct|enum class|enum|union) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: :.*)? \{")
ALIAS = re.compile(r"^(?:template <.*> )?using (\w+) =")
# A function's name stands before the first parenthesis, a constant's before "=", "{", "[" or "(".
OBJECT = re.compile(r"^[\w:<>,&*\[\] .]*?[\w>&*\]] ?\b(\w+) ?(?:=|\{|\[\d*\w*\] =|\(|;)")


def targets_of(root):
    """The sources of each target of the project that CMake may compile as one, by the lists of its CMakeLists.txt."""
    targets, alone = {}, set()
    for folder in LISTS:
        text = re.sub(r"#.*", "", (root / folder / "CMakeLists.txt").read_text(encoding="utf-8"))
        variables = {"PROJECT_SOURCE_DIR": str(root)}
        for name, value in VARIABLE.findall(text):
            variables[name] = value.replace("${PROJECT_SOURCE_DIR}", str(root))

        def sources(listed):
            for source in SOURCE.findall(listed):
                source = re.sub(r"\$\{(\w+)\}", lambda found: variables.get(found[1], "$"), source)
                if "$" not in source:
                    yield (root / folder / source).resolve()

        for name, listed in TARGET.findall(text):
            listed += f" {name}.cpp" if folder == "bench" else ""  # ctxmgr_bench() adds it.
            targets.setdefault(f"{folder}: {name}", []).extend(sources(listed))
        for listed in ALONE.findall(text):
            alone.update(sources(listed))
    for component in ("curl", "prompts"):  # scripts/amalgamate.py makes one file of them
        targets[f"the two files with {component}"] = targets["src: ctxmgr"] + targets[f"src: {component}"]
    return {name: [source for source in listed if source not in alone] for name, listed in targets.items()}


def names_of(text):
    """(namespace, name, line number, line) of what only this source can see, in a text as clang-format leaves it."""
    spaces = []
    text = RAW_STRING.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(text.splitlines(), 1):
        if opened := NAMESPACE.match(line):
            spaces.append(opened[1])
        elif line.startswith("}  // namespace") and spaces:
            spaces.pop()
        elif NOT_A_NAME.match(line) or not ("" in spaces or line.startswith("static ")):
            continue
        elif found := TYPE.match(line) or ALIAS.match(line) or OBJECT.match(line):
            yield "::".join(space for space in spaces if space), found[1], number, line


def repeated(sources):
    """A line for each name that two of the sources define; sources are (path, text)."""
    places = {}
    for path, text in sources:
        for space, name, number, line in names_of(text):
            places.setdefault((space, name), {}).setdefault(path, (number, line))
    for (space, name), found in sorted(places.items()):
        lines = {line.partition("  //")[0] for _, line in found.values()}
        same_alias = len(lines) == 1 and ALIAS.match(lines.pop())
        if len(found) > 1 and not same_alias and name not in EXTENSION_POINTS:
            yield f"{space}::{name}: " + ", ".join(f"{path}:{number}" for path, (number, _) in found.items())


def mistaken():
    """What this test would say of sources whose answer is known, where it says something else."""
    source = "namespace a {{\nnamespace {{\n{}\n}}  // namespace\n}}  // namespace a\n"
    cases = {
        "bool is_in(std::string_view a,\n           int b) {": "int is_in(int a) { return a; }",
        "constexpr std::size_t most = 3;": "const std::array<int, 2> most{1, 2};",
        "struct Row {": "enum class Row {",
        "template <class T>\nT read(const T& a) {": "using read = int;",
    }
    for first, second in cases.items():
        if len(list(repeated([("x", source.format(first)), ("y", source.format(second))]))) != 1:
            yield f"not found: {first}"
        if list(repeated([("x", source.format(first)), ("y", source.format(second).replace("namespace a", "namespace b"))])):
            yield f"found across namespaces: {first}"
        if list(repeated([("x", source.format(first + "\n" + second))])):
            yield f"found in one source: {first}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    lines, listed = list(mistaken()), set()
    for target, paths in targets_of(root).items():
        listed.update(paths)
        sources = [(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")) for path in dict.fromkeys(paths)]
        lines += [f"{target}: {line}" for line in repeated(sources)]
    print("\n".join(lines))
    if len(listed) < 500:
        print("the sources were not found")
        return 1
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
