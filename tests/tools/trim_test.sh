#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# resize.betr --trim: the file of an image takes less space on the host, and holds what it held.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

on_host() { du -k "$1" | cut -f1; }

mkfs.betr -q -s 256M disk.img
mkdir tree
for i in {1..8}; do head -c 8000000 /dev/urandom >"tree/$i"; done
betrcp -a tree disk.img:/
before=$(on_host disk.img)
size=$(stat -c %s disk.img)
betrcp --remove disk.img:/tree/{2..8}
rm tree/[2-8]
[ "$(on_host disk.img)" -ge 60000 ] || fail "nothing to trim"
expect 0 resize.betr --trim disk.img
printed "disk.img: [0-9.]+ MiB free; the file takes [0-9.]+ MiB instead of [0-9.]+ MiB"
[ "$(on_host disk.img)" -lt $((before / 2)) ] || fail "$(on_host disk.img) KiB instead of $before"
[ "$(stat -c %s disk.img)" = "$size" ] || fail "another size"
fsck.betr -n -q --data disk.img || fail "not sound"
betrcp -a disk.img:/tree out-of-it
same_tree tree out-of-it

expect 0 resize.betr --trim --json disk.img
python3 - <<'PYTHON' || fail "--json: $(cat out)"
import json, os
found = json.load(open("out"))
assert found["schema"] == "betr.trim" and found["image"] == "disk.img", found
assert found["trimmed"] > 100 << 20, found
assert found["host"] == os.stat("disk.img").st_blocks * 512 <= found["host_before"], found
PYTHON

expect 2 resize.betr --trim disk.img 1G
said "resize.betr: --trim: takes no size"
expect 2 resize.betr --trim -n disk.img
said "resize.betr: --trim: has no dry run"
expect 1 resize.betr --trim absent.img
holding disk.img expect 3 resize.betr --trim disk.img
said "resize.betr: trim: disk.img: in use by .*"
head -c 1M /dev/urandom >noise.img
expect 4 resize.betr --trim noise.img
