"""Names of the API on the pages are names of the public headers: `Type::member`, paths of a request such as
`history.target_fill`, and each name in a table's column "option", which may be an option of the build or of ctxpack, too.
Blocks of code are not read, since `docs.blocks` compiles them.

Usage: names.py ROOT, the folder of the sources"""
import re
import sys
from pathlib import Path

TYPE = re.compile(r"\b(?:class|struct|enum class|enum|union)\s+(?:\[\[\w+\]\]\s*)?(?:CTXMGR_\w+\s+)?(\w+)\s*"
                  r"(?:final\s*)?(?::([^;{]*))?\{")
FIELD = re.compile(r"^\s*(?:const\s+)?([\w:]+(?:<[\w:<>, ]*>)?)\s+(\w+)\s*(?:=[^;]*|\{[^;]*\})?;", re.M)
CODE = re.compile(r"`([^`\n]+)`")


def body_from(text, brace):
    """From an opening brace to the one that closes it."""
    depth = 0
    for at in range(brace, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[brace + 1:at]
    return text[brace + 1:]


class Api:
    def __init__(self, root):
        self.words, self.bases, self.fields, self.everything = {}, {}, {}, set()
        for header in sorted((root / "include").rglob("*.h*")):
            text = re.sub(r"//.*", "", header.read_text(encoding="utf-8"))
            self.everything.update(re.findall(r"\w+", text))
            for match in TYPE.finditer(text):
                body = body_from(text, match.end() - 1)
                self.words.setdefault(match[1], set()).update(re.findall(r"\w+", body))
                self.bases.setdefault(match[1], set()).update(re.findall(r"\w+", match[2] or ""))
                self.fields.setdefault(match[1], {}).update({name: kind for kind, name in FIELD.findall(body)})

        for build in [root / "CMakeLists.txt", *(root / "cmake").glob("*.cmake")]:
            self.everything.update(re.findall(r"\w+", build.read_text(encoding="utf-8")))
        tools = "".join(source.read_text(encoding="utf-8") for source in (root / "tools").rglob("*.cpp"))
        self.commands = set(re.findall(r"--[a-z-]+", tools))

    def has(self, kind, member):
        return member in self.words.get(kind, ()) or any(self.has(base, member) for base in self.bases.get(kind, ()))

    def path(self, kind, names):
        """Whether the names lead from one member to the next, beginning at a type."""
        for name in names:
            if kind not in self.fields or not self.has(kind, name):
                return False
            inner = re.findall(r"\w+", self.fields[kind].get(name, ""))
            kind = next((part for part in reversed(inner) if part in self.words), "")
        return True


def wrong_in_code(api, code):
    for kind, member in re.findall(r"\b(?<!std::)([A-Z]\w+)::(\w+)", code):
        if kind in api.words and not api.has(kind, member) or kind not in api.words and kind not in api.everything:
            yield f"{kind}::{member}"
    path = re.fullmatch(r"(request\.)?([a-z_]+(?:\.[a-z_]+)*)(?: ?=.*)?", code)
    names = path[2].split(".") if path else []
    meant = path and (path[1] or len(names) > 1 and names[0] in api.fields["BuildRequest"])
    if meant and not api.path("BuildRequest", names):
        yield code


def wrong_in_options(api, table):
    """The names of the column "option" that are nowhere."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()]
    if "option" not in rows[0]:
        return
    for row in rows[2:]:
        for code in CODE.findall(row[rows[0].index("option")]):
            words = set(re.findall(r"\w+", re.sub(r"=.*", "", code)))
            if code not in api.commands if code.startswith("--") else not words <= api.everything:
                yield f"the option {code}"


def wrong_on(api, page):
    text = re.sub(r"(?ms)^```.*?^```", lambda block: "\n" * block[0].count("\n"), page.read_text(encoding="utf-8"))
    for match in CODE.finditer(text):
        for name in wrong_in_code(api, match[1]):
            yield f"{page.name}:{text[:match.start()].count(chr(10)) + 1}: {name} is nowhere"
    for match in re.finditer(r"(?m)(?:^\|.*\n)+", text):
        for name in wrong_in_options(api, match[0]):
            yield f"{page.name}: {name} is nowhere"


def main():
    root = Path(sys.argv[1])
    api = Api(root)
    pages = [root / "README.md", *sorted(root.glob("docs/*.md")), *sorted(root.glob("docs/proof/*.md"))]
    wrong = [line for page in pages for line in wrong_on(api, page)]
    for line in wrong:
        print(line)
    print(f"{len(pages)} pages, {len(api.words)} types; {len(wrong)} names that are nowhere")
    return 1 if wrong or len(pages) < 20 or len(api.words) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
