#!/usr/bin/env python3
"""Renders generated templates that go on until a limit ends them, over large values, and looks how long that takes: no
filter, test or method may do much for a step.

    jinja_cost.py JINJA_RENDER [--count N] [--seed S] [--seconds MOST]

JINJA_RENDER is the program built from jinja_render.cpp. Prints the slowest; exits with 1 where one took more processor
time than MOST (2).
"""
import argparse
import json
import random
import subprocess
import sys

import jinja_differential as words

# What the template makes for itself, and what comes with the data.
VALUES = ["big", "as", "spaces", "lines", "words", "accents", "commas", "digits", "many", "texts", "table", "rows", "tree",
          "needle", "n", "small"]
MORE_FILTERS = ["replace(needle, small)", "replace(small, needle)", "trim(needle)",
                "indent(needle)", "indent(9999)", "join(needle)", "truncate(99999)",
                "map('replace', needle, small) | list", "map(attribute=needle) | list", "select('in', big) | list",
                "reject('eq', needle) | list", "sort(attribute=commas) | list",
                "tojson(indent=needle)", "data", "list", "dictsort", "unique | list",
                "map('upper') | join", "string | length", "sum(start=many)"]
MORE_METHODS = ["replace(needle, '')", "split(needle)",
                "strip(needle)", "startswith(needle)",
                "endswith(needle)", "startswith(many)",
                "get(needle)", "get(texts)", "update(table)"]
MORE_TESTS = ["in big", "in texts", "eq(needle)", "gt(needle)", "in table"]


def large_data(rng):
    size = rng.choice([20_000, 200_000, 1_500_000])
    filler = rng.choice(["a", "é", "ﬁ", "A", "\u00a0", "日"])
    return {
        "big": (filler * size)[:size], "as": "a" * size, "spaces": " " * size, "lines": "a\n" * (size // 2),
        "words": "ab " * (size // 3), "accents": "Éa" * (size // 4), "commas": "a," * (size // 2), "digits": "1_" * (size // 2) + "1",
        "many": list(range(min(size, 20_000))), "texts": ["a" * 1000] * 50 + ["a" * 999 + "b"] * 50,
        "table": {"k%d" % i: i for i in range(min(size, 5_000))}, "rows": [{"a": i % 7, "b": "x" * 100} for i in range(500)],
        "tree": [[[[["a" * 1000] * 8] * 8] * 8]], "needle": "a" * (size // 2) + "b",
        "n": 7, "small": "ab"}


def value(rng):
    name = rng.choice(VALUES)
    return rng.choice([name] * 8 + [name + "[1:]", name + "[:-1]", name + "[::-1]", "(" + name + " ~ 'x')", "[" + name + "]", "(" + name + ",)",
                                    "{" + name + ": 1}", name + " * 2", name + " + " + name])


def expression(rng):
    subject = value(rng)
    for _ in range(rng.choice([1, 1, 2, 3])):
        kind = rng.random()
        if kind < 0.45:
            subject = "(" + subject + ") | " + rng.choice(words.FILTERS + MORE_FILTERS)
        elif kind < 0.85:
            subject = "(" + subject + ")." + rng.choice(words.METHODS + MORE_METHODS)
        else:
            subject = "(" + subject + ") " + rng.choice(["==", "<", "in", "!=", "~", "+", "%", "*"]) + " " + value(rng)
    if rng.random() < 0.15:
        subject = "(" + subject + ") is " + rng.choice(words.TESTS + MORE_TESTS)
    return subject


def template(rng):
    work = "".join("{% set _ = " + expression(rng) + " %}" for _ in range(rng.choice([1, 1, 2])))
    return "{% for i in range(100000) %}{% for j in range(100000) %}" + work + "{% endfor %}{% endfor %}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("jinja_render")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    engine = subprocess.Popen([arguments.jinja_render], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    taken = []
    ends = {}
    for _ in range(arguments.count):
        source, data = template(rng), large_data(rng)
        engine.stdin.write(json.dumps({"template": source, "data": data}) + "\n")
        engine.stdin.flush()
        answer = json.loads(engine.stdout.readline())
        end = answer.get("error", "rendered").split(":")[0]
        ends[end] = ends.get(end, 0) + 1
        taken.append((answer["seconds"], len(data["as"]), source))
    engine.stdin.close()
    engine.wait()
    taken.sort(reverse=True)
    print(", ".join("%d %s" % (count, end) for end, count in sorted(ends.items())))
    for seconds, size, source in taken[:5]:
        print("%.2f s, texts of %d: %s" % (seconds, size, source[64:]))
    sys.exit(1 if taken[0][0] > arguments.seconds else 0)


if __name__ == "__main__":
    main()
