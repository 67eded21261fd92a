#!/usr/bin/env bash
# ctxpack thread and replay, on a file: ctxpack_thread_test.sh CTXPACK STAKEHOLDER_EMAILS
set -euo pipefail

ctxpack=$1
emails=$2
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
store=sqlite:$directory/threads.db

fail() { echo "$*" >&2; exit 1; }
expect() { [ "$2" = "$3" ] || fail "$1: expected '$3', got '$2'"; }
expect_exit() {
  local wanted=$1 got=0
  shift
  "$@" >/dev/null 2>&1 || got=$?
  expect "exit code of $*" "$got" "$wanted"
}

expect_exit 1 "$ctxpack" thread --store "$store" list
expect_exit 1 "$ctxpack" replay --store "$store" w
[ ! -e "$directory/threads.db" ] || fail "reading has made a file"

expect "the first append" "$("$ctxpack" thread --store "$store" append w --role user --content 'say "hi"')" 1
expect "the second" "$("$ctxpack" thread --store "$store" append w --role assistant --content hi --agent greeter)" 2
expect "export" "$("$ctxpack" thread --store "$store" export w)" \
  '[{"role":"user","content":"say \"hi\""},{"role":"assistant","content":"hi"}]'
"$ctxpack" thread --store "$store" show w | python3 -c '
import json, sys
rows = json.load(sys.stdin)
assert [row["sequence_number"] for row in rows] == [1, 2], rows
assert rows[1]["agent"] == "greeter", rows' || fail "show is not what it should be"
"$ctxpack" thread --store "$store" list | grep -q '^w	2 messages	0 steps' || fail "list"

expect_exit 1 "$ctxpack" thread --store "$store" show nobody
expect_exit 1 "$ctxpack" thread --store "$store" export nobody
expect_exit 1 "$ctxpack" replay --store "$store" w
expect_exit 1 "$ctxpack" replay --store "$store" nobody --step 1
expect_exit 2 "$ctxpack" replay --store "$store" w --step 0
expect_exit 2 "$ctxpack" thread --store "$store" append w --role boss --content x
expect_exit 2 "$ctxpack" thread --store "other:$directory" list
expect_exit 2 "$ctxpack" thread list

"$emails" --store "$directory/threads.db" >/dev/null
first=$("$ctxpack" replay --store "$store" stakeholder-emails --step 1)
with_receipt=$("$ctxpack" replay --store "$store" stakeholder-emails --step 1 --json)
expect "a replay with its receipt" "${with_receipt%%,\"metadata\":*}" "{\"messages\":$first"
expect "a replay" "$("$ctxpack" replay --store "$store" stakeholder-emails --step 1)" "$first"
echo "$first" | python3 -c '
import json, sys
messages = json.load(sys.stdin)
assert [message["role"] for message in messages] == ["system", "user"], messages
assert messages[0]["content"].startswith("You are the orchestrator."), messages'

"$ctxpack" report --store "$store" --workflow stakeholder-emails --out "$directory/steps.html"
grep -q 'Tokens of each request' "$directory/steps.html" || fail "the report of the steps"
"$ctxpack" report --store "$store" --workflow stakeholder-emails --step 1 >"$directory/one.html"
grep -q "<b>1</b><span class='soft small'>request" "$directory/one.html" || fail "the report of one step"
expect_exit 1 "$ctxpack" report --store "$store" --workflow stakeholder-emails --step 99
expect_exit 1 "$ctxpack" report --store "$store" --workflow nobody
expect_exit 2 "$ctxpack" report --store "$store"
expect_exit 2 "$ctxpack" report
