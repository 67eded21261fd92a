#!/usr/bin/env bash
# What a real embedding model adds to selection: a sample of recorded questions with and without it.
#
#   bench/embeddings.sh DATA_DIR BASE_URL MODEL [CTXPACK] [CASES]     CASES of each source (default 20), spread evenly
#
# DATA_DIR as for selection_eval.sh. examples/local_embeddings/run.sh shows how to start a server on this machine.
# SOURCES in the environment chooses among the sources.
set -euo pipefail
data=${1:?"usage: $0 DATA_DIR BASE_URL MODEL [CTXPACK] [CASES]"}
url=${2:?}
model=${3:?}
program=${4:-build/release/tools/ctxpack/ctxpack}
cases=${5:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 - "$data" "$work" "$cases" "${SOURCES:-}" <<'PYTHON' >"$work/sources"
import json, pathlib, sys
data, work, count, chosen = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4].split()
for source, spec in json.loads((data / "baselines.json").read_text()).items():
    path = data / "data" / f"{source}.cases.jsonl"
    if (chosen and source not in chosen) or not path.exists():
        continue
    rows = path.read_text().splitlines()
    step = max(1, len(rows) // count)
    (work / path.name).write_text("\n".join(rows[::step][:count]) + "\n")
    print(source, ",".join(map(str, spec["budgets"])))
PYTHON
while read -r source budgets; do
  set -- "$work/$source.cases.jsonl" --budget "$budgets" --counter chars4
  for kind in histories artifacts; do
    file="$data/data/$source.$kind.jsonl"
    if [ -e "$file" ]; then set -- "$@" "--$kind" "$file"; ln -sf "$(realpath "$file")" "$work/"; fi
  done
  "$program" select "$@" >>"$work/without"
  began=$(date +%s)
  "$program" select "$@" --embedder "$url" --embedding-model "$model" >>"$work/with"
  echo "$source: $(($(date +%s) - began)) s with the model" >&2
done <"$work/sources"
for kind in without with; do
  echo "== $kind"
  python3 "$data/score.py" "$work/$kind" --data "$work" --baselines "$data/baselines.json" \
    --sources "$(cut -d' ' -f1 "$work/sources" | paste -sd,)"
done
