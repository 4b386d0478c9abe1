#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whoever may write to a program of another user's, and does so by whatever call, takes the rights that it gives away.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

[ "$(id -u)" = 0 ] || skip "only root gives files away"
chmod 755 "$work"
mkfs.betr -q -s 1G disk.img
for options in cache=64M cache=64M,writeback; do
  mount_image disk.img -o allow_other,$options
  python3 - "$mnt" <<'PYTHON' || fail "-o $options"
import ctypes, os, stat, sys

libc = ctypes.CDLL(None, use_errno=True)
kPunchHole = 0x02 | 0x01


def by_fallocate(mode):
    def change(fd):
        if libc.fallocate(fd, mode, ctypes.c_long(0), ctypes.c_long(4096)) != 0:
            raise OSError(ctypes.get_errno(), "fallocate")

    return change


def by_copy(fd):
    source = os.open("source", os.O_RDONLY)
    assert os.copy_file_range(source, fd, 8192) == 8192
    os.close(source)


ways = {
    "write": lambda fd: os.write(fd, b"x"),
    "truncate": lambda fd: os.ftruncate(fd, 1),
    "allocate": by_fallocate(0),
    "punch": by_fallocate(kPunchHole),
    "copy": by_copy,
}
os.chdir(sys.argv[1])
os.umask(0)
with open("source", "wb") as file:
    file.write(b"s" * 8192)
for user in (0, 1234):
    for name, change in ways.items():
        program = f"{name}-{user}"
        with open(program, "wb") as file:
            file.write(b"p" * 8192)
        os.chmod(program, 0o6777)
        child = os.fork()
        if child == 0:
            if user != 0:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
            fd = os.open(program, os.O_RDWR)
            change(fd)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0, program
        left = stat.S_IMODE(os.stat(program).st_mode)
        assert left == (0o6777 if user == 0 else 0o777), (program, oct(left))
PYTHON
  rm -r "${mnt:?}"/*
  unmount_image
  sound disk.img
done
