#!/usr/bin/env bash
# An installed ctxmgr, found by pkg-config. Usage: build.sh PREFIX WORK_DIR COMPILER FLAGS PACKAGE...
set -euo pipefail
prefix=$1 work=$2 compiler=$3 flags=$4
shift 4
PKG_CONFIG_PATH=$(find "$prefix" -name pkgconfig -type d)
export PKG_CONFIG_PATH
source=$(dirname "${BASH_SOURCE[0]}")/../consumer.cpp
library_dir=$(pkg-config --variable=libdir ctxmgr)
mkdir -p "$work"
pkg-config --exact-version 0.9.0 ctxmgr
for package in "$@"; do pkg-config --print-errors --exists "$package"; done
# shellcheck disable=SC2046,SC2086  # flags are words
"$compiler" $flags -std=c++17 "$source" -o "$work/consumer" $(pkg-config --cflags --libs ctxmgr "$@") \
  -Wl,-rpath,"$library_dir"
"$work/consumer"
