#!/usr/bin/env bash
# Compares token ids with npm tiktoken on generated text; skipped where npm or its registry is not there.
# Usage: tokens_test.sh CTXPACK WORK_FOLDER [ARGUMENTS OF tokens.mjs]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ctxpack=$1 work=$2
shift 2
mkdir -p "$work"
cp "$here/package.json" "$work"
cd "$work"
if [ ! -d node_modules/tiktoken ]; then
  npm install --silent --no-audit --no-fund >npm.log 2>&1 || { echo "skipped: npm cannot install tiktoken"; exit 77; }
fi
exec node "$here/tokens.mjs" "$ctxpack" "$@"
