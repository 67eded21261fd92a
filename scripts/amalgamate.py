#!/usr/bin/env python3
"""Writes the library as two files that need nothing but the C++ standard library: ctxmgr.hpp and ctxmgr.cpp. Two more for a program
that has a model of llama.cpp in its process: ctxmgr_llama.hpp, and ctxmgr_llama.cpp to compile in place of ctxmgr.cpp. Two more for a
client over libcurl: ctxmgr_openai.hpp and ctxmgr_openai.cpp, of the same kind.

    scripts/amalgamate.py BUILD [OUTPUT]       BUILD: a folder that CMake has configured; OUTPUT: default BUILD/amalgamated

What others wrote comes from the installed header of tl::expected and from Debian's source packages of utf8proc and Snowball, which
apt-get fetches into BUILD/amalgamate-sources. It stands in ctxmgr::vendored, with its licence, so that a program may have its own copy
of each. Exit code 77 where the sources cannot be had.
"""
import pathlib
import re
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"].*$', re.M)
# What a program may leave out by defining CTXMGR_CORE_ONLY: no other source calls it.
BEYOND_CORE = re.compile(r"session/|adapters/clients/|core/json/(?:anthropic|responses)_|(?:anthropic|responses)\.cpp$")
THEIRS = {"tl/expected.hpp", "utf8proc.h", "libstemmer.h"}


def sources_of(target):
    """The files of a library or a component in src/CMakeLists.txt."""
    text = (ROOT / "src/CMakeLists.txt").read_text()
    block = re.search(rf"(?:add_library\({target}|ctxmgr_component\({target} [^\n]*SOURCES)\n(.*?)\n *\)", text, re.S).group(1)
    return re.findall(r"^ +(\S+\.cpp)$", block, re.M)


class Joined:
    """Sources one behind the other, each header of ours once, those of the standard library in front."""

    def __init__(self, folders, seen=()):
        self.folders, self.seen, self.system, self.parts = folders, set(seen), [], []

    def path_of(self, name):
        return next((folder / name for folder in self.folders if (folder / name).is_file()), None)

    def add(self, path, name):
        if name in self.seen:
            return
        self.seen.add(name)
        text = path.read_text(encoding="utf-8").replace("#pragma once\n", "")
        end = 0
        for found in INCLUDE.finditer(text):
            self.text(text[end:found.start()])
            end = found.end()
            inner = self.path_of(found.group(2)) if found.group(1) == '"' else None
            if inner is not None:
                self.add(inner, found.group(2))
            elif found.group(2) in THEIRS:
                continue
            elif text[: found.start()].count("#if") > text[: found.start()].count("#endif"):
                self.text(found.group(0))  # only for some compilers or systems
            elif found.group(2) not in self.system:
                self.system.append(found.group(2))
        self.text(text[end:])

    def text(self, text):
        if text.strip():
            self.parts.append(text.strip("\n") + "\n")

    def system_includes(self):
        return "".join(f"#include <{name}>\n" for name in sorted(self.system))


def own_sources():
    """The places that the system has its packages from, as places of their sources."""
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages"],
                            check=False, capture_output=True, text=True)
    return {f"deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {line}\n" for line in listed.stdout.splitlines()}


def fetch(folder):
    """Debian's sources of utf8proc and Snowball, unpacked."""
    if (folder / "done").exists():
        return
    for name in ("lists/partial", "archives/partial", "sources"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text("".join(sorted(own_sources())))
    options = [f"-oDir::Etc::SourceList={folder}/sources.list", "-oDir::Etc::SourceParts=/dev/null", f"-oDir::State::Lists={folder}/lists",
               f"-oDir::Cache={folder}", "-oAPT::Sandbox::User=root"]
    try:
        subprocess.run(["apt-get", *options, "update"], check=True, capture_output=True)
        subprocess.run(["apt-get", *options, "source", "--download-only", "utf8proc", "snowball"], cwd=folder / "sources", check=True,
                       capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        print("skipped: apt-get cannot fetch the sources of utf8proc and Snowball")
        sys.exit(77)
    for archive in sorted((folder / "sources").glob("*.orig.tar.gz")):
        with tarfile.open(archive) as tar:
            tar.extractall(folder / "sources")
    (folder / "done").touch()


def commented(title, text):
    lines = "".join(f"// {line}".rstrip() + "\n" for line in text.strip().splitlines())
    return f"// {title}\n//\n{lines}\n"


def without_c_linkage(text):
    """C's names have no namespace: two copies in one program would be one."""
    text = re.sub(r'#ifdef __cplusplus\s*extern "C" \{\s*#endif', "", text)
    text = re.sub(r"#ifdef __cplusplus\s*\}\s*#endif", "", text)
    return text


def bare(text):
    """Code without comments and empty lines: whoever reads it has the sources."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^\s*//.*\n", "", text, flags=re.M)
    return re.sub(r"\n\s*\n+", "\n", text)


def dense(text, width=500):
    """Tables in long lines: nobody reads them."""
    def joined(table):
        lines, line = [], ""
        for word in re.sub(r"\s+", " ", table.group(2)).replace("{ ", "{").replace(", ", ",").replace(",", ", ").split(" "):
            if len(line) + len(word) + 1 > width:
                lines.append(line)
                line = ""
            line += (" " if line else "") + word
        return table.group(1) + "\n" + "\n".join([*lines, line]) + "\n};"
    return re.sub(r"(\w[\w ]* \w+\[\] = \{)(.*?)\n?\};", joined, text, flags=re.S)


def expected():
    """The installed header, in our namespace."""
    path = next(pathlib.Path(p) / "tl/expected.hpp" for p in ("/usr/include", "/usr/local/include")
                if (pathlib.Path(p) / "tl/expected.hpp").is_file())
    text = path.read_text(encoding="utf-8")
    system = re.findall(r"^#include <(\w+)>", text, re.M)
    text = re.sub(r"^#include <\w+>\n", "", text, flags=re.M)
    text = re.sub(r"\bTL_", "CTXMGR_VENDORED_TL_", text)
    text = re.sub(r"^namespace tl \{", "namespace ctxmgr {\nnamespace vendored {\nnamespace tl {", text, flags=re.M)
    text = re.sub(r"^\} *// *namespace tl$", "}  // namespace tl\n}  // namespace vendored\nnamespace tl = vendored::tl;\n}  // namespace ctxmgr",
                  text, flags=re.M)
    text = re.sub(r"\btl::detail::", "::ctxmgr::vendored::tl::detail::", text)
    return system, text


# What a character is, in 16 bytes instead of 24: nobody asks for its direction. A field, and its place in utf8proc's own rows.
PROPERTY = [("utf8proc_uint16_t category:5", 0), ("utf8proc_uint16_t decomp_type:5", 3), ("utf8proc_uint16_t charwidth:2", 14),
            ("utf8proc_uint16_t comp_exclusion:1", 11), ("utf8proc_uint16_t ignorable:1", 12),
            ("utf8proc_uint16_t control_boundary:1", 13), ("utf8proc_uint8_t combining_class", 1), ("utf8proc_uint8_t boundclass", 16),
            *((f"utf8proc_uint16_t {name}", 4 + i) for i, name in enumerate(
                ("decomp_seqindex", "casefold_seqindex", "uppercase_seqindex", "lowercase_seqindex", "titlecase_seqindex", "comb_index")))]


def packed(header, data):
    """The header and the tables of utf8proc with such properties."""
    fields = "".join(f"  {field};\n" for field, _ in PROPERTY)
    header, structs = re.subn(r"(typedef struct utf8proc_property_struct \{\n).*?(\} utf8proc_property_t;)",
                              lambda found: found.group(1) + fields + found.group(2), header, flags=re.S)
    start = data.index("utf8proc_properties[] = {")
    end = data.index("};", start)

    def row(found):
        values = [value.strip() for value in found.group(1).split(",")]
        return "{" + ", ".join(values[place] for _, place in PROPERTY) + "}"
    rows, count = re.subn(r"\{([^{}]+)\}", row, data[start + len("utf8proc_properties[] = {"):end])
    assert structs == 1 and count > 1000, "utf8proc's properties look otherwise than they did"
    return header, data[:start] + "utf8proc_properties[] = {" + rows + data[end:]


def utf8proc(folder):
    source = next((folder / "sources").glob("utf8proc-*"))
    header = without_c_linkage((source / "utf8proc.h").read_text())
    header = re.sub(r'^# *include <\w+\.h>\n', "", header, flags=re.M)
    header, data = packed(header, (source / "utf8proc_data.c").read_text())
    code = (source / "utf8proc.c").read_text().replace('#include "utf8proc_data.c"', dense(data))
    code = re.sub(r'^#\s*include .*\n', "", code, flags=re.M)
    both = "#define UTF8PROC_STATIC\n" + header + code
    both = both.replace("} utf8proc_option_t;", "} utf8proc_option_t;\n" + JOINED_OPTIONS)
    both = both.replace("options & ~(unsigned int)UTF8PROC_LUMP", "(utf8proc_option_t)(options & ~(unsigned int)UTF8PROC_LUMP)")
    macros = sorted(set(re.findall(r"^#\s*define (\w+)", both, re.M)), key=len, reverse=True)
    undefined = "".join(f"#undef {name}\n" for name in macros if not name.startswith("UTF8PROC_VERSION"))
    licence = commented("utf8proc", (source / "LICENSE.md").read_text())
    return licence, bare(both), undefined


def snowball(folder, languages):
    """The compiler of Snowball writes C for each language; each gets a namespace, since they share their names."""
    source = next((folder / "sources").glob("snowball-*"))
    compiler = folder / "snowball"
    if not compiler.exists():
        subprocess.run(["cc", "-O1", "-w", "-o", compiler, *sorted((source / "compiler").glob("*.c"))], check=True)
    runtime = (source / "runtime/api.h").read_text() + (source / "runtime/header.h").read_text()
    runtime += (source / "runtime/api.c").read_text() + (source / "runtime/utilities.c").read_text()
    stemmers = ""
    for language in languages:
        made = folder / f"stem_{language}"
        subprocess.run([compiler, source / f"algorithms/{language}.sbl", "-o", made, "-eprefix", "snowball_", "-r", ".", "-u"], check=True)
        code = made.with_suffix(".c").read_text()
        stemmers += f"namespace {language} {{\n{without_c_linkage(code)}}}  // namespace {language}\n\n"
    text = re.sub(r'^#\s*include .*\n', "", without_c_linkage(runtime) + stemmers, flags=re.M)
    text = re.sub(r"^extern ", "", text, flags=re.M)
    table = "".join(f'    {{"{name}", {name}::snowball_create_env, {name}::snowball_close_env, {name}::snowball_stem}},\n'
                    for name in languages)
    return commented("Snowball", (source / "COPYING").read_text()), bare(text), STEMMER.replace("@table@", table)


JOINED_OPTIONS = """inline utf8proc_option_t operator|(utf8proc_option_t a, utf8proc_option_t b) {
  return static_cast<utf8proc_option_t>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
"""

STEMMER = """
struct Stemmer {
  const char* name;
  SN_env* (*create)();
  void (*close)(SN_env*);
  int (*stem)(SN_env*);
};
constexpr Stemmer all_stemmers[] = {
@table@};
using sb_symbol = symbol;
struct sb_stemmer {
  const Stemmer* stemmer;
  SN_env* env;
};
inline sb_stemmer* sb_stemmer_new(const char* name, const char*) {
  for (const Stemmer& stemmer : all_stemmers) {
    if (std::string_view(stemmer.name) != name) continue;
    SN_env* const env = stemmer.create();
    return env == nullptr ? nullptr : new sb_stemmer{&stemmer, env};
  }
  return nullptr;
}
inline void sb_stemmer_delete(sb_stemmer* stemmer) {
  if (stemmer == nullptr) return;
  stemmer->stemmer->close(stemmer->env);
  delete stemmer;
}
inline const sb_symbol* sb_stemmer_stem(sb_stemmer* stemmer, const sb_symbol* word, int size) {
  if (SN_set_current(stemmer->env, size, word) != 0) {
    stemmer->env->l = 0;
    return nullptr;
  }
  if (stemmer->stemmer->stem(stemmer->env) < 0) return nullptr;
  stemmer->env->p[stemmer->env->l] = 0;
  return stemmer->env->p;
}
inline int sb_stemmer_length(sb_stemmer* stemmer) { return stemmer->env->l; }
"""


def languages():
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "data/languages").glob("*.txt"))]
    return sorted(name for text in texts for name in re.findall(r"^stemmer: (\w+)$", text, re.M))


def version():
    return re.search(r"^  VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)


def write_header(output):
    joined = Joined([ROOT / "include"])
    joined.add(ROOT / "include/ctxmgr/ctxmgr.hpp", "ctxmgr/ctxmgr.hpp")
    system, theirs = expected()
    joined.system += [name for name in system if name not in joined.system]
    head = f"// ctxmgr {version()}: the library in two files. Made by scripts/amalgamate.py; do not edit.\n//\n"
    head += commented("Licence of ctxmgr", (ROOT / "LICENSE").read_text())
    text = f"{head}#pragma once\n{joined.system_includes()}\n{theirs}\n" + "".join(joined.parts)
    (output / "ctxmgr.hpp").write_text(text, encoding="utf-8")
    return joined.seen, text


def write_source(build, output, seen):
    folder = build / "amalgamate-sources"
    fetch(folder)
    joined = Joined([ROOT / "src", ROOT / "include", build / "src/generated"], seen)
    sources = sorted(sources_of("ctxmgr"), key=lambda name: bool(BEYOND_CORE.match(name)))
    core = None
    for name in sources:
        if core is None and BEYOND_CORE.match(name):
            core = len(joined.parts)
        joined.add(ROOT / "src" / name, name)
    utf8_licence, utf8, utf8_macros = utf8proc(folder)
    stemmer_licence, stemmers, stemmer_door = snowball(folder, languages())
    macros = "".join(f"#undef {name}\n" for name in sorted(set(re.findall(r"^#\s*define (\w+)", stemmers, re.M))))
    for name in ("limits.h", "string.h", "stdlib.h", "stddef.h", "stdint.h", "stdbool.h", "stdio.h", "string_view"):
        if name not in joined.system:
            joined.system.append(name)
    text = f"// ctxmgr {version()}: compile this file with your program, as C++20. Made by scripts/amalgamate.py; do not edit.\n"
    text += '#include "ctxmgr.hpp"\n\n' + joined.system_includes() + "\n" + utf8_licence + stemmer_licence
    text += "namespace ctxmgr::vendored {\nnamespace {\n" + stemmers + stemmer_door + macros + "\n" + utf8
    text += "}  // namespace\n}  // namespace ctxmgr::vendored\n" + "\n"
    text += "namespace ctxmgr {\nusing namespace vendored;  // NOLINT\n}\n\n" + "\n".join(joined.parts[:core])
    text += "\n#ifndef CTXMGR_CORE_ONLY\n\n" + "\n".join(joined.parts[core:]) + "\n#endif  // CTXMGR_CORE_ONLY\n"
    (output / "ctxmgr.cpp").write_text(text, encoding="utf-8")
    return joined.seen, text


def write_component(output, name, header_name, component, seen):
    """What a program with another library needs beside both: the header of the adapter, and the sources of the component."""
    in_header, in_source = seen
    header = Joined([ROOT / "include"], in_header)
    header.add(ROOT / "include" / header_name, header_name)
    head = f"// ctxmgr {version()} with {name}. Made by scripts/amalgamate.py; do not edit. The licence is in ctxmgr.hpp.\n"
    text = f'{head}#pragma once\n#include "ctxmgr.hpp"\n\n{header.system_includes()}\n' + "".join(header.parts)
    (output / f"ctxmgr_{name}.hpp").write_text(text, encoding="utf-8")
    source = Joined([ROOT / "src", ROOT / "include"], in_source)
    for path in sources_of(component):
        source.add(ROOT / "src" / path, path)
    text = f"{head}// Compile this file in place of ctxmgr.cpp.\n#ifdef CTXMGR_CORE_ONLY\n"
    text += f'#error "ctxmgr_{name}.cpp needs all of ctxmgr.cpp: compile it without CTXMGR_CORE_ONLY"\n#endif\n'
    text += '#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC diagnostic ignored "-Wsubobject-linkage"  // an included source\n#endif\n'
    text += f'#include "ctxmgr.cpp"\n\n{source.system_includes()}\n'
    (output / f"ctxmgr_{name}.cpp").write_text(text + "\n".join(source.parts), encoding="utf-8")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    output = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else build / "amalgamated"
    output.mkdir(parents=True, exist_ok=True)
    in_header, header = write_header(output)
    in_source, source = write_source(build, output, in_header)
    write_component(output, "llama", "ctxmgr/adapters/llama.hpp", "prompts", (in_header, in_source))
    write_component(output, "openai", "ctxmgr/adapters/http_relay.hpp", "curl", (in_header, in_source))
    print(f"{output}: ctxmgr.hpp {header.count(chr(10))} lines, ctxmgr.cpp {source.count(chr(10))} lines")


if __name__ == "__main__":
    main()
