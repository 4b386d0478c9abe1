#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/evaluate --disk on a block device that is not the emulated disk, here a loop device: experiments, what the
# kernel counts of it, and what it refuses. Nothing stays but the device.
source "$BETR_SOURCE_DIR/tests/tools/checks.sh"

skip() {
  echo "skipped: $*"
  exit 77
}

[ "$(id -u)" = 0 ] || skip "needs root"
[ -x "$BETR_BIN_DIR/mount.betr" ] || skip "mount.betr was not built"
{ : <>/dev/fuse; } 2>/dev/null || skip "/dev/fuse may not be opened"
for program in fio c++ mkfs.ext4 fusermount3; do
  command -v $program >/dev/null || skip "there is no $program"
done

truncate -s 4G raw
loop=$(losetup --find --show raw 2>/dev/null) || skip "no loop devices"
leave() {
  umount "$PWD/mnt" 2>/dev/null || true
  losetup -d "$loop"
  rm -rf "$work"
}
trap leave EXIT

mkdir tmp tree mnt
echo content >tree/file
evaluate=("$BETR_SOURCE_DIR/bench/evaluate" --bin "$BETR_BIN_DIR" --tree tree --dir tmp --out results --disk "$loop")
# A build with sanitizers takes more memory than the limit.
evaluate+=(--memory none --scale 0.02)

code=0
"${evaluate[@]}" --systems betr,betr-library,ext4 disk clone-writes >evaluate.out 2>&1 || code=$?
if grep -q "Operation not permitted\|ermission denied" evaluate.out; then skip "mounting is not permitted here"; fi
[ $code = 0 ] || fail "exit $code: $(cat evaluate.out)"
python3 - results/results.json "$loop" <<'PY' || fail "wrong results: $(cat results/results.json)"
import json, sys
found = json.load(open(sys.argv[1], encoding="utf-8"))
assert not found["failures"], found["failures"]
assert sys.argv[2] in found["conditions"]["disk"], found["conditions"]
rows = {(row["experiment"], row["name"]): row for row in found["rows"]}
assert rows["disk", "random reads of 4 KiB"]["values"]["disk"][0] > 0
row = rows["clone-writes", "clone + sync"]
assert set(row["values"]) == {"betr", "betr-library", "ext4"}, row
done = row["disk"]["ext4"][0]
assert done["written_bytes"] > 4e6 and done["writes"] > 0 and "seeks" not in done, done
PY
[ -z "$(ls tmp)" ] || fail "files are left: $(find tmp)"
! grep -q "$loop" /proc/mounts || fail "$loop is still mounted"
losetup "$loop" >/dev/null || fail "$loop is gone"

mkfs.ext4 -q -F "$loop"
mount "$loop" mnt
expect 2 "${evaluate[@]}" --systems ext4 clone-writes
grep -q "$loop: it, or a part of it, is in use" out err || fail "not refused: $(cat out err)"
