#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fstrim(8) on a mount gives what was removed back to the host.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

on_host() { # <file>: KiB
  du -k "$1" | cut -f1
}

mkfs.betr -q -s 256M disk.img
mount_image disk.img
mkdir "$mnt/kept"
head -c 8000000 /dev/urandom | tee "$mnt/kept/file" >kept
for i in {1..8}; do head -c 8000000 /dev/urandom >"$mnt/$i"; done
sync -f "$mnt"
fstrim "$mnt" # which has everything stored first
before=$(on_host disk.img)
[ "$before" -gt 60000 ] || fail "$before KiB are stored"
rm "$mnt"/[1-8]
expect 0 fstrim -v "$mnt"
printed "$mnt: .* trimmed"
[ "$(on_host disk.img)" -lt $((before / 2)) ] || fail "$(on_host disk.img) KiB instead of $before after fstrim"
cmp kept "$mnt/kept/file" || fail "what was kept"

expect 0 fstrim -v -m 1G "$mnt"
printed "$mnt: 0 B .*trimmed"

if [ "$(id -u)" = 0 ]; then
  unmount_image
  chmod 755 "$work"
  mount_image disk.img -o allow_other
  expect 1 setpriv --reuid=65534 --regid=65534 --clear-groups fstrim "$mnt"
  said "fstrim: .*Operation not permitted"
  expect 0 mount.betr disk.img "$mnt" -o remount,ro
  expect 1 fstrim "$mnt"
  said "fstrim: .*Read-only file system"
  expect 0 mount.betr disk.img "$mnt" -o remount,rw
fi
cmp kept "$mnt/kept/file" || fail "what was kept, later"
unmount_image
sound disk.img
