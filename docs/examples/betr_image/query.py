# SPDX-License-Identifier: Apache-2.0
"""What a range of a tree holds (docs/dag.md: links, partitions, reading).

Everything here yields (key, [message, oldest first]) by ascending keys, as they read in the space of a node."""

import bisect
import functools
import heapq
import itertools
import os

from .fields import PAST, require
from .nodes import PUT, UPSERT, read_block, read_node


class Nodes:
    """The nodes of an image, and what they show."""

    def __init__(self, image, table):
        self.image, self.table = image, table
        self.extents = {node_id: self.extent(node_id, entry) for node_id, entry in table.items()}
        self.node = functools.lru_cache(1024)(self.load)
        self.block = functools.lru_cache(256)(lambda node_id, index: read_block(image, self.node(node_id), index))

    def extent(self, node_id, entry):
        what = f"node {node_id}, at unit {entry.unit}"
        return self.image.extent(entry.unit, entry.units, node_id, entry.version, what)

    def load(self, node_id):
        require(node_id in self.table, f"node {node_id}", "it is named, but not in the node table")
        return read_node(self.image, node_id, self.table[node_id], self.extents[node_id])

    def check_target(self, link):
        node = self.node(link.target)
        require(self.table[link.target].height == link.height, node.what, "it is named as one of another height")

    def show(self, node_id, lo, hi):
        node = self.node(node_id)
        require(node.lo <= lo < hi <= node.hi, node.what, "more of it is named than there is")
        for view in node.basements:
            yield from self.show_view(node_id, view, lo, hi)
        for edge in node.edges:
            yield from self.show_edge(node_id, edge, max(lo, edge.link.lo), min(hi, edge.link.hi))

    def show_edge(self, node_id, edge, lo, hi):
        """In its range a goto supersedes the edge and the oldest runs. Between gotos are the edge and all runs."""
        for goto in edge.gotos:
            yield from self.show_link(node_id, edge.link, edge.runs, lo, min(hi, goto.lo))
            yield from self.show_link(node_id, goto, edge.runs[goto.over :], max(lo, goto.lo), min(hi, goto.hi))
            lo = max(lo, goto.hi)
        yield from self.show_link(node_id, edge.link, edge.runs, lo, hi)

    def show_link(self, node_id, link, runs, lo, hi):
        if lo < hi:
            streams = [self.show_below(link, lo, hi), *(self.show_view(node_id, run, lo, hi) for run in runs)]
            yield from merge(streams)

    def show_below(self, link, lo, hi):
        """What the bounds of a link have in common, keys begin with; at its target with the translation instead."""
        if link.target is None:
            return
        self.check_target(link)
        here, there = os.path.commonprefix((link.lo, link.hi)), link.translation
        for key, messages in self.show(link.target, there + lo[len(here) :], there + hi[len(here) :]):
            yield here + key[len(there) :], messages

    def show_view(self, node_id, view, lo, hi):
        """Of the keys of a block those that begin with `strip`; shown, and in bounds, they have `prepend` instead."""
        lo, hi = max(lo, view.lo, view.prepend), min(hi, view.hi, view.prepend + PAST)
        if lo < hi:
            keys, messages = self.block(node_id, view.block)
            here, there = view.prepend, view.strip
            begin, end = (bisect.bisect_left(keys, there + bound[len(here) :]) for bound in (lo, hi))
            for at in range(begin, end):
                yield here + keys[at][len(there) :], messages[at]


def merge(streams):
    """One stream of several, the oldest of which is the first."""
    numbered = [numbered_stream(number, stream) for number, stream in enumerate(streams)]
    for key, group in itertools.groupby(heapq.merge(*numbered), lambda one: one[0]):
        yield key, [message for _, _, messages in group for message in messages]


def numbered_stream(number, stream):
    return ((key, number, messages) for key, messages in stream)


UPSERTS = {}  # number: function of the value, or None, and the delta


def apply(value, message):
    if message.kind == UPSERT:
        require(message.function in UPSERTS, f"upsert function {message.function}", "it is not known")
        return UPSERTS[message.function](value, message.value)
    return message.value if message.kind == PUT else None


class StoredTree:
    """The entries of a tree as the checkpoint has them."""

    def __init__(self, nodes, root):
        self.nodes, self.root = nodes, root

    def scan(self, lo, hi):
        for key, messages in self.nodes.show(self.root, lo, hi):
            value = functools.reduce(apply, messages, None)
            if value is not None:
                yield key, value
