#!/usr/bin/env bash
# Tests the Node package as the page says it is installed: `npm install FOLDER` in a project of its own, from a prefix whose
# library it finds. Usage: CTXMGR_LIBRARY=FILE test.sh WORK. Exit code 77: npm or its registry is not there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v npm >/dev/null || { echo "npm is not there"; exit 77; }
rm -rf "$1/prefix" "$1/project"
mkdir -p "$1/prefix/share/ctxmgr/node" "$1/prefix/lib" "$1/project/examples"
set -- "$(cd "$1" && pwd)"
cp "$here"/index.js "$here"/index.d.ts "$here"/package.json "$1/prefix/share/ctxmgr/node"
ln -s "$CTXMGR_LIBRARY" "$1/prefix/lib/libctxmgr_c.so.1"
for name in ctxmgr fitting_fetch; do
  sed "s|'./index.js'|'ctxmgr'|" "$here/$name.test.js" >"$1/project/$name.test.js"
done
cp "$here"/examples/*.js "$1/project/examples"
cd "$1/project"
echo '{"private": true}' >package.json
npm install --install-links --no-audit --no-fund "$1/prefix/share/ctxmgr/node" >../npm.log 2>&1 ||
  { echo "npm could not install koffi"; exit 77; }
npm install --install-links --no-audit --no-fund ai @ai-sdk/openai-compatible >>../npm.log 2>&1 || echo "npm could not install the AI SDK"
env -u CTXMGR_LIBRARY node --test
