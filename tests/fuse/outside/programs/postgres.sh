#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# PostgreSQL: initdb and pgbench; the postmaster is killed under load, then the mount itself. What was committed is
# there, sums agree, checksums and indexes are right. PGBENCH_SECONDS: how long each load runs.
source "$(dirname "$0")/program.sh"
set -euo pipefail
shopt -s nullglob
versions=(/usr/lib/postgresql/*/bin)
needs "${versions[-1]:-postgres}/initdb" postgresql
PATH=$PATH:${versions[-1]}
seconds=${PGBENCH_SECONDS:-8}

as_postgres() { setpriv --reuid postgres --regid postgres --init-groups env -i PATH="$PATH" HOME="$work" "$@"; }
sql() { as_postgres psql -h "$work/socket" -d postgres -XAtq -c "$1"; }
load() { as_postgres pgbench -h "$work/socket" -c 4 -j 2 -n "$@" postgres >"$work/pgbench" 2>&1; }
start() {
  # Of a postmaster that was killed, whose process number may be somebody else's now.
  rm -f "$mnt/cluster/postmaster.pid" "$work"/socket/.s.*
  as_postgres pg_ctl -D "$mnt/cluster" -w -t 120 -l "$work/socket/log" \
    -o "-k $work/socket -c listen_addresses= -c shared_buffers=64MB" start >/dev/null ||
    fail "$(cat "$work/socket/log")"
}
ended() { # the postmaster and all that it has begun
  while [ -n "$(pgrep -u postgres -f "^postgres:.*|$mnt/cluster")" ]; do sleep 0.1; done
}

# What pgbench was told to be committed.
committed=0
count_committed() {
  committed=$((committed + $(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$work/pgbench")))
}
consistent() {
  local rows
  rows=$(sql "select count(*) from pgbench_history")
  [ "$rows" -ge $committed ] || fail "$1: $rows rows in the history, $committed were committed"
  [ "$rows" -le $((committed + 4)) ] || fail "$1: $rows rows in the history, only $committed were committed"
  committed=$rows
  [ "$(sql "select (select sum(delta) from pgbench_history) = (select sum(abalance) from pgbench_accounts)
    and (select sum(abalance) from pgbench_accounts) = (select sum(tbalance) from pgbench_tellers)
    and (select sum(tbalance) from pgbench_tellers) = (select sum(bbalance) from pgbench_branches)")" = t ] ||
    fail "$1: the sums differ"
}

install -d -o postgres -g postgres -m 700 "$mnt/cluster" "$work/socket"
as_postgres initdb -k -A trust -D "$mnt/cluster" >/dev/null
start
as_postgres pgbench -h "$work/socket" -i -q -s 10 postgres >/dev/null 2>&1
load -T "$seconds"
grep "^tps" "$work/pgbench"
count_committed
consistent "after a load"

load -T 120 &
sleep "$seconds"
kill -9 "$(head -1 "$mnt/cluster/postmaster.pid")"
wait $! || true
ended
start
count_committed
consistent "after kill -9 of the postmaster"

load -T 120 &
sleep "$seconds"
kill_mount
wait $! || true
pkill -9 -u postgres -f "^postgres: |$mnt/cluster" || true
ended
mount_again
start
count_committed
consistent "after kill -9 of the mount"

sql "vacuum full"
sql "create extension amcheck"
as_postgres pg_amcheck -h "$work/socket" --heapallindexed -d postgres || fail "pg_amcheck"
as_postgres pg_ctl -D "$mnt/cluster" -w stop >/dev/null
as_postgres pg_checksums --check -D "$mnt/cluster" | grep "^Bad checksums:  0" || fail "pg_checksums"
