#!/usr/bin/env bash
# Runs the bench of whole builds and prints how its cost grows when the history doubles.
# Usage: bench/context_manager_bench.sh [BENCH]      default: build/release/bench/context_manager_bench
set -euo pipefail
bench=${1:-build/release/bench/context_manager_bench}
results=$(mktemp)
trap 'rm -f "$results"' EXIT
"$bench" --benchmark_out="$results" --benchmark_out_format=json
python3 - "$results" <<'PYTHON'
import json, sys
times = {b["name"].split("/iterations")[0]: b["real_time"] for b in json.load(open(sys.argv[1]))["benchmarks"]}
print("Warm, history 100 000 -> 200 000 messages, 100 artifacts: x %.2f" % (times["Warm/200000/100"] / times["Warm/100000/100"]))
print("Warm, history 10 000 -> 100 000 messages, 100 artifacts: x %.2f" % (times["Warm/100000/100"] / times["Warm/10000/100"]))
PYTHON
