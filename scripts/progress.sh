#!/usr/bin/env bash
# Writes what a build says into a log, and after each tenth of it one line: how far it is.
# Usage: cmake --build … | scripts/progress.sh LOG
set -euo pipefail
shown=0
while IFS= read -r line; do
  printf '%s\n' "$line" >>"$1"
  [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
  done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
  tenths=$((10 * done / all))
  [ "$tenths" -gt "$shown" ] || continue
  shown=$tenths
  echo "     $done of $all built, $((SECONDS / 60)) min $((SECONDS % 60)) s"
done
