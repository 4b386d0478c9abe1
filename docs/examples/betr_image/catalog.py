# SPDX-License-Identifier: Apache-2.0
"""The node table and the catalog (docs/format.md, the sections of these names)."""

import collections

from .fields import UNIT, Damage, layout, require, sealed_body, unpack, unseal
from .image import origin

PAGE = layout("Page", "magic checksum version level entries first_id generation", "8sQHBB4xQQ24x")
NODE_ENTRY = layout("NodeEntry", "index height entries references unit units header_units version", "BBHIQIIQ")
PAGE_ENTRY = layout("PageEntry", "index unit checksum", "B7xQQ8x")
CATALOG = layout("Catalog", "magic checksum version units body_size generation", "8sQH6xIIQ24x")
MAX_HEIGHT = 200
Tree = collections.namedtuple("Tree", "id name root snapshot")


def read_table(image, superblock):
    """{id: entry} of all nodes."""
    table = {}
    if superblock.table_unit:
        table = dict(read_page(image, superblock.table_unit, superblock.table_checksum, superblock.table_level, 0))
    require(len(table) == superblock.table_nodes and 0 not in table, "node table", "it has other nodes than it should")
    require(max(table, default=0) < superblock.next_node_id, "node table", "it has a node that was never made")
    versions = range(origin(superblock)[0], superblock.next_version)
    for node_id, entry in table.items():
        require(entry.version in versions and entry.height <= MAX_HEIGHT, f"node {node_id}", "its entry makes no sense")
    return table


def read_page(image, unit, wanted, level, first_id):
    what = f"page of the node table, at unit {unit}"
    image.claim(unit, 1, what)
    data = image.read(unit * UNIT, UNIT, what)
    page = unseal(PAGE, b"betrPAGE", (1,), data, what)
    said = (page.checksum, page.level, page.first_id)
    require(said == (wanted, level, first_id), what, "it is not what was referred to")
    end, before = 64 + 32 * page.entries, -1
    require(1 <= page.entries <= 64 and not any(data[end:]), what, "it has no such entries")
    for at in range(64, end, 32):
        entry = unpack(PAGE_ENTRY if level else NODE_ENTRY, data[at : at + 32], what)
        require(before < entry.index < 64, what, "its entries are not in order")
        before, first = entry.index, first_id + entry.index * 64**level
        yield from read_page(image, entry.unit, entry.checksum, level - 1, first) if level else [(first, entry)]


def read_catalog(image, superblock):
    """([tree], {number of an upsert function: its name}), of a copy that is intact."""
    if not superblock.catalog_unit:
        return [], {}
    copies = [try_copy(image, superblock, superblock.catalog_unit, superblock.catalog_units)]
    copies.append(try_copy(image, superblock, superblock.second_catalog_unit, superblock.second_catalog_units))
    intact = [copy for copy in copies if not isinstance(copy, Damage)]
    if not intact:
        raise copies[0]
    return intact[0]


def try_copy(image, superblock, unit, units):
    try:
        return read_copy(image, superblock.catalog_checksum, unit, units, f"catalog, at unit {unit}")
    except Damage as damage:
        return damage


def read_copy(image, wanted, unit, units, what):
    pieces = image.extent(unit, units, 0, wanted, what)
    data = image.read_extent(pieces, 0, sum(size for _, _, size in pieces), what)
    header = unseal(CATALOG, b"betrCATA", (1,), data, what)
    require((header.checksum, header.units * UNIT) == (wanted, len(data)), what, "it is not what was referred to")
    body = sealed_body(header, data, what)
    trees = body.repeat(read_tree, body)
    functions = dict(body.repeat(lambda: (body.varint(), body.text())))
    body.end()
    return trees, functions


def read_tree(body):
    tree, name, root, _codec = body.varint(), body.text(), body.varint(), body.bytes(2)
    return Tree(tree, name, root, body.flags(1))
