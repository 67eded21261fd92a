#!/usr/bin/env bash
# Writes the files of scripts/dist.sh and compiles them alone, as docs/building.md says, by each compiler that is installed:
#   g++, from CMake   all of it with the client over libcurl, which asks a small server
#   clang++, libc++   from a Makefile, with CTXMGR_CORE_ONLY; without libc++, by the other standard library
#   clang++           what llama.cpp needs: a check
#   MinGW's g++       all of it; the program runs where Wine is installed
# Two sources that use one name for two things fail here. Each program builds a context and looks at it.
# Usage: scripts/test-amalgamated.sh [--optimised]      the second says what -Os makes of it, and in which time
# `scripts/deps.sh systems` installs the compilers and Wine. Exit code 77: the sources of utf8proc and Snowball cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
made=build/amalgamated/dist
page=docs/building.md
rm -rf $made
scripts/dist.sh $made
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
  std::cout << built->metadata.input_tokens_used << " tokens, " << json.size() << " bytes" << std::endl;
  return json.find("customer 17 ") != std::string::npos ? 0 : 2;
}
END
cat >$made/asks.cpp <<'END'
#include "ctxmgr_openai.hpp"

#include <iostream>

int main(int, char** arguments) {
  ctxmgr::CurlLlmClientOptions service;
  service.base_url = arguments[1];
  auto client = ctxmgr::make_curl_llm_client(service);
  if (!client) return 1;
  ctxmgr::LlmRequest request;
  request.model = "echo";
  request.messages = {{ctxmgr::Role::user, "Say it back."}};
  const auto reply = (*client)->complete(request, {});
  if (!reply) return std::cerr << reply.error().message << "\n", 2;
  std::cout << ctxmgr::text_of(reply->message) << "\n";
}
END
cat >$made/server.py <<'END'
"""Says back what it is asked, as a model would. Prints its port."""
import http.server
import json


class Echo(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": "You said: " + asked["messages"][-1]["content"]}
        reply = json.dumps({"model": "echo", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Echo)
server.timeout = 60
print(server.server_port, flush=True)
server.handle_request()
END

untried=
has() { command -v "$1" >/dev/null || { untried+=" $2"; return 1; }; }

on_page() {  # LANGUAGE    the block of the page's chapter on two files
  awk -v fence="\`\`\`$1" '/^## /{here = /^## Two files/} here && $0 == "```"{inside = 0} inside{print} here && $0 == fence{inside = 1}' $page
}

from_cmake() {  # all of it, with the client
  mkdir -p $made/cmake
  cp $made/*.?pp $made/cmake
  { printf 'cmake_minimum_required(VERSION 3.20)\nproject(app CXX)\nadd_executable(app app.cpp)\n'
    on_page cmake | sed 's/ctxmgr\.cpp/ctxmgr_openai.cpp/'
    printf 'find_package(CURL REQUIRED)\ntarget_link_libraries(ctxmgr PUBLIC CURL::libcurl)\n'
    printf 'add_executable(asks asks.cpp)\ntarget_link_libraries(asks PRIVATE ctxmgr)\n'; } >$made/cmake/CMakeLists.txt
  cmake -S $made/cmake -B $made/cmake/build -DCMAKE_CXX_COMPILER=g++ >/dev/null
  cmake --build $made/cmake/build
  $made/cmake/build/app
  local port said
  exec 3< <(python3 $made/server.py)
  read -r port <&3
  said=$($made/cmake/build/asks "http://127.0.0.1:$port/v1")
  [ "$said" = "You said: Say it back." ] || { echo "the client got: $said"; return 1; }
  echo "from CMake: two programs run, one of them with a client"
}

from_makefile() {  # COMPILER...    the core
  mkdir -p $made/make
  cp $made/ctxmgr.* $made/app.cpp $made/make
  on_page make >$made/make/Makefile
  make -C $made/make CXX="$*" CXXFLAGS="-w -DCTXMGR_CORE_ONLY" >/dev/null
  $made/make/app
  echo "from a Makefile: the core compiles with $*, and a program runs"
}

for_windows() {  # the assembler wants to know that there are many sections, and at -O0 they are too many for it
  local compiler=x86_64-w64-mingw32-g++-posix wine
  has $compiler MinGW || return 0
  $compiler -std=c++20 -O1 -Wa,-mbig-obj -w -c $made/ctxmgr.cpp -o $made/windows.o
  $compiler -std=c++17 -static $made/app.cpp $made/windows.o -o $made/app.exe
  wine=$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64 2>/dev/null) || { untried+=" Wine"; return 0; }
  WINEPREFIX=$PWD/$made/wine WINEDEBUG=-all timeout 120 "$wine" $made/app.exe
  echo "Windows: compiles, links, and runs under Wine"
}

optimised() {  # WHAT OPTION...
  local begin=$SECONDS TIMEFORMAT='%U'
  { time g++ -std=c++20 -Os -ffunction-sections -fdata-sections -w "${@:2}" -c $made/ctxmgr.cpp -o $made/small.o 2>&3; } 3>&2 2>$made/seconds
  g++ -std=c++17 -Os $made/app.cpp $made/small.o -Wl,--gc-sections -s -pthread -o $made/small
  $made/small
  echo "$1 with -Os: $(cat $made/seconds) s of processor time ($((SECONDS - begin)) s), program of $(stat -c %s $made/small) bytes"
}

if [ "${1:-}" = --optimised ]; then
  optimised "all of it"
  optimised "the core" -DCTXMGR_CORE_ONLY
fi
libc=(-stdlib=libc++)
if has clang++ clang; then
  echo '#include <version>' | clang++ "${libc[@]}" -x c++ -fsyntax-only - 2>/dev/null || { untried+=" libc++"; libc=(); }
  from_makefile clang++ "${libc[@]}"
  clang++ -std=c++20 -fsyntax-only -w $made/ctxmgr_llama.cpp
  echo "clang: what llama.cpp needs compiles"
fi
for_windows
from_cmake
echo "two files: $(cat $made/ctxmgr.hpp $made/ctxmgr.cpp | wc -l) lines, not tried for want of a package:${untried:- nothing}: PASSED"
