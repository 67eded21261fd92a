#!/usr/bin/env python3
"""Compiles and renders three prompts with this engine and with Python's jinja2 in one run, and prints how they compare.

    prompt_template_bench.py BENCH_PROGRAM [JINJA_RENDER]

Rendering takes JSON text to text on both sides. With JINJA_RENDER the outputs are compared, too.
"""
import json
import pathlib
import subprocess
import sys
import time

import jinja2

PROMPTS = pathlib.Path(__file__).parent / "prompts"
NAMES = ["agent", "documents", "chat"]


def microseconds(function):
    """The best of five runs of at least 0.2 s each."""
    best = float("inf")
    for _ in range(5):
        count, start = 0, time.process_time()
        while time.process_time() - start < 0.2:
            function()
            count += 1
        best = min(best, (time.process_time() - start) / count * 1e6)
    return best


def main():
    command = [sys.argv[1], "--benchmark_format=json", "--benchmark_min_time=0.2", "--benchmark_repetitions=5"]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    ours = {}
    for run in report["benchmarks"]:
        if run["run_type"] == "iteration":
            ours[run["run_name"]] = min(ours.get(run["run_name"], float("inf")), run["cpu_time"] / 1e3)
    environment = jinja2.Environment(keep_trailing_newline=True)
    print(f"{'':20}{'here, us':>12}{'jinja2, us':>12}{'times':>8}")
    for name in NAMES:
        source = (PROMPTS / f"{name}.j2").read_text()
        data = (PROMPTS / f"{name}.json").read_text()
        template = environment.from_string(source)
        theirs = {
            f"compile/{name}": microseconds(lambda: jinja2.Environment(keep_trailing_newline=True).from_string(source)),
            f"render/{name}": microseconds(lambda: template.render(json.loads(data))),
        }
        for key, value in theirs.items():
            print(f"{key:20}{ours[key]:12.1f}{value:12.1f}{value / ours[key]:8.1f}")
        if len(sys.argv) > 2:
            job = json.dumps({"template": source, "data": json.loads(data)}) + "\n"
            answer = json.loads(subprocess.run([sys.argv[2]], input=job, capture_output=True, text=True, check=True).stdout)
            assert answer["text"] == template.render(json.loads(data)), name


if __name__ == "__main__":
    main()
