# SPDX-License-Identifier: Apache-2.0
"""Nodes and blocks (docs/format.md, the sections of these names)."""

import collections
import itertools
import struct

from .fields import UNIT, ZSTD, Reader, checksum, decompress, escaped, layout, require, sealed_body, text, unseal
from .image import SCATTERED

NODE = layout(
    "NodeHeader",
    "magic checksum version height compression level id write_version header_units units body_size entries",
    "8sQHBBB3xQQIIIH10x",
)
BlockPlace = collections.namedtuple("BlockPlace", "begin stored_size raw_size compression checksum entries erases")
View = collections.namedtuple("View", "lo hi block strip prepend")
# An edge without what it buffers, or a goto, which goes over so many runs. Without a target there is nothing behind it.
Link = collections.namedtuple("Link", "lo hi target height translation over")
Edge = collections.namedtuple("Edge", "link runs gotos")
Node = collections.namedtuple("Node", "what lo hi pieces blocks edges basements")


def read_node(image, node_id, entry, pieces):
    what = f"node {node_id}, at unit {entry.unit}"
    data = image.read_extent(pieces, 0, entry.header_units * UNIT, what)
    header = unseal(NODE, b"betrNODE", (1, 2), data, what)
    said = (header.id, header.height, header.entries, header.units, header.header_units, header.write_version)
    wanted = (node_id, entry.height, entry.entries, entry.units & ~SCATTERED, entry.header_units, entry.version)
    require(said == wanted, what, "it is not what the node table refers to")
    body = sealed_body(header, data, what)
    lo, hi = body.bound(), body.bound()
    blocks = read_block_table(body, header)
    edges = read_edges(body, header.height, lo, hi) if header.height else []
    basements = read_views(body, lo, hi, in_order=True) if not header.height else []
    body.end()
    check_views(what, blocks, basements + [run for edge in edges for run in edge.runs])
    return Node(what, lo, hi, pieces, blocks, edges, basements)


def read_block_table(body, header):
    blocks, begin = [], header.header_units * UNIT
    for _ in range(body.varint()):
        stored, raw, compression, wanted = body.varint(), body.varint(), body.byte(), body.uint(8)
        entries = body.varint()
        counted = body.varint() if header.height and header.version == 2 else 0
        body.require(raw <= 2**28 and entries * 4 <= raw, "a block is too large")
        body.require(compression <= ZSTD and (stored < raw if compression else stored == raw), "a block has grown")
        blocks.append(BlockPlace(begin, stored, raw, compression, wanted, entries, counted - 1 if counted else None))
        begin += stored
    body.require(-(-begin // UNIT) == header.units, "the blocks do not end in the last unit")
    return blocks


def read_edges(body, height, lo, hi):
    count = body.varint()
    bounds = [lo, *(body.bound() for _ in range(count - 1)), hi]
    body.require(count and all(a < b for a, b in itertools.pairwise(bounds)), "the edges are not in order")
    return [read_edge(body, height, *between) for between in itertools.pairwise(bounds)]


def read_edge(body, height, lo, hi):
    flags = body.flags(15)
    target = body.varint() if flags & 1 else None
    translation = body.text() if flags & 2 else ""
    runs = read_views(body, lo, hi, in_order=False) if flags & 4 else []
    gotos = read_gotos(body, height, lo, hi) if flags & 8 else []
    body.require(all(goto.over <= len(runs) for goto in gotos), "a goto goes over runs that are not there")
    return Edge(Link(lo, hi, target, height - 1, translation, 0), runs, gotos)


def read_gotos(body, height, begin, end):
    gotos = []
    for _ in range(body.varint()):
        flags = body.flags(15)
        lo = body.bound() if flags & 4 else begin
        hi = body.bound() if flags & 8 else end
        target, below = (body.varint(), body.byte()) if flags & 1 else (None, 0)
        translation = body.text() if flags & 2 else ""
        body.require(begin <= lo < hi <= end, "the gotos are not in order")
        body.require(target is None or below <= height - 2, "a goto does not go down")
        gotos.append(Link(lo, hi, target, below, translation, body.varint()))
        begin = hi
    return gotos


def read_views(body, begin, end, in_order):
    """Runs, or basements, each of which lies behind the one before."""
    views = []
    for _ in range(body.varint()):
        flags, block = body.flags(7), body.varint()
        lo = body.bound() if flags & 1 else begin
        hi = body.bound() if flags & 2 else end
        strip, prepend = (body.text(), body.text()) if flags & 4 else ("", "")
        body.require(begin <= lo < hi <= end, "the views are not in order")
        views.append(View(lo, hi, block, strip, prepend))
        begin = hi if in_order else begin
    return views


def check_views(what, blocks, views):
    """Each view names a block that one before it named, or the next one; every block has one."""
    known = 0
    for view in views:
        require(view.block <= known, what, f"a view shows block {view.block} too early")
        known = max(known, view.block + 1)
    require(known == len(blocks), what, "its views show other blocks than it has")


PUT, ERASE, UPSERT = 1, 2, 3
Message = collections.namedtuple("Message", "kind function value")


def read_block(image, node, index):
    """([key], [[message, oldest first]]), each key once."""
    block, what = node.blocks[index], f"block {index} of {node.what}"
    raw = read_raw(image, node, block, what)
    begins = len(raw) - 4 - 4 * block.entries
    counted = begins >= 0 and raw[-4:] == struct.pack("<I", block.entries)
    require(counted, what, "it has not so many entries as its node says")
    reader = Reader(raw[:begins], what)
    entries = [read_entry(reader, begin) for (begin,) in struct.iter_unpack("<I", raw[begins:-4])]
    reader.end()
    for (before, _), (key, message) in itertools.pairwise(entries):
        in_order = before < key or before == key and message.kind == UPSERT
        require(in_order, what, f"key {escaped(key)} is not in order")
    erases = sum(message.kind == ERASE for _, message in entries)
    require(block.erases in (None, erases), what, "it has not so many erases as its node says")
    groups = [(key, [message for _, message in group]) for key, group in itertools.groupby(entries, lambda one: one[0])]
    return [key for key, _ in groups], [messages for _, messages in groups]


def read_raw(image, node, block, what):
    stored = image.read_extent(node.pieces, block.begin, block.stored_size, what)
    require(checksum(stored) == block.checksum, what, "its checksum is wrong")
    raw = decompress(block.compression, stored, block.raw_size) if block.compression else stored
    require(raw is not None, what, "it cannot be decompressed")
    return raw


def read_entry(reader, begin):
    reader.require(reader.at == begin, f"no entry begins at byte {begin}")
    key_size, value_size, kind = reader.varint(), reader.varint(), reader.byte()
    reader.require(kind in (PUT, ERASE, UPSERT), f"there is a message of kind {kind}")
    function = reader.uint(2) if kind == UPSERT else 0
    return text(reader.bytes(key_size)), Message(kind, function, reader.bytes(value_size))
