#!/usr/bin/env bash
# Makes the Debian packages of a build, installs them on a bare Debian 12 (debootstrap, chroot) and builds programs with them
# there, as a newcomer would. Usage, as root: scripts/test-packages.sh BUILD [BASE.tar]
# BASE.tar: a bare system, made where it is not there. Exit code 77: not root, or no debootstrap.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:?usage: test-packages.sh BUILD [BASE.tar]}
[ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null || { echo "skipped: needs root and debootstrap"; exit 77; }
base=${2:-$build/debian.tar}
root=$(mktemp -d)
trap 'umount -q "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT

if [ ! -f "$base" ]; then
  debootstrap --variant=minbase --include=ca-certificates bookworm "$root" >"$build/debootstrap.log" 2>&1
  tar -C "$root" -cf "$base" .
else
  tar -C "$root" -xf "$base"
fi
chmod 755 "$root"
rm -rf "$build/packages"
(cd "$build" && cpack -G DEB -B packages) >"$build/cpack.log" 2>&1 || { tail -n 20 "$build/cpack.log" >&2; exit 1; }
mkdir -p "$root/new"
cp "$build"/packages/*.deb "$root/new"
cp -r tests/consumer/packages/. tests/consumer/c/host.c "$root/new"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
mount -t proc proc "$root/proc"

step() {  # NAME COMMAND: in the bare system
  local begin=$SECONDS
  chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
    bash -c "cd /new && $2" >"$build/packages.log" 2>&1 </dev/null || { tail -n 30 "$build/packages.log" >&2; echo "FAILED: $1" >&2; exit 1; }
  echo "$1: $((SECONDS - begin)) s"
}
step "install g++, CMake and the packages" "apt-get update -qq && apt-get install -y -qq --no-install-recommends g++ cmake make pkg-config \
  ./libctxmgr-dev_*.deb ./libctxmgr-bpe-dev_*.deb ./libctxmgr-sqlite-dev_*.deb \$(ls ./libctxmgr{,-bpe,-sqlite}0.9_*.deb 2>/dev/null)"
step "find_package" "cmake -S . -B cmake && cmake --build cmake && cmake/app"
step "pkg-config" 'c++ -std=c++17 app.cpp -o app $(pkg-config --cflags --libs ctxmgr-bpe ctxmgr-sqlite ctxmgr) && ./app'
step "install ctxpack, the C interface and Python" "apt-get install -y -qq --no-install-recommends ./python3-ctxmgr_*.deb ./ctxpack_*.deb \
  \$(ls ./libctxmgr-{prompts,redis,sql,curl}0.9_*.deb 2>/dev/null) ./libctxmgr-c1_*.deb ./libctxmgr-c-dev_*.deb ./ctxmgr-doc_*.deb"
step "C" 'cc -std=c99 host.c -o host $(pkg-config --cflags --libs ctxmgr-c) && ./host'
step "Python" "python3 app.py"
step "ctxpack over an example" "ctxpack build /usr/share/doc/ctxmgr/examples/data/request.json --budget 2500 --explain"
step "the pages that headers name" 'grep -rhoE "docs/[a-z_./-]+\.(md|json)" /usr/include/ctxmgr | sort -u | while read -r page; do test -e /usr/share/doc/ctxmgr/$page || { echo "$page is missing"; exit 1; }; done'
step "remove" "apt-get purge -y -qq 'libctxmgr*' python3-ctxmgr ctxpack ctxmgr-doc && test ! -e /usr/include/ctxmgr && test ! -e /usr/lib/cmake/ctxmgr"
echo "the packages work on a bare Debian"
