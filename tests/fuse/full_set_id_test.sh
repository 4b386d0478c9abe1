#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a full image, whoever changes another user's program either takes its set-id bits, or is refused.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

[ "$(id -u)" = 0 ] || skip "only root gives files away"
chmod 755 "$work"
mkfs.betr -q -s 64M disk.img
mount_image disk.img -o allow_other,cache=32M
python3 - "$mnt" <<'PYTHON' || fail "a changed program has its set-id bits"
import ctypes, os, stat, sys

libc = ctypes.CDLL(None, use_errno=True)
kPunchHole = 0x02 | 0x01


def punch(program):
    fd = os.open(program, os.O_RDWR)
    done = libc.fallocate(fd, kPunchHole, ctypes.c_long(0), ctypes.c_long(4096))
    os.close(fd)
    if done != 0:
        raise OSError(ctypes.get_errno(), "fallocate")


def write(program):
    fd = os.open(program, os.O_WRONLY)
    try:
        os.write(fd, b"x")
    finally:
        os.close(fd)


ways = {
    "punch": punch,
    "truncate": lambda program: os.truncate(program, 1),
    "open": lambda program: os.close(os.open(program, os.O_WRONLY | os.O_TRUNC)),
    "write": write,
}
os.chdir(sys.argv[1])
os.umask(0)
kContent = b"p" * 8192
for name in ways:
    with open(name, "wb") as file:
        file.write(kContent)
    os.chmod(name, 0o6777)


def fill():
    with open("fill", "ab", buffering=0) as file:
        for size in 1 << 20, 4096:
            try:
                while True:
                    file.write(os.urandom(size))
            except OSError:
                pass
    try:
        while True:
            made = f"{len(os.listdir()):06}{'n' * 200}"
            os.close(os.open(made, os.O_CREAT | os.O_WRONLY))
    except OSError:
        pass


refused = 0
for name, change in ways.items():
    fill()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(1234)
        os.setuid(1234)
        try:
            change(name)
        except OSError:
            os._exit(1)
        os._exit(0)
    failed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    refused += failed
    left = stat.S_IMODE(os.stat(name).st_mode)
    with open(name, "rb") as file:
        is_changed = file.read() != kContent
    print(name, failed, is_changed, oct(left), file=sys.stderr)
    assert not is_changed or left == 0o777, name
    assert is_changed != bool(failed), name
assert refused > 0
PYTHON
unmount_image
sound disk.img
