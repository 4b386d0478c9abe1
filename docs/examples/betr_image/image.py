# SPDX-License-Identifier: Apache-2.0
"""Superblocks, and extents with their maps (docs/format.md, the sections of these names)."""

import itertools
import os
import struct

from .fields import UNIT, Damage, checksum, layout, require, unpack, unseal

SUPERBLOCK = layout(
    "Superblock",
    "magic uuid label major minor compatible read_only_compatible incompatible generation device_units log_start "
    "log_units node_size basement_size fanout compression compression_level checkpoint_lsn log_head next_node_id "
    "next_tree_id next_version made_at table_unit table_units table_level table_checksum table_nodes catalog_unit "
    "catalog_units catalog_checksum made_by log_chain log_opening second_catalog_unit second_catalog_units "
    "session_version reserve first_version checksum",
    "8s16s64sHH4x3QQQQQ QQIBB2xQQ QQQqQIB3xQQQ I4xQ64sQQQI4x QI4xQ104xQ",
)
EXTENT_MAP = layout("ExtentMap", "magic checksum version pieces owner owner_version next", "8sQH2xIQQQ16x")
MAGIC = b"BETRFS01"
LOG_START = 16
SCATTERED = 1 << 31
COUNTED = 1  # incompatible features
TUNED = 1  # read-only-compatible ones


def parse_superblock(data, what):
    require(data[:8] == MAGIC, what, "its magic is missing")
    require(struct.unpack_from("<Q", data, 504)[0] == checksum(data[:504]), what, "its checksum is wrong")
    major, read_only_features, features = struct.unpack_from("<H14xQQ", data, 88)
    require(major == 1 and not features & ~COUNTED, what, "it needs a newer program")
    if read_only_features & ~TUNED:  # which may use bytes that have no meaning otherwise
        data = data[:400] + bytes(104) + data[504:512] + bytes(UNIT - 512)
    found = unpack(SUPERBLOCK, data, what)
    require(not any(data[512:]), what, "a byte that has no meaning is not zero")
    in_order = LOG_START == found.log_start <= found.log_units < found.device_units - LOG_START <= 2**48
    require(in_order, what, "its sizes make no sense")
    return found


def origin(superblock):
    """What superblocks of one image have in common, whatever label and uuid it was given since."""
    return superblock.first_version or checksum(superblock.uuid) // 8 | 1, superblock.made_at


class Image:
    def __init__(self, path):
        self.file = open(path, "rb", buffering=0)
        self.claims = {}

    def read(self, at, size, what):
        data = os.pread(self.file.fileno(), size, at)
        require(len(data) == size, what, f"the image ends before byte {at + size}")
        return data

    def superblocks(self):
        """[(what it is, superblock or damage)]: both slots, and the copy if a slot says where it is."""
        found = [self.try_superblock(f"superblock, slot {slot}", slot) for slot in (0, 1)]
        intact = [one for _, one in found if not isinstance(one, Damage)]
        if intact:
            end = max(intact, key=lambda one: one.generation).device_units
            found.append(self.try_superblock("copy of the superblock", end - 1))
        return found

    def try_superblock(self, what, unit):
        try:
            what = f"{what}, at unit {unit}"
            return what, parse_superblock(self.read(unit * UNIT, UNIT, what), what)
        except Damage as damage:
            return what, damage

    def newest_superblock(self):
        """That of the state to read. An image of which nobody knows that is not read."""
        (what, first), (_, second), *copies = self.superblocks()
        is_first_ever = not isinstance(second, Damage) and second.generation == 1
        if is_first_ever and self.read(0, 8, what) != MAGIC:
            newest = second
        else:
            newest = newer_slot(first, second, what)
        for what, copy in copies:
            if not isinstance(copy, Damage) and origin(copy) == origin(newest):
                require(copy.generation <= newest.generation, what, "it is newer than both slots")
        return newest

    def claim(self, unit, units, what):
        require(unit not in self.claims, what, "something else begins there, too")
        self.claims[unit] = (units, what)

    def check_claims(self, end):
        """Extents do not overlap. The last claim is that of the superblock's copy, in the last unit."""
        before = 0
        for unit, (units, what) in sorted(self.claims.items()):
            require(before <= unit < unit + units <= end, what, "it overlaps what is before it, or the end")
            before = unit + units

    def extent(self, unit, units, owner, owner_version, what):
        """[(byte in the extent, byte in the image, size)] of the pieces of an extent."""
        pieces = [(unit, units)]
        if units & SCATTERED:
            pieces = list(self.map_pieces(unit, owner, owner_version, f"map of {what}"))
        begins = list(itertools.accumulate((count for _, count in pieces), initial=0))
        require(0 < begins[-1] == units & ~SCATTERED <= 2**18, what, "its extent has another size")
        for first, count in pieces:
            self.claim(first, count, what)
        return [(begin * UNIT, first * UNIT, count * UNIT) for begin, (first, count) in zip(begins, pieces)]

    def map_pieces(self, unit, owner, owner_version, what):
        while unit:
            self.claim(unit, 1, what)
            data = self.read(unit * UNIT, UNIT, what)
            page = unseal(EXTENT_MAP, b"betrSCAT", (1,), data, f"{what}, at unit {unit}")
            require((page.owner, page.owner_version) == (owner, owner_version), what, "it is that of another extent")
            end = 64 + 12 * page.pieces
            require(1 <= page.pieces <= 336 and not any(data[end:]), what, "it has no such pieces")
            yield from struct.iter_unpack("<QI", data[64:end])
            unit = page.next

    def read_extent(self, pieces, at, size, what):
        parts = [(max(begin, at), min(begin + length, at + size), place - begin) for begin, place, length in pieces]
        data = b"".join(self.read(shift + lo, hi - lo, what) for lo, hi, shift in parts if lo < hi)
        require(len(data) == size, what, "it goes on behind its extent")
        return data


def newer_slot(first, second, what):
    for slot in (first, second):
        if isinstance(slot, Damage):
            raise slot
    neighbours = first.generation % 2 == 0 and abs(first.generation - second.generation) == 1
    require(neighbours and origin(first) == origin(second), what, "the other slot holds none that belongs to it")
    return max(first, second, key=lambda one: one.generation)
