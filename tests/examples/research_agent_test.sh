#!/usr/bin/env bash
# The agent of the examples, interrupted and resumed, with a scripted model; and where servers are there (see
# support/wire_servers.sh), with the forms of OpenAI, Anthropic and llama.cpp: research_agent_test.sh RESEARCH_AGENT
set -euo pipefail

agent=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

fail() { echo "$*" >&2; exit 1; }
has() { grep -qF -- "$2" "$directory/$1" || fail "$1: no '$2' in:"$'\n'"$(cat "$directory/$1")"; }
exit_code() { local got=0; "$@" >"$directory/out" 2>"$directory/err" || got=$?; echo "$got"; }

[ "$(exit_code "$agent")" = 2 ] || fail "without arguments it says how it is used"
[ "$(exit_code "$agent" "$directory/a.db" one --stop-after 2)" = 3 ] || fail "it is interrupted after two steps"
has out interrupted
[ "$(exit_code "$agent" "$directory/a.db" one)" = 0 ] || fail "it goes on: $(cat "$directory/err")"
has out "B changed its terms last, in March"

# ask NAME SERVICE URL: the same program, the same steps.
ask() {
  [ "$(exit_code env -u OPENAI_BASE_URL -u ANTHROPIC_BASE_URL OPENAI_API_KEY=mock "$agent" "$directory/$1.db" one \
    --service "$2" --base-url "$3" --model local-model)" = 0 ] || fail "$1: $(cat "$directory/err")"
  has out "answer: B asks 2 % a month and changed its terms last."
  grep '^step' "$directory/out" | tr -d ' ' >"$directory/$1.steps"
  [ "$(wc -l <"$directory/$1.steps")" = 3 ] || fail "$1: $(cat "$directory/out")"
  [ -f "$directory/steps" ] || cp "$directory/$1.steps" "$directory/steps"
  cmp "$directory/steps" "$directory/$1.steps" || fail "$1: other steps: $(cat "$directory/$1.steps")"
}

if [ -n "${CTXMGR_TEST_AIMOCK_URL:-}" ]; then
  ask aimock_openai openai "$CTXMGR_TEST_AIMOCK_URL/v1"
  ask aimock_anthropic anthropic "$CTXMGR_TEST_AIMOCK_URL"
fi
if [ -n "${CTXMGR_TEST_MOCK_LLM_URL:-}" ]; then
  ask mock_openai openai "$CTXMGR_TEST_MOCK_LLM_URL/v1"
  ask mock_anthropic anthropic "$CTXMGR_TEST_MOCK_LLM_URL"
  ask mock_llama_cpp llama_cpp "$CTXMGR_TEST_MOCK_LLM_URL/local/v1"
fi
