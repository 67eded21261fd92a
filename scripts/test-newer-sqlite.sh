#!/usr/bin/env bash
# Runs the SQLite tests on another SQLite than the system's: where several connections may share a write-ahead log
# (3.51.3 and later), they do, and the tests then cover that path.
#   scripts/test-newer-sqlite.sh [DIRECTORY]   with sqlite3.c and sqlite3.h; default: those of the npm package better-sqlite3
# Without DIRECTORY and without npm it says so and ends with 77.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$repository/build/newer-sqlite
mkdir -p "$build/sqlite"

if [ $# -gt 0 ]; then
  source=$1
else
  command -v npm >/dev/null || { echo "skipped: no directory given and no npm" >&2; exit 77; }
  cd "$build"
  package=$(npm pack --silent better-sqlite3 2>/dev/null) || { echo "skipped: better-sqlite3 cannot be fetched" >&2; exit 77; }
  tar -xzf "$package"
  rm "$package"
  source=$(dirname "$(find "$build/package" -name sqlite3.c | head -n 1)")
fi

cc -O1 -g1 -fPIC -DSQLITE_THREADSAFE=1 -DSQLITE_ENABLE_COLUMN_METADATA -c "$source/sqlite3.c" -o "$build/sqlite/sqlite3.o"
ar rcs "$build/sqlite/libsqlite3.a" "$build/sqlite/sqlite3.o"
cp "$source/sqlite3.h" "$build/sqlite/"
grep '^#define SQLITE_VERSION ' "$build/sqlite/sqlite3.h"

cmake -S "$repository" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=32 -DCMAKE_BUILD_TYPE=None \
  -DCMAKE_CXX_FLAGS="-O1 -g1 -I$build/sqlite" -DCTXMGR_WITH_SQL=OFF -DCTXMGR_WITH_CURL=OFF \
  -DCTXMGR_WITH_BPE=OFF -DCTXMGR_WITH_REDIS=OFF -DCTXMGR_BUILD_EXAMPLES=OFF -DCTXMGR_BUILD_TOOLS=OFF \
  -DSQLite3_INCLUDE_DIR="$build/sqlite" -DSQLite3_LIBRARY="$build/sqlite/libsqlite3.a" >/dev/null
cmake --build "$build" --target sqlite_tests -j"${JOBS:-2}"
"$build/tests/sqlite_tests" --gtest_brief=1
