#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp --du: what trees and their clones take, in an image.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img
mkdir -p tree/sub
head -c 6000000 /dev/urandom >tree/a
head -c 4000000 /dev/urandom >tree/sub/b
ln -s a tree/link
mkfs.betr -q -s 64M disk.img
betrcp -a tree :/
betrcp --clone tree copy

# MiB that 10,000,000 bytes take.
TEN="(9\.[5-9][0-9]*|10\.[01][0-9]*)"

tells_people() {
  expect 0 betrcp --du tree
  printed " *stored +exclusive"
  printed " *$TEN MiB +[0-9.]+ (KiB|B)  tree"
  [ "$(wc -l <out)" = 2 ] || fail "more than one operand: $(cat out)"
  expect 0 betrcp --du tree copy
  printed " *$TEN MiB  +[0-9.]+ (KiB|B)  copy"
  printed " *$TEN MiB +$TEN MiB  \(together\)"
  expect 0 betrcp --du -l tree
  [ "$(awk 'NR > 1 {print $NF}' out | paste -sd' ')" = "tree/a tree/link tree/sub tree" ] || fail "-l: $(cat out)"
  silent
}

tells_programs() {
  expect 0 betrcp --du --json :/tree copy "$BETR_IMAGE:/tree/a"
  python3 - <<'PYTHON' || fail "--json: $(cat out)"
import json
found = json.load(open("out"))
assert found["schema"] == "betr.du", found
tree, copy, a = found["entries"]
assert (tree["path"], copy["path"], a["path"]) == ("/tree", "copy", "/tree/a"), found
assert 10_000_000 < tree["stored"] < 10_700_000 and 10_000_000 < copy["stored"] < 10_700_000, found
assert tree["exclusive"] < 500_000 and copy["exclusive"] < 500_000, found
assert 6_000_000 < a["stored"] < 6_400_000, found
assert 10_000_000 < found["together"]["exclusive"] <= found["together"]["stored"] < 10_900_000, found
PYTHON
}

knows_mistakes() {
  expect 1 betrcp --du nosuch tree
  said "betrcp: du: /nosuch: No such file or directory"
  printed ".*  tree"
  expect 2 betrcp --du
  said "betrcp: --du: 0 operands: wants A"
  expect 2 betrcp --du -R tree
  said "betrcp: -R: only with --list; -r copies directories"
  expect 0 betrcp --stale-ok --du tree
  unset BETR_IMAGE
  expect 1 betrcp --du tree
  said "betrcp: du: tree: not on a mounted betr image, and no image was named \(-i\)"
}

tells_people
tells_programs
knows_mistakes
