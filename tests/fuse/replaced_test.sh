#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Names that are used while others replace and remove them: by programs that run at once, for a short time each.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

mkfs.betr -q -s 256M disk.img
for options in cache=64M cache=64M,writeback; do
  mount_image disk.img -o $options
  mkdir "$mnt/$options"
  python3 "$BETR_SOURCE_DIR/tests/fuse/replaced.py" "$mnt/$options" 0.5 || fail "-o $options"
  # Nothing of what had the name is left.
  rm -r "${mnt:?}/$options"
  unmount_image
  sound disk.img
done
