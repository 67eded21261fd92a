#!/usr/bin/env bash
# Each public header compiles alone as C++17, twice included, and all of them together as C++20, without a warning.
# Usage: headers.sh COMPILER INCLUDE_DIR WORK_DIR
set -euo pipefail
compiler=$1 include=$2 work=$3/headers
mkdir -p "$work"

compile() {  # STANDARD NAME
  # ccache knows the objects of unchanged sources: a second run is quick.
  $launcher "$compiler" -std="$1" -O0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I "$include" \
    -c "$work/$2.cpp" -o "$work/$2.o"
}
compile_alone() {  # HEADER
  local name=${1//\//-}
  printf '#include "%s"\n#include "%s"\n' "$1" "$1" >"$work/$name.cpp"
  compile c++17 "$name"
}
export -f compile compile_alone
export compiler include work
launcher=$(command -v ccache || true)
export launcher

# Those for llama.cpp need its header: scripts/test-llama.sh compiles them.
headers=$(cd "$include" && find ctxmgr -name '*.hpp' ! -name 'llama*.hpp' | sort)
[ -n "$headers" ] || { echo "no headers below $include" >&2; exit 1; }
xargs -P 2 -I {} bash -euc 'compile_alone {}' <<<"$headers"
sed 's/.*/#include "&"/' <<<"$headers" >"$work/all.cpp"
compile c++20 all
echo "$(wc -l <<<"$headers") headers compile as C++17 and C++20"
