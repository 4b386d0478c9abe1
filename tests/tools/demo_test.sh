#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/demo on our own source: every tool in a row, compared with cp. And on trees of strange files and names, and of
# large files only.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"
demo=$BETR_SOURCE_DIR/scripts/demo

right() { # <size> <directory> [<variable>=<value>]...
  expect 0 env "${@:3}" "$demo" --size "$1" "$2"
  grep -q "^== Everything is as it should be" out || fail "$(cat out)"
}

mkdir source
(cd "$BETR_SOURCE_DIR" && cp -a lib tools tests scripts "$work/source")
right 256M source

mkdir -p strange/{a,b,c,d,e}
mkfifo strange/{a,b,c,d,e}/fifo
for name in $'two\nlines' ' blank ' -n 'a: b and c'; do
  for directory in strange strange/b strange/e; do echo "$name" >"$directory/$name"; done
done
mkdir $'strange/a\nb'
mkdir temporary
right 64M strange TMPDIR=temporary LC_ALL=de_DE.UTF-8 # where there is that locale
grep -Eqx "  # [0-9]+\.[0-9]{2} s" out || fail "no times: $(cat out)"
[ -z "$(ls temporary)" ] || fail "left over: $(ls temporary)"
[ ! -e "$BETR_SOURCE_DIR/temporary" ] || fail "it works in the source tree"

mkdir large
truncate -s 3M large/file
right 64M large

expect 2 "$demo" --no-such-option
expect 2 "$demo" --size
expect 2 "$demo" "$work/absent"
said "scripts/demo: .*absent: there is no such file or directory"
