# SPDX-License-Identifier: Apache-2.0
"""Files, which are keys and values in two trees (docs/filesystem.md: keys, inode numbers, hard links)."""

import collections
import os

from .fields import PAST, UNIT, Damage, escaped, require, text
from .records import DIRECTORY, HOME, read_inode

# `home` is the directory of which the key is a part: the one above, or that which has its link group. `prefix`, that of
# all below it, and `context` are those of a directory.
File = collections.namedtuple("File", "key inode above home prefix context")


def number_key(number):
    return text(number.to_bytes(8, "big"))


def mix(number):
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        number = (number ^ number >> 33) * factor % 2**64
    return number ^ number >> 33


def visible_number(file):
    context = file.home.context if file.home else 0
    return mix(file.inode.number) ^ context if context else file.inode.number


def homes(directory):
    """The nearest one first. The root is the last one."""
    while directory:
        if directory.inode.flags & HOME or not directory.above:
            yield directory
        directory = directory.above


def value_of(tree, key):
    return next((value for _, value in tree.scan(key, key + "\0")), None)


def zeros(size):
    for at in range(0, size, 1 << 20):
        yield bytes(min(size - at, 1 << 20))


class FileSystem:
    def __init__(self, trees):
        require("meta" in trees and "data" in trees, "the image", "it holds no file system")
        self.meta, self.data = trees["meta"], trees["data"]
        inode = read_inode(value_of(self.meta, "//r") or b"", "record of the root")
        self.root = File("//r", inode, None, None, "", inode.salt)

    def names(self, directory):
        """(name, file) of all that is in a directory."""
        prefix = directory.prefix + "\0"
        for key, value in self.meta.scan(prefix, prefix + PAST):
            name = key[len(prefix) :]
            yield name, self.file(directory, name, value)

    def file(self, directory, name, value):
        """What the entry with this value stands for."""
        key, home = directory.prefix + "\0" + name, directory
        if value[:2] == b"\2\1":
            key, home, value = self.group(directory, int.from_bytes(value[3:], "little"))
        inode = read_inode(value, f"record {escaped(key)}")
        prefix = directory.prefix + name + "\0" if inode.zone is None else f"/z{number_key(inode.zone)}\0"
        return File(key, inode, directory, home, prefix, directory.context ^ inode.salt)

    def group(self, directory, number):
        """(key, home, record) of a link group, which the nearest home has that has one of this number."""
        for home in homes(directory):
            key = home.prefix + "/i" + number_key(number)
            value = value_of(self.meta, key)
            if value:
                return key, home, value
        raise Damage(f"link group {number}: no home above {escaped(directory.prefix)} has it")

    def find(self, path):
        file = self.root
        for name in text(os.fsencode(path)).split("/"):
            if name not in ("", "."):
                value = value_of(self.meta, f"{file.prefix}\0{name}") if file.inode.type == DIRECTORY else None
                if value is None:
                    raise FileNotFoundError(f"{path}: there is no such file")
                file = self.file(file, name, value)
        return file

    def content(self, file):
        """The bytes of a file, piece by piece. What is missing is zero."""
        size, at, prefix = file.inode.size, 0, file.key + "\0"
        for key, block in self.data.scan(prefix + number_key(0), prefix + number_key(-(-size // UNIT))):
            begin = UNIT * int.from_bytes(key[len(prefix) :].encode("latin-1"), "big")
            yield from zeros(begin - at)
            yield block[: size - begin]
            at = begin + len(block)
        yield from zeros(size - at)

    def xattrs(self, file):
        for name, value in file.inode.xattrs:
            if isinstance(value, int):
                value = value_of(self.data, f"{file.key}\0x{text(name)}") or b""
            yield name, value
