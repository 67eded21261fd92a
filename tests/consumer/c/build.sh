#!/usr/bin/env bash
# C hosts over pkg-config, against what is installed: one of today's header, and one of the first header that runs with
# today's library. Usage: build.sh PREFIX WORK
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix=$1 work=$2
mkdir -p "$work"
pc=$(dirname "$(find "$prefix" -name ctxmgr-c.pc | head -n 1)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs ctxmgr-c)
LD_LIBRARY_PATH=$(PKG_CONFIG_PATH=$pc pkg-config --variable=libdir ctxmgr-c)
export LD_LIBRARY_PATH
# shellcheck disable=SC2086
"${CC:-cc}" -std=c99 "$here/host.c" -o "$work/host" $flags
"$work/host"
# shellcheck disable=SC2086
"${CC:-cc}" -std=c99 -Wall -Werror -I "$here/first" "$here/first/host.c" -o "$work/first" $flags
readelf -d "$work/first" | grep -q 'NEEDED.*libctxmgr_c\.so\.1]'
"$work/first"
