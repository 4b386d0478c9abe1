#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# With `writeback` the kernel makes the times. What it told is what the image has.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

mkfs.betr -q -s 256M disk.img
times() { # change|compare
  python3 "$BETR_SOURCE_DIR/tests/fuse/told_times.py" "$mnt/files" "$1" "$work/told" || fail "$1"
}
mount_image disk.img -o cache=64M,writeback
mkdir "$mnt/files"
times change
unmount_image
sound disk.img
mount_image disk.img -o cache=64M,writeback
times compare
unmount_image
