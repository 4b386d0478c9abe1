# SPDX-License-Identifier: Apache-2.0
"""Changes a new store and dictionaries in the same way, at random, and ends without a close.

usage: store_changes.py IMAGE SEED NODE-SIZE BASEMENT-SIZE FANOUT COMPRESSION STEPS LOGGED

The last LOGGED steps come after a checkpoint. IMAGE.trees has the names of the trees then, IMAGE.keys their entries.
"""

import ctypes
import os
import random
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint64, c_void_p

import betr
from format_options import format_options

NO_THREADS = 8
BYTES = (c_char_p, c_size_t)


class Bound(ctypes.Structure):
    _fields_ = [("data", c_char_p), ("size", c_size_t), ("side", c_int)]


class Range(ctypes.Structure):
    _fields_ = [("lo", Bound), ("hi", Bound)]


declare = betr._declare
clone_prefix = declare("clone_prefix", c_void_p, c_uint64, *BYTES, c_uint64, *BYTES)
rename_prefix = declare("rename_prefix", c_void_p, c_uint64, *BYTES, c_uint64, *BYTES)
erase_range = declare("erase_range", c_void_p, c_uint64, POINTER(Range))
snapshot = declare("snapshot", c_void_p, c_uint64, *BYTES, POINTER(c_uint64))
drop_tree = declare("drop_tree", c_void_p, c_uint64)
sync, checkpoint = declare("sync", c_void_p), declare("checkpoint", c_void_p)


def prefix():
    parts = [b"a", b"b", b"\xff", b"\0", b"dir/", b"longer name/"]
    return b"".join(random.choice(parts) for _ in range(random.randrange(1, 4)))


def key():
    return prefix() + b"%02d" % random.randrange(60)


def place(bound):
    """Something that sorts as a bound does, among keys that are not as long."""
    side, data = bound
    return data + b"\xff" * 200 * side


def escaped(data):
    return "".join(chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02x}" for byte in data)


class Trees:
    def __init__(self, store):
        self.store, self.made, self.ids, self.entries, self.writable = store, 0, {}, {}, []

    def add(self, make, name, entries):
        self.made += 1
        identity = c_uint64()
        make(name, len(name), byref(identity))
        self.ids[name], self.entries[name] = identity, dict(entries)

    def create(self, name):
        self.add(lambda name, size, made: betr._create_tree(self.store, name, size, None, made), name, {})
        self.writable.append(name)

    def put(self, name):
        at, value = key(), random.randbytes(random.randrange(60)) + bytes(random.choice([0, 10, 300]))
        betr._put(self.store, self.ids[name], at, len(at), value, len(value))
        self.entries[name][at] = value

    def erase(self, name):
        at = random.choice([*self.entries[name], b"none"])
        betr._erase(self.store, self.ids[name], at, len(at))
        self.entries[name].pop(at, None)

    def erase_some(self, name):
        bounds = sorted(((random.randrange(2), random.choice([key, prefix])()) for _ in range(2)), key=place)
        lo, hi = map(place, bounds)
        if lo < hi and random.random() < 0.3:
            erase_range(self.store, self.ids[name], Range(*(Bound(data, len(data), side) for side, data in bounds)))
            self.entries[name] = {at: value for at, value in self.entries[name].items() if not lo <= at < hi}

    def clone(self, name, change=clone_prefix):
        target, source, to = random.choice(self.writable), prefix(), prefix()
        if name == target and (source == to or to.startswith(source) and change is rename_prefix):
            return
        change(self.store, self.ids[name], source, len(source), self.ids[target], to, len(to))
        taken = {to + at[len(source) :]: value for at, value in self.entries[name].items() if at.startswith(source)}
        if change is rename_prefix:
            self.leave_out(name, source)
        self.leave_out(target, to)
        self.entries[target] |= taken

    def leave_out(self, name, gone):
        self.entries[name] = {at: value for at, value in self.entries[name].items() if not at.startswith(gone)}

    def rename(self, name):
        self.clone(name, rename_prefix)

    def snapshot(self, name):
        tree = self.ids[name]
        make = lambda name, size, made: snapshot(self.store, tree, name, size, made)
        self.add(make, b"snapshot %d" % self.made, self.entries[name])

    def drop(self, _name):
        name = random.choice(list(self.ids))
        if len(self.ids) > 4 and name != b"first":
            drop_tree(self.store, self.ids.pop(name))
            del self.entries[name]
            self.writable = [other for other in self.writable if other != name]

    def create_another(self, _name):
        if len(self.writable) < 4:
            self.create(b"tree %d" % self.made)


def write_down(image, trees):
    names = sorted(trees.entries)
    with open(image + ".trees", "w", encoding="ascii") as file:
        file.writelines(name.decode() + "\n" for name in names)
    with open(image + ".keys", "w", encoding="ascii") as file:
        for name in names:
            for at, value in sorted(trees.entries[name].items()):
                print(escaped(at), escaped(value), file=file)


def main(image, seed, node_size, basement_size, fanout, compression, steps, logged):
    random.seed(int(seed))
    betr._create_image(os.fsencode(image), 64 << 20, format_options(node_size, basement_size, fanout, compression))
    opening = betr.OpenOptions(struct_size=ctypes.sizeof(betr.OpenOptions), flags=NO_THREADS)
    handle = betr.Handle("store", betr._open_image, os.fsencode(image), byref(opening))
    trees = Trees(handle.pointer)
    trees.create(b"first")
    kinds = [trees.put] * 60 + [trees.erase] * 10 + [trees.erase_some] * 3 + [trees.clone] * 4 + [trees.rename] * 3
    kinds += [trees.snapshot, trees.drop, trees.create_another]
    for step in range(int(steps)):
        if step == int(steps) - int(logged):
            checkpoint(handle.pointer)
        random.choice(kinds)(random.choice(trees.writable))
    sync(handle.pointer)
    write_down(image, trees)
    os._exit(0)


main(*sys.argv[1:])
