#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Attributes that are asked for while they change: the answer from before may come to its reader, who gets no processor
# for a while, after the change has been answered. The kernel must not keep it.
source "${BETR_SOURCE_DIR:?}/tests/fuse/mount.sh"

[ "$(id -u)" = 0 ] || skip "only root takes a processor away from others"
[ "$(nproc)" -ge 2 ] || skip "there is one processor only"
mkfs.betr -q -s 256M disk.img
mount_image disk.img -o cache=64M
code=0
python3 - "$mnt" "${BETR_SECONDS:-8}" <<'PYTHON' || code=$?
import ctypes, mmap, os, struct, subprocess, sys, time, traceback

libc = ctypes.CDLL(None)
kPunchHole = 0x02 | 0x01
directory, seconds = sys.argv[1], float(sys.argv[2])
os.chdir(directory)
first, second = sorted(os.sched_getaffinity(0))[:2]
children = []


def beside(work):
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)  # none of them ends by itself
    children.append(child)


def take_processor():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    while True:
        until = time.monotonic() + 0.03
        while time.monotonic() < until:
            pass
        time.sleep(0.03)


def look_at(fd):
    while True:
        os.fstat(fd)


def access_list(mode):
    entries = ((tag, mode >> shift & 7, 0xFFFFFFFF) for tag, shift in ((1, 6), (4, 3), (32, 0)))
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def change(number):
    os.setxattr("file", "system.posix_acl_access", access_list((0o640, 0o604)[number % 2]))
    names = ("renamed", "other") if number % 2 == 0 else ("other", "renamed")
    os.rename(*names)
    os.mkdir(f"directory/{number}")
    pages[0] = number % 256
    pages.flush()
    libc.fallocate(fds[2], kPunchHole, ctypes.c_long(0), ctypes.c_long(4096))


def told(fd, how):
    path = f"/proc/self/fd/{fd}"
    command = ["stat", "-L", f"--cached={how}", "-c%a %h %y %z", path]
    return subprocess.run(command, check=True, capture_output=True, pass_fds=[fd]).stdout


try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
except PermissionError:
    sys.exit(77)
os.mkdir("directory")
fds = [os.open(name, os.O_CREAT | os.O_RDWR) for name in ("file", "renamed", "sparse", "mapped")]
os.ftruncate(fds[3], 4096)
pages = mmap.mmap(fds[3], 4096)
fds.append(os.open("directory", os.O_RDONLY))
os.sched_setaffinity(0, {first})
beside(take_processor)
for fd in fds:
    beside(lambda: look_at(fd))
os.sched_setaffinity(0, {second})
number = 0
kept = [0] * len(fds)
end = time.monotonic() + seconds
try:
    while time.monotonic() < end:
        until = time.monotonic() + 0.05
        while time.monotonic() < until:
            change(number)
            number += 1
        time.sleep(0.07)
        for which, fd in enumerate(fds):
            kept[which] += told(fd, "default") != told(fd, "never")
finally:
    ended_by = set()
    for child in children:
        os.kill(child, 9)
        ended_by.add(os.WTERMSIG(os.waitpid(child, 0)[1]))
assert ended_by == {9}, "a process has ended by itself"
assert not any(kept), f"{kept} times"
PYTHON
[ $code != 77 ] || skip "nobody gets a processor for himself here (SCHED_FIFO)"
[ $code = 0 ] || fail "the kernel keeps attributes from before a change, or see above"
unmount_image
sound disk.img
