#!/usr/bin/env bash
# An adapter against its host's own sources, which a package of Python's carries.
# Usage: real_host.sh PREFIX WORK COMPILER llama_cpp|neograph
# Exit code 77: Python's packages are not there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix=$1 work=$2 compiler=$3
case $4 in
  llama_cpp) package=llama-cpp-python==0.3.36 sources='llama_cpp_python-*/vendor/llama.cpp' variable=LLAMA_CPP ;;
  neograph) package=neograph-engine==0.12.1 sources='neograph_engine-*' variable=NEOGRAPH ;;
  *) echo "there is no host $4"; exit 2 ;;
esac
mkdir -p "$work"
cd "$work"
if [ ! -e unpacked ]; then
  {
    python3 -m venv tools
    tools/bin/pip install scikit-build-core pybind11  # pip asks the build backend even where it only downloads.
    tools/bin/pip download --no-deps --no-build-isolation --no-binary :all: "$package"
  } >pip.log 2>&1 || { echo "pip could not fetch $package"; exit 77; }
  mkdir -p sources
  tar -xzf ./*.tar.gz -C sources
  touch unpacked
fi
# shellcheck disable=SC2086  # a pattern
found=$(echo "$PWD"/sources/$sources)
cmake -S "$here" -B build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" "-D$variable=$found" >configure.log
cmake --build build >build.log 2>&1 || { tail -n 20 build.log; exit 1; }
build/hosts
