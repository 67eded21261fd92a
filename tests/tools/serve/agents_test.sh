#!/usr/bin/env bash
# Agents built on the npm packages `openai` and `@anthropic-ai/sdk` work for thirty steps at 8 000 tokens through the proxy, in
# front of a scripted model that refuses what is larger. Skipped (77) without node, npm, python3 or its registry.
# Usage: agents_test.sh CTXPACK WORK_DIR
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ctxpack=$1 work=$2
skip() { echo "skipped: $*" >&2; exit 77; }
for needed in node npm python3; do
  command -v $needed >/dev/null || skip "no $needed"
done
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)' || skip "node is older than 18"
mkdir -p "$work"
cd "$work"
[ -f package.json ] || echo '{"private": true, "type": "module"}' >package.json
[ -d node_modules/openai ] && [ -d node_modules/@anthropic-ai/sdk ] ||
  npm install --silent --no-audit --no-fund --no-save --ignore-scripts openai@6.9.1 @anthropic-ai/sdk@0.70.1 >npm.log 2>&1 ||
  skip "npm cannot install the packages"

pids=()
finish() { for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done; }
trap finish EXIT
wait_for_line() {
  for _ in $(seq 200); do [ ! -s "$1" ] || return 0; sleep 0.05; done
  echo "it did not start: $1" >&2; return 1
}
rm -f events.jsonl
: >port; : >serve.out
python3 "$here/../../../examples/proxy/upstream.py" 0 40000 >port & pids+=($!)
wait_for_line port
port=$(cat port)
"$ctxpack" serve --upstream "http://127.0.0.1:$port" --budget 8000 --listen 127.0.0.1:0 --events events.jsonl >serve.out & pids+=($!)
wait_for_line serve.out
cp "$here/agents.mjs" .
node agents.mjs "$(head -n 1 serve.out)"
node -e 'const lines = require("fs").readFileSync("events.jsonl", "utf8").trim().split("\n").map(JSON.parse);
  process.exit(lines.some((line) => line.name === "ctxmgr.build_step") ? 0 : 1)' || { echo "no events" >&2; exit 1; }
