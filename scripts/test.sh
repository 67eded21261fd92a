#!/usr/bin/env bash
# Installs what the tests need, builds everything and runs all tests, with servers of their own.
# Usage: scripts/test.sh [CTEST_OPTION...]       e.g. scripts/test.sh -R SummaryCache
# CTXMGR_PRESET: another configuration than test, such as asan-ubsan or tsan. CTXMGR_JOBS: at the same time (2).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=${CTXMGR_PRESET:-test}
jobs=${CTXMGR_JOBS:-2}

scripts/deps.sh test
cmake --preset "$preset" >"${TMPDIR:-/tmp}/ctxmgr-configure.$$" || { cat "${TMPDIR:-/tmp}/ctxmgr-configure.$$" >&2; exit 1; }
rm -f "${TMPDIR:-/tmp}/ctxmgr-configure.$$"
cmake --build "build/$preset" -j "$jobs"
wire_servers=build/wire_servers
if tests/support/wire_servers.sh start $wire_servers; then
  trap 'tests/support/wire_servers.sh stop $wire_servers' EXIT
  set -a && . $wire_servers/env && set +a
fi
# One more at once than there are cores, since many tests wait for a server.
tests/support/servers.sh run ctest --test-dir "build/$preset" -j "$((jobs + 1))" --output-on-failure -LE timing "$@"
