#!/usr/bin/env bash
# Tests the Node package in a folder of its own. Usage: test.sh WORK. Exit code 77: npm or its registry is not there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v npm >/dev/null || { echo "npm is not there"; exit 77; }
mkdir -p "$1"
cp "$here"/*.js "$here/package.json" "$1"
cd "$1"
[ -d node_modules/koffi ] || npm install --no-audit --no-fund >npm.log 2>&1 || { echo "npm could not install koffi"; exit 77; }
node --test
