#!/bin/sh
# The packages of bench/peers, in virtual environments: setup.sh [FOLDER]. headroom-ai has its own, for it needs an older openai.
# uv chooses the versions in seconds, pip in more than five minutes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/.venv}
for name in main headroom; do
  python3 -m venv "$folder/$name"
  "$folder/$name/bin/pip" install --quiet uv==0.13.9 &&
    "$folder/$name/bin/uv" pip install --quiet --python "$folder/$name/bin/python" --requirement "$here/requirements-$name.txt" ||
    { echo "skipped: the packages cannot be installed here"; exit 77; }
done
