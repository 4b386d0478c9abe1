#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads an image by what the documents say, and by nothing else: a second program that understands the format, to be
read beside docs/format.md, docs/log.md and docs/filesystem.md. It changes nothing and takes no lock: nobody may have
the image open for writing. Each module of betr_image is a section or two of a document.

usage: read_image.py IMAGE COMMAND

    superblocks         what both slots and the copy say
    trees               trees and snapshots, as the checkpoint has them
    nodes               all nodes, after a look at their blocks and at who names them
    log                 the changes that are in the log and not in the checkpoint
    keys TREE...        all entries of trees and snapshots, in order, as a query sees them
    ls [-lR] [PATH]     a directory of a file system
    stat PATH...        all attributes
    cat PATH...         contents

The last four show what the log makes of the checkpoint. What is damaged is named with its place, and ends the program.
"""

import collections
import datetime
import os
import stat
import sys

from betr_image.catalog import read_catalog, read_table
from betr_image.fields import PAST, Damage, escaped, require
from betr_image.files import FileSystem, visible_number
from betr_image.image import LOG_START, Image
from betr_image.log import Log, Replay
from betr_image.query import Nodes, StoredTree
from betr_image.records import DIRECTORY, MODES, size_of


class Store:
    def __init__(self, path):
        image = Image(path)
        superblock = image.newest_superblock()
        image.claim(0, LOG_START + superblock.log_units, "superblocks and log")
        image.claim(superblock.device_units - 1, 1, "copy of the superblock")
        self.nodes = Nodes(image, read_table(image, superblock))
        self.catalog, self.functions = read_catalog(image, superblock)
        image.check_claims(superblock.device_units)
        self.log = Log(image, superblock)

    def trees(self):
        """{name: tree}, with what is in the log."""
        stored = {tree.id: (tree.name, StoredTree(self.nodes, tree.root)) for tree in self.catalog}
        batches = list(self.log.batches())
        if not batches:
            return dict(stored.values())
        replay = Replay(stored, batches)
        return {name: replay.trees[tree] for tree, name in replay.names.items()}


def shown(value):
    return escaped(value) if isinstance(value, (bytes, str)) else value


def print_superblocks(path):
    for what, found in Image(path).superblocks():
        print(found if isinstance(found, Damage) else what)
        for name, value in [] if isinstance(found, Damage) else found._asdict().items():
            print(f"  {name:22}{value.hex() if name == 'uuid' else shown(value)}")


def print_trees(path):
    store = Store(path)
    for tree in store.catalog:
        print("snapshot" if tree.snapshot else "tree", tree.id, escaped(tree.name), "root node", tree.root)
    for number, name in store.functions.items():
        print("upsert", number, escaped(name))


def print_nodes(path):
    store = Store(path)
    nodes, named = store.nodes, collections.Counter(tree.root for tree in store.catalog)
    for node_id, entry in nodes.table.items():
        node = nodes.node(node_id)
        links = [link for edge in node.edges for link in (edge.link, *edge.gotos) if link.target is not None]
        for link in links:
            nodes.check_target(link)
            named[link.target] += 1
        keys = sum(len(nodes.block(node_id, index)[0]) for index in range(len(node.blocks)))
        print(f"{node.what}, in {len(node.pieces)} pieces: height {entry.height}, ", end="")
        print(f"{entry.references} references, {len(links)} links, {keys} keys")
        if not entry.height and entry.entries:
            at_most = (entry.entries & 2047) << (entry.entries >> 11)
            require(len(list(nodes.show(node_id, node.lo, node.hi))) <= at_most, node.what, "it has too many entries")
    for node_id, entry in nodes.table.items():
        require(named[node_id] == entry.references, f"node {node_id}", f"it is named {named[node_id]} times")


def print_log(path):
    for lsn, changes in Store(path).log.batches():
        for name, tree, arguments in changes:
            print(lsn, name, tree, *map(shown, arguments))


def print_keys(path, *names):
    trees = Store(path).trees()
    for name in names:
        require(name in trees, "the trees", f"there is no {name}")
        for key, value in trees[name].scan("", PAST):
            print(escaped(key), escaped(value))


def line(name, inode):
    modified = datetime.datetime.fromtimestamp(inode.modified[0], datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    mode = stat.filemode(MODES[inode.type] | inode.permissions)
    size = size_of(inode) if inode.device is None else f"{os.major(inode.device)}, {os.minor(inode.device)}"
    arrow = "" if inode.target is None else f" -> {escaped(inode.target)}"
    return f"{mode} {inode.links:3} {inode.uid:5} {inode.gid:5} {size:>12} {modified} {name}{arrow}"


def print_names(path, *arguments):
    options = "".join(one for one in arguments if one.startswith("-"))
    fs = FileSystem(Store(path).trees())
    waiting = [("", fs.find(one)) for one in arguments if not one.startswith("-")] or [("", fs.root)]
    while waiting:
        before, directory = waiting.pop(0)
        below = []
        for name, file in fs.names(directory):
            name = before + escaped(name)
            print(line(name, file.inode) if "l" in options else name)
            if file.inode.type == DIRECTORY and "R" in options:
                below.append((name + "/", file))
        waiting = below + waiting


def print_attributes(path, *paths):
    fs = FileSystem(Store(path).trees())
    for one in paths:
        file = fs.find(one)
        fields = file.inode._replace(number=visible_number(file), size=size_of(file.inode), xattrs=None)._asdict()
        print(one, *(f"{name}={shown(value)}" for name, value in fields.items() if value is not None))
        for name, value in fs.xattrs(file):
            print(f"  {escaped(name)}={escaped(value)}")


def print_contents(path, *paths):
    fs = FileSystem(Store(path).trees())
    for one in paths:
        for piece in fs.content(fs.find(one)):
            sys.stdout.buffer.write(piece)


COMMANDS = {"superblocks": print_superblocks, "trees": print_trees, "nodes": print_nodes, "log": print_log}
COMMANDS |= {"keys": print_keys, "ls": print_names, "stat": print_attributes, "cat": print_contents}


def main(arguments):
    if len(arguments) < 2 or arguments[1] not in COMMANDS:
        sys.exit(__doc__.strip())
    sys.setrecursionlimit(10000)  # a query goes down up to 200 levels
    try:
        COMMANDS[arguments[1]](arguments[0], *arguments[2:])
    except (Damage, OSError) as error:
        sys.exit(f"read_image.py: {arguments[0]}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
