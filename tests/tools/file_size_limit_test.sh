#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A limit on the size of files (ulimit -f) is an error that names the file. It ends no tool by a signal, and the image
# stays whole.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

limited() { # KIB COMMAND...
  local kib=$1
  shift
  (
    ulimit -f "$kib"
    exec "$@"
  )
}

head -c 8M /dev/urandom >large
mkfs.betr -q -s 32M disk.img

expect 1 limited 4096 mkfs.betr new.img -s 32M
said "mkfs.betr: make: new.img: .*File too large"
[ ! -e new.img ] || fail "mkfs.betr left half an image"

expect 1 limited 4096 betrcp -i disk.img large :/
said "betrcp: .*: disk.img: write of .*File too large"
expect 0 fsck.betr disk.img
expect 0 betrcp -i disk.img large :/

expect 1 limited 4096 betrcp -i disk.img :/large copy
said "betrcp: export: /large: copy: write: File too large"
expect 1 limited 4096 resize.betr disk.img 64M
said "resize.betr: .*disk.img: .*File too large"
expect 0 fsck.betr disk.img
expect 0 betrcp -i disk.img :/large whole
cmp large whole

# A size that cannot be is found before what is there is lost.
cp disk.img before.img
expect 1 limited 40960 mkfs.betr -q -f -s 100T disk.img
said "mkfs.betr: make: disk.img: set the size: File too large"
cmp disk.img before.img
