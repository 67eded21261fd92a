#!/usr/bin/env bash
# A build says how far it is: a line for each tenth, whatever else it prints, and all of it in the log.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build() {
  echo "-- Configuring done"
  for i in $(seq 1 40); do echo "[$i/40] Building CXX object $i.o"; done
  echo "a warning [41/1]"
}
build | "$1" "$folder/log" >"$folder/shown"
fail() { echo "$1" >&2; cat "$folder/shown" >&2; exit 1; }
[ "$(wc -l <"$folder/shown")" -eq 10 ] || fail "not ten lines"
[[ $(head -n 1 "$folder/shown") == *" 4 of 40 built, 0 min "* ]] || fail "the first line is another"
[[ $(tail -n 1 "$folder/shown") == *" 40 of 40 built, "* ]] || fail "the last line is another"
build | cmp - "$folder/log" || fail "the log is not what the build said"
if (exit 3) | "$1" "$folder/log"; then fail "a build that fails is none"; fi
