#!/usr/bin/env python3
"""How long the builds of recorded runs take that compact, beside those that go on.

  bench/compaction_bench.py RUNS.jsonl [CTXPACK] [--budget 16000]

Replays the runs with `ctxpack simulate --requests`. A build counts as a compaction where its request begins with less than
half of the one before; its time is what its receipt says of all stages, the reading of what was new included. Python 3
standard library only.
"""
import argparse
import json
import statistics
import subprocess
import tempfile


def builds(program, runs, budget):
    """Milliseconds of each build, apart by whether it kept all of the request before."""
    went_on, compacted = [], []
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as requests:
        subprocess.run([program, "simulate", runs, "--budget", str(budget), "--requests", requests.name], check=True,
                       stdout=subprocess.DEVNULL)
        run, before = None, 0
        for line in open(requests.name, encoding="utf-8"):
            request = json.loads(line)
            if request["run"] != run:
                run, before = request["run"], 0
            if "metadata" not in request:
                continue
            receipt = request["metadata"]
            goes_on = receipt["prefix_tokens_kept"] >= before // 2
            if before > 0:
                (went_on if goes_on else compacted).append(sum(stage["elapsed_us"] for stage in receipt["timings"]) / 1000)
            before = receipt["input_tokens_used"]
    return went_on, compacted


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("runs")
    arguments.add_argument("program", nargs="?", default="build/release/tools/ctxpack/ctxpack")
    arguments.add_argument("--budget", type=int, default=16000)
    options = arguments.parse_args()
    for name, times in zip(("goes on", "compacts"), builds(options.program, options.runs, options.budget)):
        if times:
            times.sort()
            print(f"{name}: {len(times)} builds, median {statistics.median(times):.2f} ms, "
                  f"95 % {times[int(0.95 * (len(times) - 1))]:.2f} ms, worst {times[-1]:.2f} ms")


if __name__ == "__main__":
    main()
