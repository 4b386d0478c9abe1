#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pages from the kernel's cache, for which there is no space on a full image: whoever asks whether they were written is
# told so. The kernel takes no notice of a part of a request that was not written. The log is small, so that requests
# are larger than what is gathered.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

# fill HOW: files that are written by HOW until there is no space, again and again; each that was said to be written is.
fill() {
  python3 - "$mnt" "$1" <<'PYTHON' || fail "$1: what was said to be written is not there"
import mmap, os, random, sys

directory, how = sys.argv[1:]
size = 900_000
chance = random.Random(1)
written = []
refused = 0
number = 0


def write(path, content):
    fd = os.open(path, os.O_CREAT | os.O_RDWR)
    try:
        if how == "mmap":
            os.ftruncate(fd, size)
            with mmap.mmap(fd, size) as pages:
                pages[:] = content
                pages.flush()
        elif os.write(fd, content) != size:
            raise OSError("short")
        os.fsync(fd)
    finally:
        os.close(fd)


def stored(path):
    fd = os.open(path, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    content = os.read(fd, 2 * size)
    os.close(fd)
    return content


while refused < 20:
    number += 1
    content = chance.randbytes(size)
    path = f"{directory}/{how}-{number}"
    try:
        write(path, content)
        assert stored(path) == content, path
        written.append(path)
    except OSError:
        refused += 1
        gone = [path] + [written.pop(chance.randrange(len(written))) for _ in range(2)]
        for path in gone:
            if os.path.exists(path):
                os.unlink(path)
assert number > 30, number
PYTHON
}

for options in cache=32M cache=32M,writeback; do
  rm -f disk.img
  mkfs.betr -q -s 64M disk.img
  mount_image disk.img -o "$options"
  fill mmap
  rm "$mnt"/*
  fill write
  unmount_image
  sound disk.img
done
