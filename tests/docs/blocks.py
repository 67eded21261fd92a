"""Every code block of the installed pages works: C++ compiles (programs also run), Python and shell run, JSON parses, CMake
configures; and every link between pages leads somewhere.

A block that is a part of a program says in a comment before it what the rest has: `<!-- with: … -->` (declarations), and
`<!-- outside: … -->` where the block itself is declarations. A shell block is run where `<!-- run -->` stands before it, and
else only has to parse. A C++ block with `<!-- needs: HEADER; … -->`, and declarations behind the header, compiles where the
compiler finds that header, and else is left out, saying so. A block of the language text is what a command prints (`samples.py`). Blocks that are indented are what a terminal shows, and may not be C++.

Usage: blocks.py PREFIX WORK COMPILER [LIBRARY_OF_THE_C_INTERFACE]"""
import difflib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import samples

prefix, work, compiler = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
library = sys.argv[4] if len(sys.argv) > 4 else None
pages = prefix / "share/doc/ctxmgr"
BLOCK = re.compile(r"(?:<!-- (?P<kind>with|outside|run|sample|needs)(?::\s*(?P<text>.*?))?\s*-->\n+)?```(?P<language>[\w.]*)\n(?P<code>.*?)^```",
                   re.M | re.S)
HEADERS = ["ctxmgr/ctxmgr.hpp", "ctxmgr/openai.hpp", "ctxmgr/anthropic.hpp", "ctxmgr/responses.hpp",
           "ctxmgr/adapters/bpe_encoding.hpp", "ctxmgr/adapters/curl_llm_client.hpp",
           "ctxmgr/adapters/llm_client_decorators.hpp", "ctxmgr/adapters/redis_key_value_store.hpp",
           "ctxmgr/adapters/sql_conversation_store.hpp", "ctxmgr/adapters/sqlite_stores.hpp",
           "ctxmgr/prompts/prompt_composer.hpp", "ctxmgr/prompts/prompt_template.hpp",
           "ctxmgr/session/context_tools.hpp", "ctxmgr/session/memory_tool.hpp", "ctxmgr/session/workflow.hpp"]
MODEL = re.compile(r"\b(?:gpt-\d|o\d-|claude-)[\w.-]*\w\b")
FORMER = re.compile(r"gpt-[34]|gpt-5(\.[0-3])?(-|$)|o\d|claude-3|claude-(opus|sonnet)-4")
models = json.loads((Path(__file__).parents[2] / "data/models.json").read_text())["models"]
failures, counted = [], {}
os.environ["LD_LIBRARY_PATH"] = ":".join([*(str(p.parent) for p in prefix.rglob("pkgconfig")),
                                          os.environ.get("LD_LIBRARY_PATH", "")])


def run(command, where, **options):
    done = subprocess.run(command, cwd=options.pop("cwd", work), capture_output=True, text=True, timeout=600, check=False, **options)
    if done.returncode != 0:
        failures.append(f"{where}: exit {done.returncode}\n{(done.stderr or done.stdout)[:3000]}")
    return done.returncode == 0


def flags(*packages):
    env = dict(os.environ, PKG_CONFIG_PATH=":".join(str(p) for p in prefix.rglob("pkgconfig")))
    return subprocess.run(["pkg-config", "--cflags", "--libs", *packages], env=env, capture_output=True, text=True,
                          check=True).stdout.split()


def store_with_a_thread():
    """What the blocks of SQL ask: made by the installed program."""
    file, environment = work / "threads.db", dict(os.environ, PATH=f"{prefix}/bin:{os.environ['PATH']}")
    for role, text in (("user", "Who is a stakeholder?"), ("assistant", "The board.")):
        if not run(["ctxpack", "thread", "--store", f"sqlite:{file}", "append", "report-7", "--role", role, "--content", text],
                   "a store for SQL", env=environment):
            return None
    return sqlite3.connect(file)


fragments, includes = [], []


def take_cpp(page, line, kind, before, code):
    where = f'#line {line} "{page}"\n'
    if re.search(r"^int main\(", code, re.M):
        program = work / f"program_{len(counted)}_{line}.cpp"
        program.write_text(where + code)
        binary = program.with_suffix("")
        if run([compiler, "-std=c++17", str(program), "-o", str(binary), *flags("ctxmgr-bpe", "ctxmgr-sqlite", "ctxmgr")],
               f"{page}:{line}"):
            run([str(binary)], f"{page}:{line}", cwd=pages)  # where the examples lie
        return
    if kind == "needs":
        take_cpp_with(page, line, before, code)
        return
    includes.extend(re.findall(r"^#include .*$", code, re.M))
    code = re.sub(r"^#include .*$", "", code, flags=re.M)
    name = f"block_{len(fragments)}"
    body = where + code if kind == "outside" else f"void shown() {{\n{where}{code}\n}}"
    fragments.append(f"namespace {name} {{\n{before}\n{body}\n}}  // namespace {name}\n")


def take_cpp_with(page, line, before, code):
    """A block by itself, against a header that is of another project."""
    header, _, declared = (part.strip() for part in before.partition(";"))
    program = work / f"needs_{line}.cpp"
    program.write_text(f"#include <{header}>\n")
    compile_only = [compiler, "-std=c++17", "-fsyntax-only", str(program), *flags("ctxmgr-prompts", "ctxmgr")]
    if subprocess.run(compile_only, capture_output=True).returncode != 0:
        print(f"{page}:{line}: left out, since this compiler finds no {header}")
        return
    program.write_text(f"#include <{header}>\n#include <iostream>\n#include <string>\n#include <ctxmgr/adapters/llama.hpp>\n{declared}\n"
                       f"void shown() {{\n#line {line} \"{page}\"\n{code}\n}}\n")
    run(compile_only, f"{page}:{line}")


def check_sample(where, command, shown):
    try:
        printed = samples.printed(command, prefix)
    except RuntimeError as error:
        failures.append(f"{where}: {command}: {error}")
        return
    if samples.without_times(printed) != samples.without_times(shown):
        difference = "\n".join(difflib.unified_diff(shown.splitlines(), printed.splitlines(), "shown", "printed", lineterm="", n=1))
        failures.append(f"{where}: {command} prints something else (tests/docs/samples.py writes it anew)\n{difference[:3000]}")


def check_models(page, text):
    """Models of the large services are those of the catalogue, and none that the examples have left behind."""
    for name in sorted(set(MODEL.findall(text))):
        if name not in models:
            failures.append(f"{page}: the model {name} is not in the catalogue")
        elif FORMER.match(name):
            failures.append(f"{page}: the model {name} is a former one")


def take(page, line, kind, before, language, code):
    where = f"{page}:{line}"
    counted[language] = counted.get(language, 0) + 1
    if language == "cpp":
        take_cpp(page, line, kind, before or "", code)
    elif language == "json":
        try:
            json.loads(code)
        except ValueError as error:
            failures.append(f"{where}: {error}")
    elif language == "python":
        if library:
            path = str(prefix / "lib/python3/dist-packages")
            run([sys.executable, "-c", (before or "") + "\n" + code], where,
                env=dict(os.environ, CTXMGR_LIBRARY=library, PYTHONPATH=path))
    elif language == "sql":
        if database is None:
            failures.append(f"{where}: no store to ask")
            return
        for statement in filter(str.strip, re.sub(r"^--.*$", "", code, flags=re.M).split(";")):
            try:
                if database.execute(statement).fetchone() is None:
                    failures.append(f"{where}: nothing is found by {statement.strip()}")
            except sqlite3.Error as error:
                failures.append(f"{where}: {error}")
    elif language == "text" and kind == "sample":
        check_sample(where, before, code)
    elif language == "js":
        (work / "block.js").write_text(code)
        if shutil.which("node"):
            run(["node", "--check", "block.js"], where)
    elif language == "sh":
        env = dict(os.environ, PATH=f"{prefix}/bin:{os.environ['PATH']}", DOCS=str(pages), CXX=compiler,
                   CMAKE_PREFIX_PATH=str(prefix),
                   PKG_CONFIG_PATH=":".join(str(p) for p in prefix.rglob("pkgconfig")))
        run(["bash", "-euo", "pipefail", *([] if kind == "run" else ["-n"]), "-c", code], where, env=env)
    elif language == "make":  # what it would do
        for source in re.findall(r"\w+\.[ch]pp", code):
            (work / source).touch()
        (work / "block.mk").write_text(code)
        run(["make", "--dry-run", "--file=block.mk"], where)
    elif language == "cmake":
        project = work / f"cmake_{len(counted)}_{line}"
        project.mkdir()
        (project / "app.cpp").write_text("int main() {}\n")
        own = dict(re.findall(r"add_library\((\w+) ([\w.]+)\)", code))
        for source in own.values():
            (project / source).write_text("int of_the_page;\n")
        names = set(re.findall(r"target_link_libraries\((\w+)", code)) - own.keys() or {"app"}
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(page CXX)\n" + "".join(
            f"add_executable({name} app.cpp)\n" for name in names) + (before or "") + code)
        run(["cmake", "-S", str(project), "-B", str(project / "build"), f"-DCMAKE_PREFIX_PATH={prefix}",
             f"-DCMAKE_CXX_COMPILER={compiler}"], where)
    else:
        failures.append(f"{where}: a block of the language '{language}'")


def check_page(page):
    text = page.read_text()
    name = page.relative_to(pages)
    rest = text
    for match in BLOCK.finditer(text):
        line = text[:match.start("code")].count("\n") + 1
        check_models(f"{name}:{line}", match["code"])
        take(name, line, match["kind"], match["text"], match["language"], match["code"])
        rest = rest.replace(match.group(0), "")
    for line in re.findall(r"^    .*(?:ctxmgr::\w+.*;|#include).*$", rest, re.M):
        failures.append(f"{name}: C++ in an indented block, which nothing compiles: {line.strip()}")
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", re.sub(r"`[^`]*`", "", rest)):
        if not re.match(r"https?:", link) and not (page.parent / link).exists():
            failures.append(f"{name}: a link to {link}, which is not there")


shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
database = store_with_a_thread()
found = sorted([*pages.glob("docs/*.md"), *pages.glob("docs/proof/*.md"), pages / "README.md"])
if len(found) < 10:
    sys.exit(f"these are not the pages: {found}")
for page in found:
    check_page(page)
for example in sorted([*pages.glob("examples/*.cpp"), *pages.glob("examples/data/*.json"), *pages.glob("examples/*/*.py")]):
    check_models(example.relative_to(pages), example.read_text())
source = work / "fragments.cpp"
lines = [f"#include <{header}>" for header in HEADERS] + sorted(set(includes)) + ["#include <iostream>"]
source.write_text("\n".join(lines) + "\n" + "\n".join(fragments))
run([compiler, "-std=c++17", "-fsyntax-only", "-Wno-unused", str(source), *[f for f in flags("ctxmgr") if f[:2] != "-l"]],
    "the C++ of the pages")
print("\n".join(failures) or f"{sum(counted.values())} blocks on {len(found)} pages work: {counted}")
sys.exit(bool(failures))
