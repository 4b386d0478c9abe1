#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Direct writes beside reads through the kernel's cache.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

mkfs.betr -q -s 256M disk.img
mount_image disk.img -o cache=64M
python3 "$BETR_SOURCE_DIR/tests/fuse/direct.py" "$mnt" 4 || {
  [ $? = 77 ] || fail "old content"
  skip "no asynchronous direct writes here"
}
unmount_image
sound disk.img
