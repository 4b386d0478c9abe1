# SPDX-License-Identifier: Apache-2.0
"""Trees on a mount that is the working directory, to be compared by differences.py."""

import os
import shutil
import stat
import subprocess

from compare_ioctl import opened


def write(path, content="content"):
    with open(path, "w", encoding="ascii") as file:
        file.write(content)


def betrcp(*arguments):
    subprocess.run(["betrcp", *arguments], check=True)


def copy(before, after):
    shutil.rmtree(after, ignore_errors=True)
    betrcp("--clone", before, after)


def bottom_of(top, size):
    """Makes directories until paths from `top` have `size` bytes: the last one, opened, and the name for a file."""
    at = opened(top)
    while size > 255:
        name = "d" * min(254, size - 3)
        try:
            os.mkdir(name, dir_fd=at)
        except FileExistsError:
            pass
        below = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=at)
        os.close(at)
        at, size = below, size - len(name) - 1
    return at, "f" * size


def make_trees(count):
    """`tree`, and `copy`, a clone of it with changes of all kinds, more than `count`."""
    os.makedirs("tree/many")
    os.makedirs("tree/gone/below")
    os.makedirs("tree/linked/inner")
    count = int(count)
    for i in range(count):
        write(f"tree/many/file-{i}", str(i))
    names = ("file", "to directory", "mode", "owner", "xattr", "time", "removed", "gone/below/file", "linked/first")
    for name in names:
        write("tree/" + name, name)
    os.mkdir("tree/to file")
    write("tree/to file/inside")
    os.symlink("file", "tree/link")
    os.mkfifo("tree/fifo")
    for name in ("linked/second", "linked/inner/third"):
        os.link("tree/linked/first", "tree/" + name)
    write("tree/linked/outer")
    os.link("tree/linked/outer", "outside")
    write("tree/" + "n" * 255)
    deep, name = bottom_of("tree", 4095 - len("tree/"))
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=deep))
    os.close(deep)
    os.setxattr("tree", "user.large", b"v" * 3000)
    betrcp("--clone", "tree", "copy")
    change_all(count)


def change_all(count):
    for i in range(count):
        if i % 10 == 0:
            os.unlink(f"copy/many/file-{i}")
        else:
            write(f"copy/many/file-{i}", f"changed {i}")
        if i % 7 == 0:
            write(f"copy/many/{i}-new")
    for name in ("to directory", "removed", "link"):
        os.unlink("copy/" + name)
    os.mkdir("copy/to directory")
    shutil.rmtree("copy/to file")
    write("copy/to file")
    shutil.rmtree("copy/gone")
    os.symlink("elsewhere", "copy/link")
    os.chmod("copy/mode", 0o600)
    os.setxattr("copy/xattr", "user.small", b"v")
    os.removexattr("copy", "user.large")
    os.utime("copy/time", (1, 1))
    if os.geteuid() == 0:
        os.chown("copy/owner", 1234, 1234)
        os.mknod("copy/device", stat.S_IFCHR | 0o600, os.makedev(1, 3))
        os.mknod("tree/device", stat.S_IFCHR | 0o600, os.makedev(1, 5))
    write("copy/linked/second", "all three")
    write("outside", "from outside")
    os.link("copy/file", "copy/linked/file")
    write("copy/" + "n" * 254)
    deep, name = bottom_of("copy", 4095 - len("copy/"))
    os.unlink(name, dir_fd=deep)
    os.close(os.open("g" + name[1:], os.O_CREAT | os.O_WRONLY, dir_fd=deep))
    os.close(deep)
