#!/usr/bin/env bash
# The adapter to llama.cpp against its own chat.h, which an npm package has. Usage: llama_cpp.sh PREFIX WORK COMPILER
# Exit code 77: npm or its registry is not there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix=$1 work=$2 compiler=$3
command -v npm >/dev/null || { echo "npm is not there"; exit 77; }
mkdir -p "$work"
cd "$work"
if [ ! -d package ]; then
  npm pack llama.rn@0.12.9 --silent >npm.log 2>&1 || { echo "npm could not fetch llama.rn"; exit 77; }
  tar -xzf llama.rn-*.tgz package/cpp package/package.json
fi
cmake -S "$here" -B build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" -DLLAMA_CPP="$PWD/package/cpp" >configure.log
cmake --build build >build.log 2>&1 || { tail -n 20 build.log; exit 1; }
build/hosts
