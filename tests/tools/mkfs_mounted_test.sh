#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mkfs.betr on a file that is mounted by way of a loop device, and on another loop device with that file: refused, with
# nothing written.
. "${BETR_SOURCE_DIR:?}/tests/tools/checks.sh"

skip() {
  echo "skipped: $*"
  exit 77
}

[ "$(id -u)" = 0 ] || skip "only root can make a loop device"
for program in mkfs.ext4 e2fsck losetup setpriv; do
  command -v $program >/dev/null || skip "no $program"
done

chmod 711 "$work" # also for who is not root
truncate -s 64M disk.img
chmod 666 disk.img
expect 0 mkfs.ext4 -qF disk.img
other=
loop=$(losetup -f --show disk.img 2>/dev/null) || skip "no loop devices"
trap 'umount mnt 2>/dev/null || true; losetup -d $loop $other; rm -rf "$work"' EXIT
mkdir mnt
mount "$loop" mnt 2>/dev/null || skip "no mounts"

refused() {
  expect 3 "$@"
  said "mkfs.betr: open: disk.img: in use by $loop, which shows it and is mounted, or claimed otherwise"
}

refused mkfs.betr -f disk.img
refused mkfs.betr disk.img
refused mkfs.betr -n -f disk.img
refused mkfs.betr -f -s 128M disk.img
refused setpriv --reuid=65534 --clear-groups mkfs.betr -f disk.img
other=$(losetup -f --show disk.img)
expect 3 mkfs.betr -f "$other"
said "mkfs.betr: open: $other: in use by $loop, which shows the same file and is mounted, or claimed otherwise"
umount mnt
expect 0 e2fsck -fn disk.img
# A loop device alone is nobody's claim.
expect 3 mkfs.betr disk.img
said "mkfs.betr: disk.img: ext[24].* is on it .*; -f overwrites it"
expect 0 mkfs.betr -q -f disk.img
