#!/usr/bin/env bash
# From a bare Debian 12 to a context built from real documents: installs what is missing, builds, runs the main job.
# No key, no server. Usage: scripts/quickstart.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/release

echo "1/3  System packages"
scripts/deps.sh build

log=build/quickstart.log
echo "2/3  Building ctxmgr and ctxpack: 7 minutes of processor time the first time. What it says: $log"
mkdir -p build
: >$log
{ cmake --preset release -DCTXMGR_BUILD_TESTS=OFF -DCTXMGR_BUILD_BENCH=OFF && cmake --build $build -j "${CTXMGR_JOBS:-$(nproc)}"; } 2>&1 |
  scripts/progress.sh $log || { tail -n 30 $log >&2; echo "The build failed; the whole log: $log" >&2; exit 1; }

echo "3/3  A context from the documents in examples/data"
$build/tools/ctxpack/ctxpack build examples/data/request.json --budget 2500 --explain
echo
echo "The messages themselves: $build/tools/ctxpack/ctxpack build examples/data/request.json --budget 2500"
