#!/usr/bin/env bash
# Builds the library and its exact counters for static programs, installs them, and runs a program that links nothing else.
# Usage: scripts/test-static.sh [BUILD] (build/static)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build/static}
cmake --preset minimal -B "$build" -DCTXMGR_WITH_BPE=ON -DCTXMGR_WITH_SQLITE=ON \
  -DCMAKE_CXX_FLAGS="${CTXMGR_STATIC_FLAGS:--O1}" >/dev/null
cmake --build "$build" -j "${CTXMGR_JOBS:-$(nproc)}" >"$build/build.log" || { tail -n 20 "$build/build.log" >&2; exit 1; }
prefix=$PWD/$build/prefix
cmake --install "$build" --prefix "$prefix" >/dev/null
cd "$build"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
# shellcheck disable=SC2046  # flags are words
c++ -std=c++17 -static ../../tests/consumer/packages/app.cpp -o app $(pkg-config --static --cflags --libs ctxmgr-bpe ctxmgr-sqlite ctxmgr)
if readelf -d app | grep -q NEEDED; then echo "the program links libraries at run time" >&2; exit 1; fi
./app
echo 'set(CMAKE_FIND_LIBRARY_SUFFIXES .a)' >static.cmake  # what a host writes after its project()
cmake -S ../../tests/consumer/packages -B cmake -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_EXE_LINKER_FLAGS=-static \
  -DCMAKE_PROJECT_INCLUDE="$PWD/static.cmake" >/dev/null
cmake --build cmake >cmake.log 2>&1 || { tail -n 20 cmake.log >&2; exit 1; }
if readelf -d cmake/app | grep -q NEEDED; then echo "CMake's program links libraries at run time" >&2; exit 1; fi
cmake/app
echo "a static program runs"
