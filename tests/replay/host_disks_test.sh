#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a replay in a directory says of the device: on ext4, XFS, Btrfs (the sum of its devices) and on a mount of an
# image that lies on ext4; nothing where there is no disk.
source "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

skip() {
  echo "skipped: $*"
  exit 77
}

[ "$(id -u)" = 0 ] || skip "needs root"
losetup --find >/dev/null 2>&1 || skip "no loop devices"
for program in mkfs.ext4 mkfs.xfs mkfs.btrfs; do
  command -v $program >/dev/null || skip "there is no $program"
done

loops=()
mounts=()
leave() {
  local i
  for ((i = ${#mounts[@]} - 1; i >= 0; i--)); do umount -l "${mounts[i]}" 2>/dev/null || true; done
  for ((i = 0; i < ${#loops[@]}; i++)); do losetup -d "${loops[i]}" 2>/dev/null || true; done
  rm -rf "$work"
}
trap leave EXIT

# A new loop device on a new file; its name is in $loop.
new_loop() {
  truncate -s 512M "disk-${#loops[@]}"
  loop=$(losetup --find --show "disk-${#loops[@]}") || skip "loop devices are not permitted here"
  loops+=("$loop")
}

# mounted TYPE SOURCE DIR
mounted() {
  mkdir "$3"
  mount -t "$1" "$2" "$3" || skip "mounting of $1 is not permitted here"
  mounts+=("$PWD/$3")
}

cat >trace <<'EOT'
1 open("/w/a", O_WRONLY|O_CREAT, 0644) = 3
1 write(3, "x"..., 8000000) = 8000000
1 fsync(3) = 0
EOT

# device_of DIR LEAST: the report of a replay there has a device, which has written so many bytes, and no seeks.
device_of() {
  mkdir "$1/new"
  expect 0 betrreplay --json --dir "$1/new" --root /w trace
  python3 - "$2" <<'PYTHON' || fail "$1: $(cat out)"
import json, sys
device = json.load(open("out"))["device"]
assert device["written_bytes"] >= int(sys.argv[1]) and device["writes"] > 0, device
assert "seeks" not in device, device
PYTHON
}

new_loop
mkfs.ext4 -q "$loop"
mounted ext4 "$loop" ext4
device_of ext4 8000000
mkdir ext4/text
expect 0 betrreplay --dir ext4/text --root /w trace
printed "device +[0-9]+ reads, .*; [0-9]+ writes, .*; [0-9]+ flushes"

new_loop
mkfs.xfs -q "$loop"
mounted xfs "$loop" xfs
device_of xfs 8000000

new_loop
first=$loop
new_loop
mkfs.btrfs -q -m raid1 -d raid1 "$first" "$loop"
mounted btrfs "$first" btrfs
device_of btrfs 16000000

mounted tmpfs none tmpfs
mkdir tmpfs/new
expect 0 betrreplay --dir tmpfs/new --root /w trace
! grep -q "^device" out || fail "tmpfs has a device: $(cat out)"

[ -x "$BETR_BIN_DIR/mount.betr" ] || exit 0
{ : <>/dev/fuse; } 2>/dev/null || exit 0
mkfs.betr -q -s 128M ext4/image
mkdir betr
mount.betr ext4/image betr
mounts+=("$PWD/betr")
device_of betr 4000000
