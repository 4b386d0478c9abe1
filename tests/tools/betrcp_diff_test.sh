#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# betrcp --diff: what was changed in a clone, as people and programs read it.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

export BETR_IMAGE=$PWD/disk.img
mkdir -p tree/sub/deep tree/gone/below
for name in {a..f} sub/{g,h} sub/deep/i gone/below/j; do printf '%s\n' "$name" >"tree/$name"; done
ln -s a tree/link
mkfs.betr -q -s 16M disk.img
betrcp -a tree :/

tells_what_was_changed() {
  expect 0 betrcp --clone tree copy
  expect 0 betrcp --diff tree copy
  [ ! -s out ] && silent || fail "a clone differs from its source"
  printf 'other\n' >other
  mkdir more
  expect 0 betrcp other :/copy/b
  expect 0 betrcp other :/copy/sub/deep/i
  expect 0 betrcp other :/tree/sub/new
  expect 0 betrcp -r more :/copy
  expect 0 betrcp --remove copy/gone copy/link copy/c
  expect 0 betrcp --mkdir copy/c
  expect 0 betrcp --diff tree copy
  diff out <(printf '%s\n' 'M b' 'T c/' 'D gone/' 'D link' 'A more/' 'D sub/new' 'M sub/deep/i') || fail "--diff"
  expect 0 betrcp --diff copy tree
  diff out <(printf '%s\n' 'M b' 'T c' 'A gone/' 'A link' 'D more/' 'A sub/new' 'M sub/deep/i') || fail "the other way"
  expect 0 betrcp -l --diff tree copy
  printed "M content,.*time *b"
  printed "M time  *\./"
  expect 0 betrcp --diff --json :/tree "$BETR_IMAGE:/copy"
  python3 - <<'PYTHON' || fail "--json"
import json
found = json.load(open("out"))
assert found["schema"] == "betr.diff" and found["before"] == "/tree" and found["after"] == "/copy", found
by_path = {entry["path"]: entry for entry in found["differences"]}
assert by_path["b"]["change"] == "modified" and "content" in by_path["b"]["differs"], by_path["b"]
assert by_path["b"]["before"]["size"] == 2 and by_path["b"]["after"]["size"] == 6, by_path["b"]
assert by_path["gone"]["change"] == "deleted" and "after" not in by_path["gone"], by_path["gone"]
assert by_path["c"]["change"] == "type" and by_path["c"]["after"]["type"] == "directory", by_path["c"]
assert "." not in by_path and "" not in by_path, "a time alone"
PYTHON
  expect 0 betrcp --diff --json -l tree copy
  python3 - <<'PYTHON' || fail "--json -l"
import json
found = json.load(open("out"))["differences"]
assert [entry["path"] for entry in found if entry.get("differs") == ["time"]] == ["", "sub", "sub/deep"], found
PYTHON
}

compares_files() {
  expect 0 betrcp --diff tree/a tree/b
  printed "M \."
  expect 0 betrcp --diff tree/a tree/sub
  printed "T \./"
  expect 0 betrcp --diff tree/a tree/a
  [ ! -s out ] || fail "a file differs from itself"
}

# As diff(1) has it, file by file.
agrees_with_diff() {
  mkdir out-of-it
  expect 0 betrcp -a :/tree :/copy out-of-it
  { diff -rq --no-dereference out-of-it/tree out-of-it/copy || true; } | wc -l >by-diff
  betrcp --diff tree copy | wc -l | diff by-diff - || fail "other than diff -rq"
}

knows_mistakes() {
  expect 1 betrcp --diff tree nosuch
  said "betrcp: diff: /nosuch: No such file or directory"
  expect 2 betrcp --diff tree
  said "betrcp: --diff: 1 operands: wants A and B"
  expect 2 betrcp --diff -R tree copy
  said "betrcp: -R: only with --list; -r copies directories"
  expect 0 betrcp --stale-ok --diff tree copy
}

tells_what_was_changed
compares_files
agrees_with_diff
knows_mistakes
