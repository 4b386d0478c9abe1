#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# PostMark: small files as of mail and news, created, read, appended to and deleted in no order.
source "$(dirname "$0")/program.sh"
set -euo pipefail
needs postmark postmark

mkdir "$mnt/postmark"
postmark >"$work/out" 2>&1 <<EOF
set location $mnt/postmark
set size 500 20000
set number 5000
set subdirectories 50
set transactions 20000
run
quit
EOF
grep -i "error" "$work/out" && fail "$(cat "$work/out")"
grep -q "20000 *$\|transactions" "$work/out" || fail "$(cat "$work/out")"
[ -z "$(find "$mnt/postmark" -type f)" ] || fail "files are left over"
grep -E "seconds|per second" "$work/out" | sed 's/^[[:space:]]*//' | head -4
