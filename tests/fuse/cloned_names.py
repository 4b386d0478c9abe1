# SPDX-License-Identifier: Apache-2.0
"""usage: cloned_names.py DIRECTORY sticky|create ioctl|xattr ROUNDS

A name is free when the kernel looks, and a clone has it when the kernel's request comes.

sticky: root clones to a name in a sticky directory, and somebody else renames files to it. No clone is replaced.
create: a name is opened with O_CREAT while others clone to it and remove it. It is there or is made.
"""

import collections
import errno
import fcntl
import multiprocessing
import os
import struct
import sys

directory, what, way, rounds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
SOURCE = 0x8008BE01
CLONE = 0x4110BE02
SOMEBODY = 1000


class Cloner:
    """Clones the file "source" of the working directory to "name"."""

    def __init__(self):
        self._source = os.open("source", os.O_CREAT | os.O_RDWR, 0o644)
        self._directory = os.open(".", os.O_RDONLY)
        number = struct.unpack("Q", fcntl.ioctl(self._source, SOURCE, bytes(8)))[0]
        self._argument = struct.pack("QII256s", number, 0, 0, b"name")

    def clone(self):
        """Returns whether the name was free."""
        try:
            if way == "ioctl":
                fcntl.ioctl(self._directory, CLONE, self._argument)
            else:
                os.setxattr(self._source, "user.betr.clone", b"name")
        except FileExistsError:
            return False
        return True


def remove():
    try:
        os.unlink("name")
    except FileNotFoundError:
        pass


def rename_for_ever():
    os.setgroups([])
    os.setgid(SOMEBODY)
    os.setuid(SOMEBODY)
    while True:
        os.close(os.open("own", os.O_CREAT | os.O_RDWR))
        try:
            os.rename("own", "name")
        except PermissionError:
            pass


def clone_for_ever():
    cloner = Cloner()
    while True:
        cloner.clone()
        remove()


def check_sticky():
    cloner = Cloner()
    made = refused = replaced = 0
    while made < rounds:
        if cloner.clone():
            made += 1
            replaced += os.stat("name").st_uid != os.getuid()
        else:
            refused += 1
        os.unlink("name")
    assert refused > 0, "nobody ever had the name before"
    assert replaced == 0, f"{replaced} of {made} clones were replaced by somebody else's file"


def check_create():
    errors = collections.Counter()
    for _ in range(rounds):
        try:
            os.close(os.open("name", os.O_CREAT | os.O_RDWR))
        except OSError as error:
            errors[error.errno] += 1
        remove()
    # Rarely one more clone comes after the kernel has looked again.
    stale = errors.pop(errno.ESTALE, 0)
    assert not errors and stale <= rounds / 10, f"{dict(errors)} and {stale} times ESTALE in {rounds} rounds"


os.chdir(directory)
os.mkdir(way)
os.chmod(way, 0o1777)
os.chdir(way)
Cloner()
other, check = {"sticky": (rename_for_ever, check_sticky), "create": (clone_for_ever, check_create)}[what]
process = multiprocessing.Process(target=other)
process.start()
try:
    check()
    assert process.is_alive(), "the other one has failed"
finally:
    process.terminate()
    process.join()
