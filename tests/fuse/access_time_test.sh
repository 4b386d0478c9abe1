#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times of access, where the mount keeps them, are those of readers who have nothing against it.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

mkfs.betr -q -s 256M disk.img
mount_image disk.img -o cache=64M,relatime
python3 - "$mnt/file" <<'PYTHON' || fail "times of access"
import os, sys

path = sys.argv[1]
with open(path, "wb") as file:
    file.write(b"content")


def is_noticed(flags):
    os.utime(path, ns=(0, os.stat(path).st_mtime_ns))
    fd = os.open(path, os.O_RDONLY | flags)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    assert os.read(fd, 100) == b"content"
    os.close(fd)
    return os.stat(path).st_atime_ns != 0


assert not is_noticed(os.O_NOATIME)
assert is_noticed(0)
PYTHON
unmount_image
