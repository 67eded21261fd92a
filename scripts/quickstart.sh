#!/usr/bin/env bash
# From a bare Debian 12 to a question that real documents answer: installs what is missing, builds, and prints the question, the passage
# that answers it, and the receipt. No key, no server. Usage: scripts/quickstart.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/release

echo "1/3  System packages"
scripts/deps.sh build

log=build/quickstart.log
echo "2/3  Building ctxmgr and ctxpack: about 6 minutes of processor time the first time. What it says: $log"
mkdir -p build
: >$log
{ cmake --preset release -DCTXMGR_BUILD_TESTS=OFF -DCTXMGR_BUILD_BENCH=OFF && cmake --build $build -j "${CTXMGR_JOBS:-$(nproc)}"; } 2>&1 |
  scripts/progress.sh $log || { tail -n 30 $log >&2; echo "The build failed; the whole log: $log" >&2; exit 1; }

echo "3/3  A question about examples/data/wal.md, in 600 tokens of its 5 400"
ctxpack=$build/tools/ctxpack/ctxpack
built=build/quickstart.json
$ctxpack build examples/data/question.json --attach examples/data/wal.md --budget 600 --out $built
$ctxpack render examples/data/question.j2 $built
$ctxpack build examples/data/question.json --attach examples/data/wal.md --budget 600 --explain
