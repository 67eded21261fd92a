#!/usr/bin/env bash
# Installs the Debian packages that ctxmgr needs, and only those that are missing.
# Usage: scripts/deps.sh [build] [demo] [test] [dev] [systems]     (default: build)
#   build  compiler, CMake (with make, which it takes where nobody names a generator) and the libraries that are linked
#   demo   build, and the interpreter of the scripted model
#   test   build, test frameworks, and the servers that tests start for themselves
#   dev    test, clang (tidy, format, fuzzing) and the tools of CI
#   systems  build, and what compiles for Windows and with libc++, and Wine
set -euo pipefail

build_packages=(
  g++ cmake ninja-build make ccache pkg-config
  libexpected-dev nlohmann-json3-dev libutf8proc-dev libstemmer-dev
  libcurl4-openssl-dev libsqlite3-dev libhiredis-dev libssl-dev
  libsoci-dev libboost-dev libpq-dev libmariadb-dev
  libcli11-dev zlib1g-dev)
test_packages=(
  libgtest-dev libgmock-dev librapidcheck-dev libcpp-httplib-dev
  redis-server redis-tools postgresql mariadb-server-core mariadb-client-core
  python3 python3-jinja2 universal-ctags nodejs npm git ca-certificates procps util-linux)
dev_packages=(g++-multilib clang clang-format clang-tidy libclang-rt-dev lld libbenchmark-dev dpkg-dev doxygen)
systems_packages=(clang libc++-dev libc++abi-dev g++-mingw-w64-x86-64-posix wine64)

packages=()
for group in "${@:-build}"; do
  case $group in
    build) packages+=("${build_packages[@]}") ;;
    demo) packages+=("${build_packages[@]}" python3) ;;
    test) packages+=("${build_packages[@]}" "${test_packages[@]}") ;;
    dev) packages+=("${build_packages[@]}" "${test_packages[@]}" "${dev_packages[@]}") ;;
    systems) packages+=("${build_packages[@]}" "${systems_packages[@]}") ;;
    *) echo "usage: scripts/deps.sh [build] [demo] [test] [dev] [systems]" >&2; exit 2 ;;
  esac
done

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || {
  echo "This is not a Debian system; install the equivalents of: ${packages[*]}" >&2
  exit 1
}

is_installed() {
  case $1 in
    nodejs) command -v node >/dev/null && return ;;  # these two often come from elsewhere
    npm) command -v npm >/dev/null && return ;;
  esac
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}
missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Run as root: apt-get install ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi

# Installing a server package would start the server. The tests start their own, so say no where nobody else decides.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee $policy >/dev/null
  "${as_root[@]}" chmod 755 $policy
  trap '"${as_root[@]}" rm -f $policy' EXIT
fi

echo "Installing: ${missing[*]}"
log=$(mktemp)
install() {
  "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}
# shellcheck disable=SC2024  # the log belongs to whoever runs this
install </dev/null >"$log" 2>&1 || { tail -n 20 "$log" >&2; echo "apt-get failed; its log: $log" >&2; exit 1; }
rm -f "$log"
