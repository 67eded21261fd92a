#!/usr/bin/env bash
# Redis, PostgreSQL and MariaDB for the tests: Debian's programs, on free loopback ports, with data of their own that is
# thrown away. Nothing that already runs on the machine is touched.
#   servers.sh start [STATE_DIR]     starts them and writes STATE_DIR/env (default: build/test-servers)
#   servers.sh stop [STATE_DIR]      stops them by process id and removes their data
#   servers.sh run COMMAND...        starts them, runs the command with their URLs in its environment, stops them
#   servers.sh crash [STATE_DIR]     kills those that `start` started, as they are, and starts them again on their data
# CTXMGR_TEST_SERVERS chooses among them ("redis postgresql mysql"). With CTXMGR_TEST_DURABLE they wait for the disk before
# they acknowledge. Run as root, they belong to CTXMGR_TEST_USER (default: nobody), because they refuse root.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$repository/tests/support/ports.sh"
wanted=${CTXMGR_TEST_SERVERS:-redis postgresql mysql}
PATH=$PATH:/usr/sbin:/sbin
durable=${CTXMGR_TEST_DURABLE:-}
attempts=5
ready_seconds=60

fail() { echo "servers.sh: $*" >&2; exit 1; }

# --- processes ---------------------------------------------------------------------------------------------------------

owner=$(id -un)
identity=()
if [ "$(id -u)" -eq 0 ]; then
  owner=${CTXMGR_TEST_USER:-nobody}
  identity=(--reuid="$owner" --regid="$(id -g "$owner")" --clear-groups)
fi
ties=()  # with `run`: servers die with this script, should that be killed

as_owner() { (cd "$data" && exec setpriv "${identity[@]}" env HOME="$data" LC_ALL=C "$@"); }

# launch NAME COMMAND...: in the background; its process id is in $pid and, for `stop`, in the state.
launch() {
  local name=$1; shift
  (cd "$data" && exec setsid setpriv "${identity[@]}" "${ties[@]}" env HOME="$data" LC_ALL=C "$@") \
    >>"$data/$name.log" 2>&1 </dev/null &
  pid=$!
  echo "$name $pid" >>"$state/pids"
}

# A process id may have been given to somebody else since: ours works below the data directory.
is_ours() { [[ "$(readlink "/proc/$1/cwd" 2>/dev/null)" == "$data"* ]]; }

stop_process() {
  local pid=$1 signal=$2
  is_ours "$pid" || return 0
  kill "-$signal" "$pid" 2>/dev/null || return 0
  for _ in $(seq 50); do is_ours "$pid" || return 0; sleep 0.1; done
  kill -KILL "$pid" 2>/dev/null || true
}

# serve NAME: another port whenever the server ends instead of getting ready, since somebody may have been faster.
serve() {
  local name=$1 deadline
  for _ in $(seq $attempts); do
    port=$(free_port)
    "launch_$name"
    deadline=$((SECONDS + ready_seconds))
    while kill -0 "$pid" 2>/dev/null && [ $SECONDS -lt $deadline ]; do
      if "is_ready_$name" >/dev/null 2>&1; then
        "url_$name" >>"$state/env"
        echo "$name $port" >>"$state/ports"
        return 0
      fi
      sleep 0.1
    done
    stop_process "$pid" KILL
  done
  tail -n 15 "$data/$name.log" >&2
  fail "$name did not start"
}

need() { command -v "$1" >/dev/null || fail "$1 is missing; scripts/deps.sh test installs it"; }

# --- Redis -------------------------------------------------------------------------------------------------------------

prepare_redis() { need redis-server; need redis-cli; as_owner mkdir "$data/redis"; }
launch_redis() {
  local how=(--appendonly no)
  [ -z "$durable" ] || how=(--appendonly yes --appendfsync always)
  launch redis redis-server --port "$port" --bind 127.0.0.1 --dir "$data/redis" --save '' "${how[@]}" \
    --pidfile "$data/redis/redis.pid"
}
is_ready_redis() { timeout 2 redis-cli -h 127.0.0.1 -p "$port" info server | grep -q "^process_id:$pid"; }
url_redis() { echo "CTXMGR_TEST_REDIS_URL=redis://127.0.0.1:$port/0"; }

# --- PostgreSQL --------------------------------------------------------------------------------------------------------

# Debian keeps them out of PATH, one directory for each version.
postgresql_bin=$(find /usr/lib/postgresql -maxdepth 3 -name initdb -printf '%h\n' 2>/dev/null | sort -V | tail -n 1)
PATH=$PATH:$postgresql_bin

prepare_postgresql() {
  need initdb; need postgres; need psql
  as_owner initdb -D "$data/postgresql" -U ctxmgr --pwfile="$data/password" --auth=scram-sha-256 \
    --encoding=UTF8 --locale=C --no-sync >"$data/postgresql.log" 2>&1 || { cat "$data/postgresql.log" >&2; fail "initdb failed"; }
}
launch_postgresql() {
  local how=(-c fsync=off -c synchronous_commit=off -c full_page_writes=off)
  [ -z "$durable" ] || how=()
  launch postgresql postgres -D "$data/postgresql" -p "$port" -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories= "${how[@]}"
}
is_ready_postgresql() {
  PGPASSWORD=$password timeout 2 psql -X -h 127.0.0.1 -p "$port" -U ctxmgr -d postgres -c 'create database ctxmgr'
}
is_back_postgresql() {
  PGPASSWORD=$password timeout 2 psql -X -h 127.0.0.1 -p "$port" -U ctxmgr -d ctxmgr -c 'select 1'
}
url_postgresql() { echo "CTXMGR_TEST_POSTGRESQL_URL=postgresql://ctxmgr:$password@127.0.0.1:$port/ctxmgr"; }

# --- MariaDB -----------------------------------------------------------------------------------------------------------

prepare_mysql() {
  need mariadb-install-db; need mariadbd; need mariadb
  as_owner mariadb-install-db --no-defaults --datadir="$data/mysql" --auth-root-authentication-method=normal \
    --skip-test-db >"$data/mysql.log" 2>&1 || { cat "$data/mysql.log" >&2; fail "mariadb-install-db failed"; }
  as_owner tee "$data/init.sql" >/dev/null <<SQL
DELETE FROM mysql.global_priv WHERE User <> 'mariadb.sys';
FLUSH PRIVILEGES;
CREATE DATABASE IF NOT EXISTS ctxmgr CHARACTER SET utf8mb4;
CREATE USER IF NOT EXISTS 'ctxmgr'@'127.0.0.1' IDENTIFIED BY '$password';
GRANT ALL PRIVILEGES ON *.* TO 'ctxmgr'@'127.0.0.1' WITH GRANT OPTION;
SQL
}
launch_mysql() {
  local how=(--innodb-flush-log-at-trx-commit=0 --innodb-flush-method=nosync)
  [ -z "$durable" ] || how=(--innodb-flush-log-at-trx-commit=1)
  launch mysql mariadbd --no-defaults --datadir="$data/mysql" --port="$port" --bind-address=127.0.0.1 \
    --socket="$data/mysql.sock" --pid-file="$data/mysql.pid" --init-file="$data/init.sql" --skip-name-resolve \
    "${how[@]}" --innodb-fast-shutdown=2 --innodb-buffer-pool-size=64M --max-allowed-packet=64M
}
is_ready_mysql() {
  MYSQL_PWD=$password timeout 2 mariadb --no-defaults -h 127.0.0.1 -P "$port" -u ctxmgr ctxmgr -e 'select 1'
}
url_mysql() { echo "CTXMGR_TEST_MYSQL_URL=mysql://ctxmgr:$password@127.0.0.1:$port/ctxmgr"; }

# --- commands ----------------------------------------------------------------------------------------------------------

start() {
  mkdir -p "$state"
  if [ -e "$state/env" ]; then echo "already running: $state/env"; return 0; fi
  # Not below the state: the data's owner may be unable to reach it, and paths of sockets are short.
  data=$(mktemp -d "${TMPDIR:-/tmp}/ctxmgr-servers.XXXXXX")
  echo "$data" >"$state/data"
  trap 'stop' EXIT
  trap 'exit 130' INT TERM HUP
  password=$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')
  printf '%s\n' "$password" >"$data/password"
  [ ${#identity[@]} -eq 0 ] || chown -R "$owner:" "$data"
  local name
  for name in $wanted; do "prepare_$name" & done
  for name in $(jobs -p); do wait "$name" || exit 1; done
  for name in $wanted; do serve "$name"; done
}

# With its helpers, which a server that is killed leaves behind for a while.
kill_server() {
  local pid=$1 helpers
  helpers=$(pgrep -P "$pid" || true)
  stop_process "$pid" KILL
  for pid in $helpers; do stop_process "$pid" KILL; done
}

crash() {
  [ -e "$state/data" ] || fail "nothing runs there: $state"
  data=$(cat "$state/data")
  password=$(cat "$data/password")
  local name deadline is_back
  while read -r name port; do
    kill_server "$(awk -v name="$name" '$1 == name { pid = $2 } END { print pid }' "$state/pids")"
    is_back=is_ready_$name
    [ "$name" != postgresql ] || is_back=is_back_postgresql
    "launch_$name"
    deadline=$((SECONDS + ready_seconds))
    until "$is_back" >/dev/null 2>&1; do
      [ $SECONDS -lt $deadline ] || fail "$name did not come back"
      kill -0 "$pid" 2>/dev/null || "launch_$name"  # what it held is free a little later
      sleep 0.05
    done
  done <"$state/ports"
}

stop() {
  trap - EXIT
  [ -e "$state/data" ] || return 0
  data=$(cat "$state/data")
  local name pid signal
  while read -r name pid; do
    # PostgreSQL: INT disconnects its clients, TERM would wait for them.
    [ "$name" = postgresql ] && signal=INT || signal=TERM
    stop_process "$pid" "$signal"
  done < <(cat "$state/pids" 2>/dev/null)
  rm -rf "$data" "$state/data" "$state/pids" "$state/ports" "$state/env"
}

command=${1:-}
shift || true
case $command in
  start)
    state=${1:-$repository/build/test-servers}
    start
    trap - EXIT
    cat "$state/env"
    ;;
  stop)
    state=${1:-$repository/build/test-servers}
    stop
    ;;
  crash)
    state=${1:-$repository/build/test-servers}
    crash
    ;;
  run)
    [ $# -gt 0 ] || fail "run what?"
    state=$(mktemp -d "${TMPDIR:-/tmp}/ctxmgr-servers-state.XXXXXX")
    ties=(--pdeathsig KILL)
    start
    set -a
    # shellcheck disable=SC1091
    . "$state/env"
    set +a
    code=0
    "$@" || code=$?
    stop
    rmdir "$state"
    exit "$code"
    ;;
  *)
    sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
