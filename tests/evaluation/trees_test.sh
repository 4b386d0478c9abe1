#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/clones, bench/import and bench/backups on a small tree: their tables, what they refuse, and that nothing stays,
# also after a signal.
source "$BETR_SOURCE_DIR/tests/tools/checks.sh"
bench=$BETR_SOURCE_DIR/bench

for number in $(seq 100); do
  mkdir -p tree/$number
  seq $((number * 50)) >tree/$number/file
done
mkdir tmp
options=(--bin "$BETR_BIN_DIR" --dir tmp --tree tree)

nothing_left() {
  ! grep -q "$PWD/tmp" /proc/mounts || fail "still mounted: $(cat /proc/mounts)"
  [ -z "$(ls tmp)" ] || fail "files are left: $(find tmp)"
}

expect 0 "$bench/clones" "${options[@]}" --clones 3 --json clones.json
printed '100 files, [0-9]+ MiB as an archive'
printed '\| 3 to 3 \|.*'
python3 - clones.json <<'PY' || fail "wrong: $(cat clones.json)"
import json, sys
found = json.load(open(sys.argv[1], encoding="utf-8"))
assert len(found["groups"]) == 3 and found["cloned_bytes"] > 0 and found["fsck_s"] > 0, found
PY
nothing_left
expect 2 "$bench/clones" "${options[@]}" --clones 0
said '.*--clones: 0: wants at least 1'
expect 2 "$bench/import" "${options[@]}" --runs 0
said '.*--runs: 0: wants at least 1'
expect 2 "$bench/backups" "${options[@]}" --days 1
said '.*--days: 1: wants at least 2'
nothing_left

has_begun() {
  [ -n "$(find tmp -name image.betr)" ]
}
terminated 143 has_begun "$bench/clones" "${options[@]}" --clones 100000
nothing_left

if [ "$(id -u)" != 0 ] || ! losetup --find >/dev/null 2>&1 || ! command -v mkfs.ext4 >/dev/null; then
  echo "not done: bench/import and bench/backups need root, loop devices and mkfs.ext4"
  exit 0
fi

# table BENCH OPTION...: of that program, in the file out.
table() {
  local code=0 name=$1
  shift
  "$bench/$name" "${options[@]}" --size 1G "$@" >out 2>err || code=$?
  if grep -q "drop_caches\|mount: .*\(permission\|not permitted\)" err; then
    echo "not done: bench/$name may not mount or drop caches here"
    exit 0
  fi
  [ $code = 0 ] || fail "$name: exit $code: $(cat out err)"
}

table import --runs 1
printed '\| import: ext4, tar x \+ sync \|.* 1.00 \|'
printed '\| export: betrcp --tar, cold, after betrcp --tar \|.*'
nothing_left

if ! command -v rsync >/dev/null; then
  echo "not done: bench/backups needs rsync"
  exit 0
fi
table backups --days 3 --large 8 --json backups.json
for day in "first day" "a later day, median"; do
  for unit in s MiB; do printed "\| $day, $unit \|( [-0-9.e+]+ \|){3}"; done
done
python3 - backups.json <<'PY' || fail "wrong: $(cat backups.json)"
import json, sys
found = json.load(open(sys.argv[1], encoding="utf-8"))
betr, ext4 = ([day["growth_bytes"] / 2**20 for day in found[name]] for name in ("betr", "ext4"))
assert len(betr) == len(ext4) == 3
assert betr[0] >= 8 and ext4[0] >= 8, "the large file"
assert betr[1] < 4 and betr[2] < 4, "blocks of it"
assert ext4[1] >= 8 and ext4[2] >= 8, "all of it"
PY
nothing_left
