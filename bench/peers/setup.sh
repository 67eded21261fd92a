#!/bin/sh
# The packages of bench/peers, in virtual environments: setup.sh [FOLDER]. headroom-ai has its own, for it needs an older openai; openhands-sdk
# needs Python 3.12: PYTHON312, python3.12, or one of pyenv's. uv chooses the versions in seconds, pip in more than five minutes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/.venv}
for name in main headroom openhands; do
  python=python3
  if [ "$name" = openhands ]; then
    python=
    for candidate in "${PYTHON312:-python3.12}" "$HOME"/.pyenv/versions/3.12*/bin/python; do
      if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then python=$candidate; fi
    done
    [ -n "$python" ] || { echo "skipped: $name needs Python 3.12"; continue; }
  fi
  "$python" -m venv "$folder/$name"
  "$folder/$name/bin/pip" install --quiet uv==0.13.9 &&
    "$folder/$name/bin/uv" pip install --quiet --python "$folder/$name/bin/python" --requirement "$here/requirements-$name.txt" ||
    { echo "skipped: the packages cannot be installed here"; exit 77; }
done
