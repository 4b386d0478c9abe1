#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Requests by io_uring: what the other scripts try holds there too. Where libfuse or the kernel cannot do it, or the
# kernel's switch is off, mounting says so.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

mkfs.betr -q -s 256M disk.img
if ! mount.betr disk.img "$mnt" -o io_uring 2>err; then
  grep -q "the kernel refuses\|Operation not permitted" err && skip "mounting is not permitted here"
  said "mount.betr: mount: $mnt: -o io_uring: .*"
  is_mounted && fail "refused, but mounted"
  sound disk.img
  skip "$(sed 's/.*-o io_uring: //' err)"
fi
fusermount3 -u "$mnt"

mount_image disk.img -o io_uring
grep -q "^fuse-ring" "/proc/$daemon/task"/*/comm || fail "no thread has a ring"
[ "$(stat -c %W "$mnt")" -gt 0 ] || fail "no time of birth"
unmount_image

export BETR_MOUNT_OPTIONS=io_uring
for name in files clone mounting crash; do
  bash "$BETR_SOURCE_DIR/tests/fuse/${name}_test.sh" || fail "$name"
done
