# SPDX-License-Identifier: Apache-2.0
"""usage: told_times.py DIRECTORY change|compare FILE

Changes files, and writes the times that the kernel tells then to a file; or compares the times with those.
"""

import fcntl
import json
import os
import struct
import sys

directory, what, told_file = sys.argv[1:]
SOURCE = 0x8008BE01
CLONE = 0x4110BE02
FILES = 10


def write_after_sync(file):
    os.fsync(file)
    os.pwrite(file, b"y" * 500, 10)


def copy(file):
    target = os.open(f"{directory}/copy of {os.fstat(file).st_ino}", os.O_CREAT | os.O_RDWR)
    os.copy_file_range(file, target, 5000, 0)
    os.close(target)


def clone(file):
    parent = os.open(directory, os.O_RDONLY)
    number = struct.unpack("Q", fcntl.ioctl(file, SOURCE, bytes(8)))[0]
    fcntl.ioctl(parent, CLONE, struct.pack("QII256s", number, 0, 0, f"clone-{number}".encode()))
    os.close(parent)
    cloned, source = os.stat(f"{directory}/clone-{number}"), os.fstat(file)
    assert cloned.st_size == source.st_size
    assert cloned.st_mtime_ns >= source.st_mtime_ns, "a clone that seems older than what is in it"


def clone_with_xattr(file):
    os.setxattr(file, "user.a", b"b")
    clone(file)


# What is done to a file with pages that only the kernel has.
CHANGES = {
    "nothing": lambda file: None,
    "truncate": lambda file: os.ftruncate(file, 3000),
    "allocate": lambda file: os.posix_fallocate(file, 0, 9000),
    "chmod": lambda file: os.fchmod(file, 0o600),
    "xattr": lambda file: os.setxattr(file, "user.a", b"b"),
    "sync": os.fsync,
    "write after sync": write_after_sync,
    "copy": copy,
    "clone": clone,
    "clone with xattr": clone_with_xattr,
}


def times():
    found = {}
    for entry in os.scandir(directory):
        status = os.stat(entry.path)
        found[entry.name] = [status.st_mtime_ns, status.st_ctime_ns]
    return found


if what == "change":
    for name, change in CHANGES.items():
        for number in range(FILES):
            descriptor = os.open(f"{directory}/{name} {number}", os.O_CREAT | os.O_RDWR)
            os.pwrite(descriptor, b"x" * 5000, 100)
            change(descriptor)
            os.close(descriptor)
    with open(told_file, "w", encoding="ascii") as told:
        json.dump(times(), told)
else:
    with open(told_file, encoding="ascii") as told:
        before = json.load(told)
    after = times()
    assert before.keys() == after.keys()
    moved = [name for name, time in sorted(before.items()) if after[name] != time]
    assert not moved, f"times that are not those that were told: {moved}"
