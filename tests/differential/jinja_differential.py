#!/usr/bin/env python3
"""Renders generated templates with this engine and with Python's jinja2, and compares: equal or refused, never different.

    jinja_differential.py JINJA_RENDER [--count N] [--seed S] [--strict] [--suite FILE.jsonl]

JINJA_RENDER is the program built from jinja_render.cpp. A suite is a file with a JSON object {"template", "data"} a line.
Exits with 1 where the two differ or this engine accepts what jinja2 refuses, with 77 where jinja2 is not installed.
"""
import argparse
import json
import random
import re
import subprocess
import sys
import warnings

try:
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment
except ImportError:
    print("jinja2 is not installed: skipped")
    sys.exit(77)

STRINGS = ["", "a", "Hello World", "  pad  ", "a,b,c", "x\ny\n\nz", "naïve café", "日本語 text", "ß", "it's \"q\"", "<b>&</b>",
           "UPPER", "1", " 42 ", "-3.5", "0x1f", "a\\b", "tab\there", "{{ x }}", "{% if %}", "😀 ok", "foo-bar baz", "a b  c"]
NUMBERS = ["0", "1", "2", "3", "7", "-1", "10", "1.5", "0.1", "2.5", "1e3", "100", "1.0", "1e16", "1e-7", "255"]
NAMES = ["s", "t", "n", "f", "items", "words", "user", "users", "flag", "none_value", "missing", "nested", "empty", "loop"]
FILTERS = ["upper", "lower", "title", "capitalize", "trim", "length", "first", "last", "list", "join", "join(', ')", "sort",
           "reverse", "unique", "string", "int", "float", "abs", "round", "round(1)", "default('d')", "default('d', true)",
           "replace('a', 'b')", "escape", "e", "safe", "tojson", "tojson(indent=2)", "indent", "indent(2, true)",
           "truncate(7)", "truncate(5, true, '')", "sum", "min", "max",
           "map('upper')", "map('length')", "map(attribute='name')", "map(attribute='age', default=0)", "select", "reject",
           "select('string')", "select('number')", "reject('none')", "selectattr('age')", "selectattr('age', 'gt', 20)",
           "rejectattr('name', 'equalto', 'Ann')", "dictsort", "dictsort(by='value')", "items",
           "sort(attribute='name')", "sort(reverse=true)", "sum(attribute='age')", "count",
           "forceescape", "d", "replace('', '-')",
           "join(',', attribute='name')", "int(default=5)", "float(1.5)", "unique(attribute='age')", "min(attribute='age')",
           "sort(attribute='age,name')", "trim('a')", "round(2, 'floor')", "round(method='ceil')", "map('default', 'q')"]
TESTS = ["defined", "undefined", "none", "string", "number", "integer", "float", "boolean", "true", "false", "mapping", "iterable",
         "sequence", "odd", "even", "divisibleby(3)", "divisibleby 2", "in [1, 2, 'a']", "eq(1)",
         "gt 2", "lt(5)", "ne 'a'", "in 'abc'", "== 1", "ge(3)", "equalto('a')"]
TEXT_FILTERS = ["upper", "lower", "title", "capitalize", "trim", "replace('a', 'b')", "replace('l', '')", "escape", "e | upper", "safe", "indent", "indent(2, true)",
                "truncate(7)", "truncate(5, true, '')", "reverse", "first", "last", "forceescape", "trim('a ')",
                "replace('', '-')", "list | join('.')", "string", "indent('> ', blank=true)", "truncate(6, leeway=0)", "e + '<'"]
TEXT_METHODS = ["upper()", "lower()", "strip()", "title()", "capitalize()", "lstrip()", "rstrip()", "replace('a', 'x')", "replace('l', 'LL', 1)", "swapcase()",
                "strip('ab')", "split() | join('|')",
                "split(',', 1) | string", "split(none, 1) | string", "split(none, 0) | string",
                "startswith('a') | string", "endswith(('d', 'c')) | string",
                "split('l', 1)[0]"]
NUMBER_FILTERS = ["abs", "round", "round(1)", "round(2, 'floor')", "round(1, 'ceil')", "int", "float", "string", "default(1)", "tojson"]
LIST_FILTERS = ["sort", "reverse", "unique", "list", "first", "last", "min", "max", "sum", "length",
                "sort(reverse=true)", "sort(attribute='age')", "sort(attribute='age,name')", "sort(case_sensitive=true)", "map(attribute='name')",
                "map(attribute='age', default=0)", "map('upper')", "selectattr('age')", "dictsort", "dictsort(by='value')", "items", "unique(true)", "tojson", "tojson(2)",
                "join", "select", "reject", "sum(start=1)", "string"]
SIMPLE_TESTS = ["string", "number", "none", "defined", "odd", "even", "true", "mapping", "sequence", "iterable", "integer", "float", "boolean"]
METHODS = ["upper()", "lower()", "strip()", "split()", "split(',')", "split(' ', 1)", "startswith('a')", "endswith('c')",
           "replace('a', 'x')", "title()", "capitalize()", "items()", "keys()", "values()", "get('name')", "get('zz', 1)", "lstrip()",
           "rstrip()", "append(1)",
           "strip('ab')", "update({'z': 1})"]
DATA = {
    "s": "Hello World", "t": "a,b,c", "n": 3, "f": 2.5, "items": [3, 1, 2], "words": ["b", "A", "c", "a"], "flag": True,
    "user": {"name": "Ann", "age": 41, "tags": ["x", "y"]}, "none_value": None, "nested": {"k": {"z": [1, {"q": "w"}]}}, "empty": [],
    "users": [{"name": "Bob", "age": 30}, {"name": "ann", "age": 25}, {"name": "Cy", "age": 30}],
}


class Generator:
    def __init__(self, rng):
        self.rng = rng
        self.macros = []
        self.extra = []

    def pick(self, items):
        return self.rng.choice(items)

    def literal(self):
        kind = self.rng.random()
        if kind < 0.4:
            return "'" + self.pick(STRINGS).replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"
        if kind < 0.75:
            return self.pick(NUMBERS)
        return self.pick(["true", "false", "none", "True", "None"])

    def name(self):
        return self.pick(NAMES + self.extra * 2)

    def typed(self, kind, depth):
        """An expression that most likely has a value of this type."""
        text = lambda: self.typed("text", depth - 1)
        number = lambda: self.typed("number", depth - 1)
        values = lambda: self.typed("list", depth - 1)
        any_value = lambda: self.typed(self.pick(["text", "number", "list"]), depth - 1)
        if depth <= 0:
            return self.pick({"text": ["s", "t", "user.name", "words[0]", "missing", self.literal(), repr(self.pick(STRINGS[:6]))],
                              "number": ["n", "f", "items[1]", "user.age", "flag", self.pick(NUMBERS), self.pick(NUMBERS)],
                              "list": ["items", "words", "users", "user", "empty", "user.tags", "range(4)", "[1, 'a', none, 2.5]", "'abc'"]}[kind])
        return self.pick({
            "text": [lambda: f"{text()} | {self.pick(TEXT_FILTERS)}", lambda: f"({text()}).{self.pick(TEXT_METHODS)}", lambda: f"{text()} ~ {any_value()}",
                     lambda: f"({text()})[{self.pick(['1:', ':2', '::-1', '-3:', ':-1', '1:5:2', '0', '-1'])}]", lambda: f"({any_value()}) | string",
                     lambda: f"({values()}) | join({self.pick(['', repr(', '), '1'])})", lambda: f"({any_value()}) | tojson", lambda: f"({text()}) + ({text()})",
                     lambda: f"({text()}) * 2",
                     lambda: f"({text()} if {any_value()} else {text()})", lambda: f"({text()}) | default({text()}, {self.pick(['true', 'false'])})"],
            "number": [lambda: f"({number()}) {self.pick(['+', '-', '*', '//', '/', '%'])} ({number()})", lambda: f"({values()}) | length", lambda: f"-({number()})",
                       lambda: f"({number()}) | {self.pick(NUMBER_FILTERS)}", lambda: f"({any_value()}) {self.pick(['==', '!='])} ({any_value()})",
                       lambda: f"({number()}) {self.pick(['<', '>=', '<', '<='])} ({number()})", lambda: f"({any_value()}) in ({values()})", lambda: f"({text()}) in ({text()})",
                       lambda: f"({any_value()}) is {self.pick(['', 'not '])}{self.pick(TESTS)}", lambda: f"({text()}) | {self.pick(['length', 'int', 'float', 'int(7)'])}",
                       lambda: f"(({number()}) {self.pick(['and', 'or'])} ({number()}))", lambda: f"not ({any_value()})"],
            "list": [lambda: f"({values()}) | {self.pick(LIST_FILTERS)}", lambda: f"({values()}) | {self.pick(LIST_FILTERS)} | list", lambda: f"[{any_value()}, {any_value()}]",
                     lambda: f"({values()})[{self.pick(['1:', ':2', '::-1', '-2:', '::2'])}]", lambda: f"({text()}).split({self.pick(['', repr(','), repr(' '), repr('l')])})",
                     lambda: f"({values()} if {any_value()} else {values()})", lambda: f"({any_value()}, {any_value()})", lambda: f"{{'a': {any_value()}, 'b': {any_value()}}}",
                     lambda: f"({values()}) | map({self.pick([repr('string'), repr('upper'), repr('length'), repr('int'), repr('tojson'), 'attribute=0', repr('default') + ', 1'])}) | list",
                     lambda: f"({values()}) | {self.pick(['select', 'reject'])}({self.pick([repr(name) for name in SIMPLE_TESTS])}) | list", lambda: f"dict(a={any_value()}, q={any_value()})",
                     lambda: f"users | {self.pick(['selectattr', 'rejectattr'])}('age', '{self.pick(['gt', 'lt', 'eq', '==', 'ne', '>='])}', {number()}) | list",
                     lambda: f"({values()}) + ({values()})", lambda: f"({text()}) | list"]}[kind])()

    def expr(self, depth):
        if self.rng.random() < 0.8:
            return self.typed(self.pick(["text", "number", "list"]), depth)
        if depth <= 0:
            return self.name() if self.rng.random() < 0.6 else self.literal()
        sub = lambda: self.expr(depth - 1)
        return self.rng.choices([
            lambda: self.name(), lambda: self.literal(),
            lambda: f"{sub()} | {self.pick(FILTERS)}",
            lambda: f"{sub()} | {self.pick(FILTERS)} | {self.pick(FILTERS)}",
            lambda: f"({sub()}).{self.pick(METHODS)}",
            lambda: f"{sub()} is {self.pick(['', 'not '])}{self.pick(TESTS)}",
            lambda: f"{sub()} {self.pick(['+', '-', '*', '/', '//', '%', '~', '~', '+'])} {sub()}",
            lambda: f"{sub()} {self.pick(['==', '!=', '<', '>', '<=', '>=', 'in', 'not in'])} {sub()}",
            lambda: f"({sub()}) {self.pick(['and', 'or'])} ({sub()})",
            lambda: f"not {sub()}", lambda: f"-{sub()}", lambda: f"({sub()})",
            lambda: f"({sub()} if {sub()} else {sub()})", lambda: f"({sub()} if {sub()})",
            lambda: f"[{sub()}, {sub()}]", lambda: f"({sub()}, {sub()})", lambda: f"{{'k': {sub()}, {self.literal()}: {sub()}}}",
            lambda: f"({sub()})[{sub()}]", lambda: f"({sub()}).{self.pick(['name', 'age', 'k', 'tags', 'zz'])}",
            lambda: f"({sub()})[{self.pick(['', '1', '-2', '0', 'n'])}:{self.pick(['', '2', '-1', '5'])}{self.pick(['', ':', ':2', ':-1'])}]",
            lambda: f"range({sub()})", lambda: f"range({self.rng.randint(-3, 5)}, {self.rng.randint(0, 9)}, {self.pick(['1', '2', '-1'])})",
            lambda: f"dict(a={sub()}, b={sub()})", lambda: self.call(depth),
        ], weights=[6, 4, 10, 5, 6, 5, 8, 4, 3, 2, 1, 1, 2, 1, 3, 2, 2, 3, 3, 4, 1, 1, 1, 2])[0]()

    def call(self, depth):
        if not self.macros:
            return self.name()
        return f"{self.pick(self.macros)}({self.pick(['', self.expr(depth - 1), 'b=' + self.expr(depth - 1), '1, 2', '1, c=3'])})"

    def text(self):
        return self.pick(["", " ", "\n", "x", "a b\n", "  \n  ", "é", "}", "{", "<i>", "\t", "line\r\n"])

    def tag(self, body):
        return "{%" + self.pick(["", "", "", "-", "+"]) + " " + body + " " + self.pick(["", "", "", "-", "+"]) + "%}"

    def output(self, body):
        return "{{" + self.pick(["", "", "-"]) + " " + body + " " + self.pick(["", "", "-"]) + "}}"

    def body(self, depth, count=3):
        return "".join(self.text() + self.node(depth) for _ in range(self.rng.randint(1, count))) + self.text()

    def loop_extra(self):
        return self.pick(["{{ loop.index }}", "{{ loop.first }}", "{{ loop.last }}", "{{ loop.length }}", "{{ loop.revindex0 }}",
                          "{{ loop.cycle('a', 'b') }}", "{{ loop.previtem }}", "{{ loop.nextitem }}",
                          "{{ loop.depth }}", "", "", "{% set loop_n = loop.index0 %}{{ loop_n }}"])

    def filtered_loop(self, depth):
        """A loop whose items pass a filter, or do not, and whose body looks at what comes before and after."""
        source = self.pick(["items", "words", "range(5)", "[1, 'a', none, 2, 2, 'A']", "user.tags", "users", "'abca'", "[0, 1, 0]"])
        chain = self.pick(["", "", " | select", " | reject", " | select('string')", " | reject('number')", " | reject('odd')", " | unique",
                           " | select('in', [1, 'a'])", " | map('string')", " | selectattr('age')", " | rejectattr('age', 'gt', 25)",
                           " | selectattr('name', 'in', ['Bob', 'ann'])", " | reverse"])
        condition = self.pick(["", "", " if i != 2", " if i", " if i is string", " if i is not number", " if i in [1, 'a', 'b']", " if i == 3",
                               " if i.age is defined and i.age < 30", " if not i", " if loop is undefined"])
        looks = "".join(self.text() + self.pick(["{{ loop.last }}", "{{ loop.nextitem }}", "{{ loop.length }}", "{{ loop.previtem }}", "{{ loop.revindex }}",
                                                 "{% if not loop.last %}, {% endif %}", "{{ loop.index }}",
                                                 "{% if loop.nextitem is defined %}>{% endif %}"]) for _ in range(self.rng.randint(1, 3)))
        end = self.tag("else") + self.body(depth, 1) if self.rng.random() < 0.3 else ""
        return self.tag(f"for i in {source}{chain}{condition}") + "[{{ i }}" + looks + "]" + end + self.tag("endfor")

    def node(self, depth):
        if depth <= 0:
            return self.output(self.expr(2))
        d = depth - 1
        variable = self.pick(["x", "y", "z", "s", "n"])
        self.extra = ["x", "y", "z", "i", "j", "ns.v"]
        kind = self.rng.choices(range(14), weights=[14, 5, 5, 4, 2, 2, 2, 1, 1, 2, 1, 5, 1, 2])[0]
        if kind == 0:
            return self.output(self.expr(3))
        if kind == 1:
            middle = self.tag("elif " + self.expr(1)) + self.body(d, 1) if self.rng.random() < 0.3 else ""
            end = self.tag("else") + self.body(d, 1) if self.rng.random() < 0.5 else ""
            return self.tag("if " + self.expr(2)) + self.body(d) + middle + end + self.tag("endif")
        if kind == 2:
            source = self.pick(["items", "words", "users", "user", "range(3)", "[1, [2, 3]]", "'abc'", "missing", "empty", self.expr(2)])
            condition = " if " + self.expr(1) if self.rng.random() < 0.2 else ""
            end = self.tag("else") + self.body(d, 1) if self.rng.random() < 0.3 else ""
            return self.tag(f"for i in {source}{condition}") + self.loop_extra() + self.body(d) + end + self.tag("endfor")
        if kind == 3:
            return self.tag(f"set {variable} = {self.expr(2)}")
        if kind == 4:
            chain = self.pick(["", " | upper", " | trim | length", " | replace('a', n)"])
            return self.tag(f"set {variable}{chain}") + self.body(d, 2) + self.tag("endset")
        if kind == 5:
            return self.tag(f"with {variable} = {self.expr(2)}, j = {self.expr(1)}") + self.body(d) + self.tag("endwith")
        if kind == 6:
            name = "m" + str(len(self.macros))
            parameters = self.pick(["", "a", "a, b=2", "a='q', b=n", "x"])
            inner = self.pick(["", "{{ a }}{{ b }}"])
            result = self.tag(f"macro {name}({parameters})") + inner + self.body(d) + self.tag("endmacro")
            self.macros.append(name)
            return result
        if kind == 7:
            return self.tag("filter " + self.pick(["upper", "trim", "indent", "replace('a', 'b')", "title | length"])) + self.body(d, 2) + self.tag("endfilter")
        if kind == 8:
            return "{#" + self.pick(["", "-"]) + " comment {{ x }} " + self.pick(["", "-"]) + "#}"
        if kind == 9:
            return self.tag("set ns = namespace(v=0)") + self.tag("for j in words") + self.tag(f"set ns.v = {self.expr(1)}") + self.body(d, 1) + self.tag("endfor") + "{{ ns.v }}"
        if kind == 10:
            return self.tag("raw") + " {{ raw }} {% x %} " + self.tag("endraw")
        if kind == 12:
            return self.tag("for k, v in " + self.pick(["user.items()", "user | dictsort", "[(1, 2)]", "users"])) + "{{ k }}={{ v }}" + self.loop_extra() + self.tag("endfor")
        if kind == 13:
            return self.output(self.call(2))
        return self.filtered_loop(d)


def generate(seed, count, strict):
    for number in range(count):
        generator = Generator(random.Random(f"{seed}/{number}"))
        size = generator.rng.random()
        template = generator.output(generator.expr(3)) if size < 0.5 else generator.body(1 if size < 0.85 else 2)
        yield {"template": template, "data": DATA, "strict": strict}


def oracle(job):
    undefined = jinja2.StrictUndefined if job.get("strict") else jinja2.Undefined
    try:
        if job.get("chat"):
            environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
            environment.filters["tojson"] = lambda x, ensure_ascii=False, indent=None, separators=None, sort_keys=False: json.dumps(
                x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
        else:
            environment = jinja2.Environment(keep_trailing_newline=True, undefined=undefined)
        text = environment.from_string(job["template"]).render(json.loads(json.dumps(job["data"])))
        text.encode()
        return {"text": text}
    except Exception as error:  # noqa: BLE001: any failure of the template is a refusal
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--suite")
    parser.add_argument("--show-refused", action="store_true")
    options = parser.parse_args()
    if options.suite:
        jobs = [json.loads(line) for line in open(options.suite, encoding="utf-8")]
    else:
        jobs = list(generate(options.seed, options.count, options.strict))
    run = subprocess.run([options.program], input="".join(json.dumps(job) + "\n" for job in jobs), capture_output=True, text=True)
    answers = run.stdout.split("\n")[:-1]
    figures = {"equal": 0, "both refuse": 0, "refused here": 0, "different": 0, "accepted here only": 0, "unstable": 0}
    for job, line in zip(jobs, answers):
        ours, theirs = json.loads(line), oracle(job)
        if re.search(r" at 0x[0-9a-f]+", theirs.get("text", "")):
            kind = "unstable"  # Prints an address.
        elif "text" in ours and "text" in theirs:
            kind = "equal" if ours["text"] == theirs["text"] else "different"
        elif "text" in ours:
            kind = "accepted here only"
        else:
            kind = "refused here" if "text" in theirs else "both refuse"
        figures[kind] += 1
        if kind in ("different", "accepted here only") or (options.show_refused and kind == "refused here"):
            print(kind + ":", json.dumps(job["template"], ensure_ascii=False), "\n  here  ", ours, "\n  jinja2", theirs)
    print(f"jinja2 {jinja2.__version__}:", figures)
    if len(answers) != len(jobs):
        print("the program stopped at", json.dumps(jobs[len(answers)]), run.stderr[-2000:])
        return 1
    return 1 if figures["different"] or figures["accepted here only"] else 0


if __name__ == "__main__":
    sys.exit(main())
