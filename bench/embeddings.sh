#!/usr/bin/env bash
# What a real embedding model adds to selection: a sample of recorded questions with and without it.
#
#   bench/embeddings.sh DATA_DIR BASE_URL MODEL [CTXPACK] [CASES]     CASES of each source (default 20), spread evenly
#
# DATA_DIR as for selection_eval.sh. examples/local_embeddings/run.sh shows how to start a server on this machine.
# SOURCES in the environment chooses among the sources, in this order; MINUTES (default 55) is when it ends. A source that it has not
# finished is in neither table, and it says so. bench/embeddings_server.py remembers vectors, for a second run with other weights.
set -euo pipefail
data=${1:?"usage: $0 DATA_DIR BASE_URL MODEL [CTXPACK] [CASES]"}
url=${2:?}
model=${3:?}
program=${4:-build/release/tools/ctxpack/ctxpack}
cases=${5:-20}
end=$(($(date +%s) + 60 * ${MINUTES:-55}))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 - "$data" "$work" "$cases" "${SOURCES:-}" <<'PYTHON' >"$work/sources"
import json, pathlib, sys
data, work, count, chosen = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4].split()
sources = json.loads((data / "baselines.json").read_text())
for source in chosen or sources:
    spec, path = sources[source], data / "data" / f"{source}.cases.jsonl"
    if not path.exists():
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
  began=$(date +%s)
  if [ "$began" -lt "$end" ] &&
    timeout $((end - began)) "$program" select "$@" --embedder "$url" --embedding-model "$model" >"$work/part"; then
    cat "$work/part" >>"$work/with"
    "$program" select "$@" >>"$work/without"
    done_sources="${done_sources:+$done_sources,}$source"
    echo "$source: $(($(date +%s) - began)) s" >&2
  else
    echo "$source: skipped, the time is over" >&2
  fi
done <"$work/sources"
[ -n "${done_sources:-}" ] || exit 0
for kind in without with; do
  echo "== $kind"
  python3 "$data/score.py" "$work/$kind" --data "$work" --baselines "$data/baselines.json" --sources "$done_sources"
done
