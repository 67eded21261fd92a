#!/usr/bin/env bash
# Builds the library, its exact counters and the SQLite stores for arm64, and links a program with them; runs nothing.
# The libraries of arm64 are unpacked into a folder, so that this system's package lists stay as they are.
# Usage: scripts/test-arm64.sh [BUILD] (build/arm64). Exit code 77: no cross compiler (g++-aarch64-linux-gnu), or no packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(mkdir -p "${1:-build/arm64}" && cd "${1:-build/arm64}" && pwd)
command -v aarch64-linux-gnu-g++ >/dev/null || { echo "skipped: g++-aarch64-linux-gnu is not installed"; exit 77; }

apt=$build/apt sysroot=$build/sysroot
mkdir -p "$apt"/{state/lists/partial,cache/archives/partial} "$sysroot"
: >"$apt/status"
options=(-o Dir::State="$apt/state" -o Dir::Cache="$apt/cache" -o Dir::State::status="$apt/status"
  -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root)
if [ ! -e "$sysroot/.unpacked" ]; then
  (cd "$apt" && apt-get "${options[@]}" update && apt-get "${options[@]}" download libexpected-dev nlohmann-json3-dev libutf8proc2 libutf8proc-dev \
      libstemmer0d libstemmer-dev libsqlite3-0 libsqlite3-dev) >"$build/apt.log" 2>&1 ||
    { echo "skipped: no packages of arm64 can be had"; exit 77; }
  for package in "$apt"/*.deb; do dpkg-deb -x "$package" "$sysroot"; done
  touch "$sysroot/.unpacked"
fi
cat >"$build/arm64.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH $sysroot)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
END
cmake --preset minimal -B "$build/build" --toolchain "$build/arm64.cmake" -DCTXMGR_WITH_BPE=ON -DCTXMGR_WITH_SQLITE=ON \
  -DCMAKE_CXX_FLAGS="${CTXMGR_CROSS_FLAGS:--O1}" >"$build/configure.log"
cmake --build "$build/build" -j "${CTXMGR_JOBS:-$(nproc)}" >"$build/build.log" || { tail -n 20 "$build/build.log" >&2; exit 1; }
cmake --install "$build/build" --prefix "$sysroot/usr" >/dev/null
cmake -S tests/consumer/packages -B "$build/app" --toolchain "$build/arm64.cmake" >"$build/configure-app.log"
cmake --build "$build/app" >"$build/build-app.log" || { tail -n 20 "$build/build-app.log" >&2; exit 1; }
readelf -h "$build/app/app" | grep -q AArch64
echo "a program for arm64 links"
