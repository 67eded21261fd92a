#!/usr/bin/env bash
# Writes the files of scripts/amalgamate.py and compiles them alone, by each compiler that is installed: g++, clang++ with both standard
# libraries, MinGW's. Two sources that use one name for two things fail here. Then a program over them runs.
# Usage: scripts/test-amalgamated.sh [--optimised]      the second also compiles with -Os, and says how large that is
# `scripts/deps.sh systems` installs the compilers. Exit code 77: the sources of utf8proc and Snowball cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/amalgamated
cmake --preset minimal -B $build >/dev/null
scripts/amalgamate.py $build
made=$build/amalgamated
options=-O0
[ "${1:-}" = --optimised ] && options="-Os -ffunction-sections -fdata-sections"
cat >$made/app.cpp <<'END'
#include "ctxmgr.hpp"

#include <iostream>

int main() {
  ctxmgr::ContextManagerOptions options;
  options.token_counters = {ctxmgr::make_token_counter([](std::string_view text) { return (text.size() + 3) / 4; })};
  const ctxmgr::ContextManager manager(options);
  ctxmgr::Context context;
  for (int i = 0; i < 200; ++i) {
    context.conversation_history.push_back({ctxmgr::Role::user, "The order of customer " + std::to_string(i) + " is late."});
    context.conversation_history.push_back({ctxmgr::Role::assistant, "Noted, customer " + std::to_string(i) + "."});
  }
  context.conversation_history.push_back({ctxmgr::Role::user, "What did I say of customer 17?"});
  ctxmgr::BuildRequest request;
  request.budget.max_input_tokens = 1'000;
  const auto built = manager.build(context, request);
  if (!built || built->metadata.input_tokens_used > 1'000) return 1;
  const auto json = ctxmgr::to_openai_json(built->messages);
  std::cout << built->metadata.input_tokens_used << " tokens\n";
  return json.find("customer 17 ") != std::string::npos ? 0 : 2;
}
END

check() {  # WHAT FILE COMPILER...    where the compiler is installed
  command -v "$3" >/dev/null || { echo "$1: $3 is not installed"; return 0; }
  "${@:3}" -std=c++20 -fsyntax-only -w "$made/$2" && echo "$1: $2 compiles"
}
check clang ctxmgr.cpp clang++
check "templates for llama.cpp" ctxmgr_llama.cpp clang++
echo '#include <version>' | clang++ -stdlib=libc++ -x c++ -fsyntax-only - 2>/dev/null &&
  check "clang with libc++" ctxmgr.cpp clang++ -stdlib=libc++

check Windows ctxmgr.cpp x86_64-w64-mingw32-g++-posix

begin=$SECONDS
# shellcheck disable=SC2086
g++ -std=c++20 $options -w -c $made/ctxmgr.cpp -o $made/ctxmgr.o
echo "ctxmgr.cpp compiles in $((SECONDS - begin)) s"
g++ -std=c++17 $made/app.cpp $made/ctxmgr.o -Wl,--gc-sections -s -pthread -o $made/app
$made/app
echo "two files: $(cat $made/ctxmgr.hpp $made/ctxmgr.cpp | wc -l) lines, program of $(stat -c %s $made/app) bytes: PASSED"
