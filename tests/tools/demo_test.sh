#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/demo on our own source: every tool in a row, compared with cp.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

mkdir source
(cd "$BETR_SOURCE_DIR" && cp -a lib tools tests scripts "$work/source")
expect 0 "$BETR_SOURCE_DIR/scripts/demo" --size 256M "$work/source"
grep -q "^== Everything is as it should be" out || fail "$(cat out)"
expect 2 "$BETR_SOURCE_DIR/scripts/demo" --no-such-option
expect 2 "$BETR_SOURCE_DIR/scripts/demo" --size
expect 2 "$BETR_SOURCE_DIR/scripts/demo" "$work/absent"
said "scripts/demo: .*absent: there is no such file or directory"
