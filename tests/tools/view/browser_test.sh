#!/usr/bin/env bash
# Opens reports in a headless Chromium: of nothing, of 2 000 artifacts, with right-to-left words and with hostile names. What
# they say has to be there, and nothing of it may run. With KEEP=DIRECTORY, leaves pictures there. Skipped (77) without
# chromium or python3.
# Usage: browser_test.sh CTXPACK WORK_DIR
set -euo pipefail
ctxpack=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  { echo "skipped: no chromium" >&2; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3" >&2; exit 77; }
rm -rf "$work"
mkdir -p "$work"
cd "$work"

python3 - <<'PYTHON'
import json


def record(number, name, strategy="exclude", sent=0, reason="less relevant than what was sent"):
    return {"artifact_id": f"{name}_{number}", "source": name, "artifact_type": "document", "strategy": strategy,
            "original_tokens": 900, "processed_tokens": sent, "reason": reason,
            "reference": f'get_context("artifact:{number:032x}")'}


def write(name, records, model="gpt-4o"):
    receipt = {"model_name": model, "max_input_tokens": 8000, "input_tokens_used": 7400, "fixed_tokens": 620,
               "breakdown": {"artifact_tokens": 3900, "notes_tokens": 500}, "include_all_tokens": 1800000,
               "artifacts_processed": records, "notes": [model]}
    with open(f"{name}.json", "w", encoding="utf-8") as file:
        json.dump(receipt if name != "empty" else [], file)


hostile = "<script>document.title='ran'</script>\"'><img src=x onerror=\"document.title='ran'\">\u202egnp.exe"
write("empty", [])
write("full", [record(i, "doc", *(("rag_extract", 120) if i < 30 else ())) for i in range(2000)])
write("rtl", [record(i, "דוח שנתי", "rag_extract", 50, "الوثيقة تجيب عن السؤال") for i in range(8)], "נמל")
write("hostile", [record(i, hostile, "rag_extract", 50, hostile) for i in range(8)], hostile)
PYTHON

open_page() {  # NAME, what has to be there
  "$ctxpack" report "$1.json" --title "Report of $1" --out "$1.html"
  timeout 60 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/profile" --virtual-time-budget=2000 \
    --dump-dom "file://$work/$1.html" >"$1.dom" 2>"$1.log"
  grep -q "<title>Report of $1</title>" "$1.dom" || { echo "$1: it has another title, or none" >&2; return 1; }
  ! grep -q "<script\|<img" "$1.dom" || { echo "$1: a name became an element" >&2; return 1; }
  grep -qF "$2" "$1.dom" || { echo "$1: no $2" >&2; return 1; }
  [ -z "${KEEP:-}" ] || timeout 60 "$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
    --user-data-dir="$work/profile" --window-size=1100,1200 --screenshot="$KEEP/$1.png" "file://$work/$1.html" 2>>"$1.log"
}
open_page empty "Nothing yet"
open_page full "doc_1999"
open_page rtl "דוח שנתי_7"
open_page hostile "&lt;script&gt;"
echo "four pages opened"

# The proxy's page, before and after an agent's work, on a large screen and on a phone, light and dark.
"$ctxpack" serve --help >serve.help 2>&1 || { echo "without the proxy"; exit 0; }
examples=$(cd "$here/../../../examples/proxy" && pwd)
pids=()
finish() { for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done; }
trap finish EXIT
wait_for_line() {
  for _ in $(seq 200); do [ ! -s "$1" ] || return 0; sleep 0.05; done
  echo "it did not start: $1" >&2; return 1
}
: >port; : >serve.out
python3 "$examples/upstream.py" 0 >port & pids+=($!)
wait_for_line port
"$ctxpack" serve --upstream "http://127.0.0.1:$(cat port)" --budget 8000 --listen 127.0.0.1:0 >serve.out & pids+=($!)
wait_for_line serve.out
url=$(head -n 1 serve.out)
look() {  # NAME ADDRESS, what has to be there
  timeout 60 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/profile" --dump-dom "$url$2" >"$1.dom" 2>"$1.log"
  grep -qF "$3" "$1.dom" || { echo "$1: no $3" >&2; return 1; }
  [ -n "${KEEP:-}" ] || return 0
  for width in 1280 390; do
    for scheme in 0 1; do  # Chromium's numbers of dark and light
      timeout 60 "$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
        --blink-settings=preferredColorScheme=$scheme --window-size=$width,3000 --screenshot="$KEEP/$1-$width-$scheme.png" "$url$2" 2>>"$1.log"
    done
  done
}
look nothing / "OPENAI_BASE_URL=$url/v1"
python3 "$examples/agent.py" "$url" 12 >agent.out
look list / "1 conversation"
address=$(grep -o "/?thread=[^\"']*" list.dom | head -n 1)
look conversation "$address" "of the conversation is not sent"
grep -q "class=\"col cut\"" conversation.dom || { echo "no compaction is marked" >&2; exit 1; }
echo "and three of the proxy"
