# SPDX-License-Identifier: Apache-2.0
"""The log, and what replaying it makes of the trees (docs/log.md)."""

import bisect
import functools

from .fields import PAST, UNIT, Reader, checksum, layout, require
from .image import LOG_START
from .nodes import UPSERT, Message
from .query import apply

FRAME = layout(
    "Frame",
    "checksum magic salt sequence chain opening durable first_lsn record_bytes record_count record_checksum",
    "Q8sQQQQQQIIQ",
)
HEADER = FRAME[1].size


class Log:
    def __init__(self, image, superblock):
        self.image, self.superblock, self.salt = image, superblock, checksum(superblock.uuid)

    def place(self, sequence):
        return (LOG_START + sequence % self.superblock.log_units) * UNIT

    def read(self, sequence, size):
        """Bytes of the ring from the beginning of a block on."""
        place, begin, end = self.place(sequence), LOG_START * UNIT, (LOG_START + self.superblock.log_units) * UNIT
        here = min(size, end - place)
        return self.image.read(place, here, "log") + self.image.read(begin, size - here, "log")

    def header(self, sequence):
        """That of the frame that begins with this block, if a log of this image wrote one there."""
        data = self.read(sequence, HEADER)
        frame = FRAME[0](*FRAME[1].unpack(data))
        intact = frame.checksum == checksum(data[8:]) and frame.magic == b"betrLOG1"
        return frame if intact and (frame.salt, frame.sequence) == (self.salt, sequence) else None

    def frames(self):
        """(frame, its records) of the frames that continue the log from where replay begins."""
        sequence, chain = self.superblock.log_head, self.superblock.log_chain
        while (frame := self.header(sequence)) and frame.chain == chain:
            blocks = -(-(HEADER + frame.record_bytes) // UNIT)
            data = self.read(sequence, blocks * UNIT)[HEADER:] if blocks <= self.superblock.log_units else b""
            if checksum(data) != frame.record_checksum:
                break
            yield frame, data[: frame.record_bytes]
            sequence, chain = sequence + blocks, frame.checksum
        if not self.superblock.log_opening or sequence != self.superblock.log_head:
            self.check_end(sequence)

    def check_end(self, end):
        """The log ends with a torn write, unless a frame behind says that what was there had been durable."""
        for sequence in range(end, end + self.superblock.log_units):
            frame = self.header(sequence)
            lost = frame and frame.durable > end
            require(not lost, f"log, block {end}, at byte {self.place(end)}", f"it was durable, says block {sequence}")

    def batches(self):
        """(LSN, [change]) of those that are not in the checkpoint."""
        done = self.superblock.checkpoint_lsn
        for frame, data in self.frames():
            records = Reader(data, f"log, block {frame.sequence}, at byte {self.place(frame.sequence)}")
            for number in range(frame.record_count):
                size, lsn = records.uint(4), records.uint(8)
                batch = Reader(records.bytes(size), f"batch {lsn}, in {records.what}")
                records.require(lsn == frame.first_lsn + number and lsn <= done + 1, f"LSN {lsn} follows {done}")
                if lsn > done:
                    done = lsn
                    yield lsn, read_batch(batch)
            records.end()


def read_batch(batch):
    batch.require(batch.byte() == 1, "its version is not known")
    changes = batch.repeat(read_change, batch)
    batch.end()
    return changes


def read_change(batch):
    """(what is done, to which tree, with what)."""
    kind, _flags, tree = batch.byte(), batch.flags(0), batch.varint()
    batch.require(1 <= kind <= len(CHANGES), f"there is a change of kind {kind}")
    name, fields = CHANGES[kind - 1]
    return name, tree, [read(batch) for read in fields]


def read_bound(batch):
    side = batch.flags(1)
    return batch.text() + PAST * side


CHANGES = [
    ("put", [Reader.text, Reader.string]),
    ("erase", [Reader.text]),
    ("upsert", [Reader.varint, Reader.text, Reader.string]),
    ("erase_range", [read_bound, read_bound]),
    ("clone_prefix", [Reader.text, Reader.varint, Reader.text]),
    ("rename_prefix", [Reader.text, Reader.varint, Reader.text]),
    ("create_tree", [Reader.text, Reader.varint, Reader.text]),
    ("snapshot", [Reader.text, Reader.varint]),
    ("drop_tree", []),
]


class ReplayedTree:
    """The entries of a tree in memory, where they change."""

    def __init__(self, entries):
        self.values = dict(entries)
        self.keys = list(self.values)

    def between(self, lo, hi):
        return slice(bisect.bisect_left(self.keys, lo), bisect.bisect_left(self.keys, hi))

    def scan(self, lo, hi):
        return [(key, self.values[key]) for key in self.keys[self.between(lo, hi)]]

    def erase_range(self, lo, hi):
        for key, _ in self.scan(lo, hi):
            del self.values[key]
        del self.keys[self.between(lo, hi)]

    def put(self, key, value):
        if key not in self.values:
            bisect.insort(self.keys, key)
        self.values[key] = value

    def erase(self, key):
        self.erase_range(key, key + "\0")

    def upsert(self, function, key, delta):
        value = apply(self.values.get(key), Message(UPSERT, function, delta))
        if value is None:
            self.erase(key)
        else:
            self.put(key, value)


class Replay:
    """Trees by their ids, which change as batches say."""

    def __init__(self, trees, batches):
        self.names = {tree: name for tree, (name, _) in trees.items()}
        self.trees = {tree: ReplayedTree(stored.scan("", PAST)) for tree, (_, stored) in trees.items()}
        for lsn, changes in batches:
            for name, tree, arguments in changes:
                require(tree in self.trees or name == "create_tree", f"batch {lsn}", f"there is no tree {tree}")
                on_tree = getattr(self.trees.get(tree), name, None)
                change = on_tree or functools.partial(getattr(self, name), tree)
                change(*arguments)

    def clone_prefix(self, tree, source, target_tree, target):
        """What was there before, even if source and target overlap."""
        taken = self.trees[tree].scan(source, source + PAST)
        self.put_prefix(taken, source, target_tree, target)

    def rename_prefix(self, tree, source, target_tree, target):
        taken = self.trees[tree].scan(source, source + PAST)
        self.trees[tree].erase_range(source, source + PAST)
        self.put_prefix(taken, source, target_tree, target)

    def put_prefix(self, taken, source, target_tree, target):
        require(target_tree in self.trees, "log", f"there is no tree {target_tree}")
        self.trees[target_tree].erase_range(target, target + PAST)
        for key, value in taken:
            self.trees[target_tree].put(target + key[len(source) :], value)

    def create_tree(self, _none, name, tree, _compression):
        self.trees[tree], self.names[tree] = ReplayedTree([]), name

    def snapshot(self, source, name, tree):
        self.trees[tree], self.names[tree] = ReplayedTree(self.trees[source].scan("", PAST)), name

    def drop_tree(self, tree):
        del self.trees[tree], self.names[tree]
