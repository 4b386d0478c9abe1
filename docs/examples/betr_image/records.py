# SPDX-License-Identifier: Apache-2.0
"""Records of a file system, and the upsert functions that change them (docs/filesystem.md, records)."""

import collections
import stat

from .fields import Damage, Reader
from .query import UPSERTS

REGULAR, DIRECTORY, SYMLINK, FIFO, SOCKET, CHARACTER, BLOCK = range(1, 8)
MODES = [None, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFCHR, stat.S_IFBLK]
HOME, SALTED, ZONED = 1, 2, 4
NUMBERS = ["permissions", "uid", "gid", "links", "number", "size"]
TIMES = ["accessed", "modified", "changed", "born"]
OTHERS = ["device", "target", "salt", "zone", "reach", "xattrs"]
Inode = collections.namedtuple("Inode", ["type", "flags", *NUMBERS, *TIMES, *OTHERS])


def read_inode(value, what):
    record = Reader(value, what)
    record.require(record.bytes(2) == b"\1\1", "it is not that of an inode")
    kind, flags = record.byte(), record.flags(HOME | SALTED | ZONED)
    record.require(REGULAR <= kind <= BLOCK, f"it has type {kind}")
    numbers, times = [record.varint() for _ in NUMBERS], [read_time(record) for _ in TIMES]
    device = record.varint() if kind in (CHARACTER, BLOCK) else None
    target = record.string() if kind == SYMLINK else None
    salt = record.uint(8) if flags & SALTED else 0
    zone = record.varint() if flags & ZONED else None
    reach = record.varint() if kind == DIRECTORY else None
    xattrs = record.repeat(read_xattr, record)
    record.end()
    return Inode(kind, flags, *numbers, *times, device, target, salt, zone, reach, xattrs)


def read_time(record):
    doubled, nanoseconds = record.varint(), record.varint()
    return -(doubled // 2) - 1 if doubled % 2 else doubled // 2, nanoseconds


def read_xattr(record):
    """(name, its value, or the size of one that lies in `data`)."""
    return record.string(), record.varint() if record.flags(1) else record.string()


def size_of(inode):
    """What stat(2) reports."""
    return 4096 if inode.type == DIRECTORY else len(inode.target) if inode.type == SYMLINK else inode.size


def varint(value):
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def set_to(_old, new):
    return new


def add(old, new):
    return (old + new) % 2**32


# Of each bit of a mask: which varints of a record it changes, counted from 0, and how. The last one is reach.
REACH = 14
EDITS = [([0], set_to), ([1], set_to), ([2], set_to), ([5], set_to), ([5], max), ([3], add), ([REACH], max)]
EDITS += [([at, at + 1], set_to) for at in (6, 8, 10, 12)]


def change_attributes(value, delta):
    if value is None:
        return None
    record, change = Reader(value, "record"), Reader(delta, "upsert of attributes")
    begin, numbers = record.bytes(4), [record.varint() for _ in range(REACH)]
    kind, flags = begin[2:]
    salt = record.bytes(8 if flags & SALTED else 0)
    zone = varint(record.varint()) if flags & ZONED else b""
    numbers += [record.varint()] if kind == DIRECTORY else []
    mask = change.varint()
    change.require(mask < 1 << len(EDITS), "its mask has unknown bits")
    for bit, (places, edit) in enumerate(EDITS):
        for at in places if mask >> bit & 1 else ():
            new = change.varint()
            numbers[at : at + 1] = [edit(old, new) for old in numbers[at : at + 1]]
    change.end()
    parts = [varint(number) for number in numbers]
    return b"".join([begin, *parts[:REACH], salt, zone, *parts[REACH:], value[record.at :]])


def change_block(value, delta):
    block, change = bytearray(value or b""), Reader(delta, "upsert of a block")
    while change.at < len(delta):
        kind, at = change.byte(), change.varint()
        change.require(1 <= kind <= 3, f"it has an edit of kind {kind}")
        if kind == 1:
            data = change.string()
            block.extend(bytes(max(0, at - len(block))))
            block[at : at + len(data)] = data
        elif kind == 2:
            end = min(at + change.varint(), len(block))
            block[at:end] = bytes(max(0, end - at))
        else:
            del block[at:]
    return bytes(block) or None


def if_it_makes_sense(function):
    """Any other delta changes nothing."""

    def changed(value, delta):
        try:
            return function(value, delta)
        except Damage:
            return value

    return changed


UPSERTS[16] = if_it_makes_sense(change_attributes)
UPSERTS[17] = if_it_makes_sense(change_block)
