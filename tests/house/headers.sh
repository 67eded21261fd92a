#!/usr/bin/env bash
# Each public header compiles alone, as C++17 and as C++20, without a warning, twice included.
# Usage: headers.sh COMPILER INCLUDE_DIR WORK_DIR STANDARD
set -euo pipefail
compiler=$1 include=$2 work=$3/headers-$4 standard=$4
mkdir -p "$work"

compile() {  # HEADER
  local name=${1//\//-}
  # Unchanged sources stay untouched and ccache knows their objects: a second run is quick.
  printf '#include "%s"\n#include "%s"\n' "$1" "$1" >"$work/$name.cpp"
  $launcher "$compiler" -std="$standard" -O0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I "$include" \
    -c "$work/$name.cpp" -o "$work/$name.o"
}
export -f compile
export compiler include work standard
launcher=$(command -v ccache || true)
export launcher

# Those for llama.cpp need its header: scripts/test-llama.sh compiles them.
headers=$(cd "$include" && find ctxmgr -name '*.hpp' ! -name 'llama*.hpp' | sort)
[ -n "$headers" ] || { echo "no headers below $include" >&2; exit 1; }
xargs -P 2 -I {} bash -euc 'compile {}' <<<"$headers"
echo "$(wc -l <<<"$headers") headers compile as $standard"
