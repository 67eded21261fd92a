#!/usr/bin/env bash
# Shows the proxy in front of a scripted model, without a key: builds, lets a small agent read 29 records at 32 000 tokens, asks for
# what stood in the second, and leaves the page open at http://127.0.0.1:8790/ until Ctrl-C. Beside it the same agent sends the newest
# messages that fit.
# Usage: scripts/demo.sh [--once]      --once: prints the figures and ends, instead of staying
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
./scripts/deps.sh demo
mkdir -p build
log=build/demo.log
{ cmake --preset release -DCTXMGR_BUILD_TESTS=OFF -DCTXMGR_BUILD_BENCH=OFF &&
  cmake --build build/release --target ctxpack -j "${CTXMGR_JOBS:-$(nproc)}"; } >$log 2>&1 ||
  { tail -n 30 $log >&2; echo "The build failed; the whole log: $log" >&2; exit 1; }

work=$(mktemp -d)
pids=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 0' INT TERM

wait_for_line() {  # FILE
  for _ in $(seq 100); do [ ! -s "$1" ] || return 0; sleep 0.1; done
  echo "it did not start: $1" >&2; return 1
}

python3 examples/proxy/upstream.py >"$work/port" & pids+=($!)
wait_for_line "$work/port"
port=8790
[ "${1:-}" != --once ] || port=0
build/release/tools/ctxpack/ctxpack serve --upstream "http://127.0.0.1:$(cat "$work/port")" --budget 32000 \
  --listen "127.0.0.1:$port" >"$work/serve" & pids+=($!)
wait_for_line "$work/serve"
url=$(head -n 1 "$work/serve")
echo "The answer stands in record 2 of 29, and the question comes after the last."
echo "window of the newest 32 000 tokens: $(python3 examples/proxy/agent.py "http://127.0.0.1:$(cat "$work/port")" 29 32000)"
echo "ctxmgr, 32 000 tokens:              $(python3 examples/proxy/agent.py "$url" 29)"
python3 - "$url" <<'PYTHON'
import re, sys, urllib.request
text = urllib.request.urlopen(sys.argv[1] + "/metrics").read().decode()
value = lambda name: int(re.search(rf"^ctxmgr_{name} (\d+)", text, re.M)[1])
sent, saved = value("input_tokens_total"), value("tokens_saved_total")
print(f"{value('request_duration_seconds_count')} requests: {sent} tokens sent, {saved} of {sent + saved} not sent; "
      f"{100 * value('cached_tokens_total') // sent} % of them from the service's cache")
PYTHON
[ "${1:-}" = --once ] || { echo "Open $url/ in a browser; Ctrl-C ends it."; wait; }
