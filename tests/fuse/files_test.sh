#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What files.py tries, on a mount with either way of caching, and the image is sound afterwards.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

mkfs.betr -q -s 1G disk.img
for options in cache=64M cache=64M,writeback,threads=1; do
  dense=
  [[ $options != *writeback* ]] || dense=--dense
  mount_image disk.img -o $options
  python3 "$BETR_SOURCE_DIR/tests/fuse/files.py" $dense "$mnt" 2>files.out || fail "-o $options: $(cat files.out)"
  [ -z "$(ls -A "$mnt")" ] || fail "left over: $(ls -A "$mnt")"
  unmount_image
  sound disk.img
done
