#!/usr/bin/env bash
# One question to one of the servers of servers.sh, through its own client. Exit code 77: no such server, skipped.
set -euo pipefail

skip() { echo "skipped: $1 is not set"; exit 77; }

case ${1:-} in
  redis)
    url=${CTXMGR_TEST_REDIS_URL:-}
    [ -n "$url" ] || skip CTXMGR_TEST_REDIS_URL
    [ "$(redis-cli -u "$url" ping)" = PONG ]
    ;;
  postgresql)
    url=${CTXMGR_TEST_POSTGRESQL_URL:-}
    [ -n "$url" ] || skip CTXMGR_TEST_POSTGRESQL_URL
    [ "$(psql -X -At "$url" -c 'select 6 * 7')" = 42 ]
    ;;
  mysql)
    url=${CTXMGR_TEST_MYSQL_URL:-}
    [ -n "$url" ] || skip CTXMGR_TEST_MYSQL_URL
    [[ $url =~ ^mysql://([^:]+):([^@]+)@([^:]+):([0-9]+)/(.+)$ ]]
    answer=$(MYSQL_PWD=${BASH_REMATCH[2]} mariadb --no-defaults -h "${BASH_REMATCH[3]}" -P "${BASH_REMATCH[4]}" \
      -u "${BASH_REMATCH[1]}" -N -e 'select 6 * 7' "${BASH_REMATCH[5]}")
    [ "$answer" = 42 ]
    ;;
  *) echo "usage: servers_test.sh redis|postgresql|mysql" >&2; exit 2 ;;
esac
