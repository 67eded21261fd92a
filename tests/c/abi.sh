#!/usr/bin/env bash
# The C interface as a host sees it: exactly the recorded symbols, sizes of structs that a released host was compiled with,
# and a host in plain C that compiles without a warning and runs. Usage: abi.sh LIBRARY MAP INCLUDE WORK
set -euo pipefail
library=$1 map=$2 include=$3 work=$4/c-host
recorded=$(grep -oE '^ +ctxmgr_[a-z_]+;' "$map" | tr -d ' ;' | sort)
exported=$(nm -D --defined-only "$library" | awk '$2 == "T" {print $NF}' | sed 's/@.*//' | sort)
diff <(echo "$recorded") <(echo "$exported") || { echo "exported symbols differ from $map"; exit 1; }
nm -D --defined-only "$library" | grep -q 'ctxmgr_build@@CTXMGR_C_1' || { echo "symbols have no version"; exit 1; }

mkdir -p "$work"
host=$(dirname "${BASH_SOURCE[0]}")/../consumer/c/host.c
"${CC:-cc}" -std=c99 -Wall -Wextra -pedantic -Werror -I "$include" "$host" -o "$work/host" "$library" \
  -Wl,-rpath,"$(dirname "$library")"
"$work/host"
