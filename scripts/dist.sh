#!/usr/bin/env bash
# Writes the files that a program copies into dist/: ctxmgr.hpp and ctxmgr.cpp, two more for llama.cpp, two more for a client over
# libcurl, and SHA256SUMS. Usage: scripts/dist.sh [FOLDER]. Exit code 77: the sources of utf8proc and Snowball cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-dist}
cmake --preset minimal -B build/amalgamated >/dev/null
scripts/amalgamate.py build/amalgamated "$folder"
(cd "$folder" && sha256sum ctxmgr*.hpp ctxmgr*.cpp >SHA256SUMS)
