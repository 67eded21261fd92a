#!/usr/bin/env bash
# Tests the Node package as the page says it is installed: `npm install FOLDER` in a project of its own. Usage: test.sh WORK.
# Exit code 77: npm or its registry is not there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v npm >/dev/null || { echo "npm is not there"; exit 77; }
rm -rf "$1/ctxmgr" "$1/project"
mkdir -p "$1/ctxmgr" "$1/project"
set -- "$(cd "$1" && pwd)"
cp "$here"/index.js "$here"/index.d.ts "$here"/package.json "$1/ctxmgr"
sed "s|'./index.js'|'ctxmgr'|" "$here/ctxmgr.test.js" >"$1/project/ctxmgr.test.js"
cd "$1/project"
echo '{"private": true}' >package.json
npm install --install-links --no-audit --no-fund "$1/ctxmgr" >../npm.log 2>&1 || { echo "npm could not install koffi"; exit 77; }
node --test
