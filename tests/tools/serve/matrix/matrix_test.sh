#!/usr/bin/env bash
# Agents from npm, unmodified, thirty steps each at two budgets through the proxy, in front of a scripted service (matrix.mjs).
# "sdks" are small agents on the services' packages; "coding" are Codex, Claude Code, Qwen Code and opencode, each at the least
# budget at which what it has to send fits, and at 32 000. Skipped (77) without node, npm or its registry.
# Usage: matrix_test.sh CTXPACK WORK_DIR sdks|coding
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ctxpack=$(realpath "$1") work=$2 which=$3
skip() { echo "skipped: $*" >&2; exit 77; }
for needed in node npm; do
  command -v $needed >/dev/null || skip "no $needed"
done
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' || skip "node is older than 20"
mkdir -p "$work"
cd "$work"
[ -f package.json ] || echo '{"private": true, "type": "module"}' >package.json

packages=(openai@6.49.0 @anthropic-ai/sdk@1.13.0 ai@6.0.326 @ai-sdk/openai@3.0.141 @ai-sdk/anthropic@3.0.140
  ajv@8 gpt-tokenizer@4 ts-json-schema-generator@2)
agents=(@openai/codex@0.169.0 @anthropic-ai/claude-code@2.1.197 @qwen-code/qwen-code@0.15.10 opencode-ai@1.18.33)
[ "$which" = sdks ] || packages+=("${agents[@]}")
[ "$(cat installed 2>/dev/null)" = "${packages[*]}" ] ||
  npm install --silent --no-audit --no-fund --no-save --ignore-scripts "${packages[@]}" >npm.log 2>&1 ||
  skip "npm cannot install the packages"
# Of all scripts of packages, only those that put the programs of two agents in their places.
if [ "$which" != sdks ]; then
  (cd node_modules/opencode-ai && node postinstall.mjs && cd ../@anthropic-ai/claude-code && node install.cjs) >>npm.log 2>&1 ||
    skip "npm has no programs of opencode and Claude Code for this machine"
fi
echo "${packages[*]}" >installed

cp "$here"/*.mjs "$here"/types.ts .
cat >tsconfig.json <<'JSON'
{"compilerOptions": {"target": "es2022", "module": "nodenext", "moduleResolution": "nodenext", "strict": true, "skipLibCheck": true}}
JSON
[ -s schemas.json ] || node_modules/.bin/ts-json-schema-generator --path types.ts --type '*' --tsconfig tsconfig.json \
  --no-type-check --out schemas.json
if [ "$which" = sdks ]; then
  node matrix.mjs "$ctxpack" sdks
else
  node matrix.mjs "$ctxpack" codex=9000 codex=32000 claude=12000 claude=24000 claude=32000 \
    claude=32000:run codex=32000:run qwen=12000 qwen=32000 opencode=8000 opencode=12000 opencode=32000 \
    claude={12000,24000,32000}:first codex={9000,32000}:first qwen={12000,32000}:first opencode={12000,32000}:first
fi
