#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A tree that could not be removed is there as before, also for those who use it.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

export PYTHONPATH=$BETR_SOURCE_DIR/tests/fuse PYTHONDONTWRITEBYTECODE=1

# The log is too small for the removal of a tree that has so long a path.
mkfs.betr -q -s 64M --log-size 64K disk.img
mount_image disk.img
(
  cd mnt
  python3 - <<'END'
import errno
import os

from remove_tree import content, refused, remove, write

for _ in range(14):
    os.mkdir("d" * 250)
    os.chdir("d" * 250)
TREE = "t" * 250
os.makedirs(f"{TREE}/sub")
write(f"{TREE}/kept")
in_use = os.open(TREE, os.O_RDONLY | os.O_DIRECTORY)
refused(errno.ENOSPC, remove, TREE)
for directory in (in_use, TREE):
    assert sorted(os.listdir(directory)) == ["kept", "sub"], os.listdir(directory)
assert content(f"{TREE}/kept") == "content"
write(f"{TREE}/sub/new")
os.close(in_use)
END
) || fail "see above"
unmount_image
sound disk.img
