#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/evaluate on a disk that is twenty times as fast: small experiments on new and on aged file systems, and an end
# by a signal. Nothing stays.
source "$BETR_SOURCE_DIR/tests/tools/checks.sh"

skip() {
  echo "skipped: $*"
  exit 77
}

[ "$(id -u)" = 0 ] || skip "needs root"
[ -x "$BETR_BIN_DIR/emulated_disk" ] || skip "emulated_disk was not built"
[ -x "$BETR_BIN_DIR/mount.betr" ] || skip "mount.betr was not built"
{ : <>/dev/fuse; } 2>/dev/null || skip "/dev/fuse may not be opened"
losetup --find >/dev/null 2>&1 || skip "no loop devices"
for program in fio c++ mkfs.ext4 fusermount3; do
  command -v $program >/dev/null || skip "there is no $program"
done

chmod 755 . # a mail server is somebody else
mkdir tmp
for number in $(seq 300); do
  mkdir -p tree/$number
  echo "content $number" >tree/$number/file
done
evaluate=("$BETR_SOURCE_DIR/bench/evaluate" --bin "$BETR_BIN_DIR" --tree tree --dir tmp --out out)
# A build with sanitizers takes more memory than the limit.
evaluate+=(--memory none --scale 0.02)

nothing_left() {
  ! grep -q "$PWD/tmp" /proc/[0-9]*/mounts 2>/dev/null || fail "still mounted somewhere"
  [[ $(losetup -a) != *"$PWD/tmp"* ]] || fail "a loop device is left: $(losetup -a)"
  [ -z "$(ls tmp)" ] || fail "files are left: $(find tmp)"
}

code=0
"${evaluate[@]}" --time-scale 0.05 --systems betr,ext4 clone-writes >evaluate.out 2>&1 || code=$?
if grep -q "emulated_disk: ended\|Operation not permitted" evaluate.out; then skip "mounting is not permitted here"; fi
[ $code = 0 ] || fail "exit $code: $(cat evaluate.out)"
nothing_left
grep -q "read of the clone, cold" out/report.html || fail "no figures in the report"
python3 - out/results.json <<'PY' || fail "wrong results: $(cat out/results.json)"
import json, sys
found = json.load(open(sys.argv[1], encoding="utf-8"))
assert not found["failures"], found["failures"]
rows = {row["name"]: row["values"] for row in found["rows"]}
assert set(rows["clone + sync"]) == {"betr", "ext4"}
assert rows["space of the clone"]["ext4"][0] > 4000 > rows["space of the clone"]["betr"][0]
PY

"${evaluate[@]}" --time-scale 0.05 --systems betr,ext4 --aged clone-writes imap >evaluate.out 2>&1 ||
  fail "aged: $(cat evaluate.out)"
nothing_left
python3 - out/results.json <<'PY' || fail "wrong results: $(cat out/results.json)"
import json, sys
found = json.load(open(sys.argv[1], encoding="utf-8"))
assert not found["failures"], found["failures"]
rows = {(row["experiment"], row["name"]): row["values"] for row in found["rows"]}
assert set(rows["clone-writes", "clone + sync"]) == set(rows["clone-writes-aged", "clone + sync"]) == {"betr", "ext4"}
mails = rows.get(("imap-aged", "half reads, half marks and moves, cold"))
assert "imap-aged" in found["left_out"] or set(mails) == {"betr", "ext4"}, mails
PY
grep -q "on aged file systems" out/report.html || fail "the report shows no aged file systems"
[ -s out/figures/clone-writes-aged.svg ] || fail "no figures: $(find out)"

"${evaluate[@]}" --time-scale 0.05 --out library --systems betr-library large-file tree clones >evaluate.out 2>&1 ||
  fail "library: $(cat evaluate.out)"
nothing_left
python3 - library/results.json <<'PY' || fail "wrong results: $(cat library/results.json)"
import json, sys
found = json.load(open(sys.argv[1], encoding="utf-8"))
assert not found["failures"], found["failures"]
rows = {(row["experiment"], row["name"]): row["values"]["betr-library"] for row in found["rows"]}
for row in ("random 4-byte reads, cold", "sequential read after the random writes, cold"):
    assert rows["large-file", row][0] > 0, rows
assert rows["clones", "tail-tail: write + sync, mean"][0] > 0, rows
assert ("clones", "head-head: space growth per round") in rows and ("tree", "space of the tree") in rows, rows
PY

has_mounted() { # <process>
  grep -q "$PWD/tmp/.*/mnt" "/proc/$1/mounts"
}
terminated 130 has_mounted "${evaluate[@]}" --out interrupted --systems ext4 large-file
nothing_left
