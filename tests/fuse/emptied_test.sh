#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files that are emptied by opening them while others write to them.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

mkfs.betr -q -s 256M disk.img
for options in cache=64M cache=64M,look=0,threads=8 cache=64M,writeback; do
  mount_image disk.img -o $options
  python3 "$BETR_SOURCE_DIR/tests/fuse/emptied.py" "$mnt" 2 || fail "-o $options"
  unmount_image
  sound disk.img
done
