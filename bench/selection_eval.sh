#!/bin/sh
# Selection quality on recorded questions: predictions of `ctxpack select` for every source and budget, then the score.
#
#   bench/selection_eval.sh DATA_DIR [CTXPACK]
#   bench/selection_eval.sh DATA_DIR CTXPACK --whole     whole builds under default options, frames included
#   bench/selection_eval.sh DATA_DIR CTXPACK "--whole --perfect-planner"    the same, by a planner that sees the evidence
#   bench/selection_eval.sh --leave-one-out DATA_DIR [SELECTION_TUNE]     each source by constants chosen without it
#
# DATA_DIR holds score.py, baselines.json (its budgets are used) and data/<source>.{cases,histories,artifacts}.jsonl.
set -eu

if [ "${1:-}" = --leave-one-out ]; then
  data=${2:?"usage: $0 --leave-one-out DATA_DIR [SELECTION_TUNE]"}
  exec python3 "$(dirname "$0")/selection_tune.py" "$data" "${3:-build/release/bench/selection_tune}"
fi
data=${1:?"usage: $0 DATA_DIR [CTXPACK [--whole]]"}
program=${2:-build/release/tools/ctxpack/ctxpack}
mode=${3:-}
predictions=$(mktemp)
trap 'rm -f "$predictions"' EXIT

python3 - "$data/baselines.json" <<'PYTHON' |
import json, sys
for source, spec in json.load(open(sys.argv[1])).items():
    print(source, ",".join(map(str, spec["budgets"])))
PYTHON
while read -r source budgets; do
  set -- "$data/data/$source.cases.jsonl" --budget "$budgets" --counter chars4
  for kind in histories artifacts; do
    if [ -e "$data/data/$source.$kind.jsonl" ]; then set -- "$@" "--$kind" "$data/data/$source.$kind.jsonl"; fi
  done
  "$program" select "$@" $mode >>"$predictions"
done
python3 "$data/score.py" "$predictions" --data "$data/data" --baselines "$data/baselines.json"
