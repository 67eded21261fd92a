#!/usr/bin/env bash
# A C host over pkg-config, against what is installed. Usage: build.sh PREFIX WORK
set -euo pipefail
prefix=$1 work=$2
mkdir -p "$work"
pc=$(dirname "$(find "$prefix" -name ctxmgr-c.pc | head -n 1)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs ctxmgr-c)
# shellcheck disable=SC2086
"${CC:-cc}" -std=c99 "$(dirname "${BASH_SOURCE[0]}")/host.c" -o "$work/host" $flags
LD_LIBRARY_PATH=$(PKG_CONFIG_PATH=$pc pkg-config --variable=libdir ctxmgr-c) "$work/host"
