#!/usr/bin/env bash
# A shared library exports names of ctxmgr and nothing of what it is made from. Usage: exports.sh LIBRARY...
set -euo pipefail
code=0
for library in "$@"; do
  symbols=$(nm -D --defined-only "$library" | awk '{print $NF}')
  [ -n "$symbols" ] || { echo "$library exports nothing"; code=1; }
  foreign=$(grep -vE '^_ZN?K?[RO]?6ctxmgr|^_ZN?K?N6ctxmgr|^_ZT[ISVTh].*6ctxmgr' <<<"$symbols" || true)
  [ -z "$foreign" ] || { echo "$library exports:"; c++filt <<<"$foreign" | head -n 20; code=1; }
  inner=$(c++filt <<<"$symbols" | grep -E 'nlohmann' || true)
  [ -z "$inner" ] || { echo "$library has foreign types in exported names:"; head -n 20 <<<"$inner"; code=1; }
done
exit $code
