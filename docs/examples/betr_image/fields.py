# SPDX-License-Identifier: Apache-2.0
"""What structures consist of (docs/format.md, what sealed structures have in common)."""

import collections
import ctypes
import ctypes.util
import functools
import re
import struct

UNIT = 4096
NONE, LZ4, ZSTD = range(3)


class Damage(Exception):
    """Says which structure is not what it should be, and where it lies."""


def require(condition, what, wrong):
    if not condition:
        raise Damage(f"{what}: {wrong}")


@functools.cache
def library(name):
    return ctypes.CDLL(ctypes.util.find_library(name) or f"lib{name}.so")


def checksum(data):
    function = library("xxhash").XXH3_64bits
    function.argtypes, function.restype = (ctypes.c_char_p, ctypes.c_size_t), ctypes.c_uint64
    return function(data, len(data))


def decompress(compression, stored, size):
    """None if that does not give `size` bytes."""
    raw = ctypes.create_string_buffer(size)
    if compression == LZ4:
        done = library("lz4").LZ4_decompress_safe(stored, raw, len(stored), size)
    else:
        function = library("zstd").ZSTD_decompress
        function.argtypes, function.restype = (ctypes.c_char_p, ctypes.c_size_t) * 2, ctypes.c_size_t
        done = function(raw, size, stored, len(stored))
    return raw.raw if done == size else None


# A key is a string here, a character for each byte. So is a bound, and if its side is 1 it ends with PAST, which comes
# after every byte. Then `lo <= key < hi` says whether a key lies between two bounds.
PAST = "\u0100"


def text(data):
    return data.decode("latin-1")


def escaped(data):
    """Bytes, keys and bounds as ASCII."""
    data = data if isinstance(data, str) else text(data)
    return re.sub(r"[^ -\[\]-~]", lambda match: f"\\x{ord(match.group()):02x}", data)


class Reader:
    """Takes fields off some bytes."""

    def __init__(self, data, what):
        self.data, self.at, self.what = data, 0, what

    def require(self, condition, wrong):
        require(condition, f"{self.what}, before byte {self.at} of {len(self.data)}", wrong)

    def bytes(self, size):
        self.at += size
        self.require(self.at <= len(self.data), "it is too short")
        return self.data[self.at - size : self.at]

    def byte(self):
        return self.bytes(1)[0]

    def uint(self, size):
        return int.from_bytes(self.bytes(size), "little")

    def varint(self):
        value, shift, byte = 0, 0, 128
        while byte >= 128:
            self.require(shift < 70, "a varint does not end")
            byte = self.byte()
            value, shift = value | (byte & 127) << shift, shift + 7
        self.require(value < 2**64 and (byte or shift == 7), "a varint is too large, or longer than it need be")
        return value

    def string(self):
        return self.bytes(self.varint())

    def text(self):
        return text(self.string())

    def bound(self):
        size, side = divmod(self.varint(), 2)
        return text(self.bytes(size)) + PAST * side

    def flags(self, known):
        flags = self.byte()
        self.require(not flags & ~known, f"it has flags {flags:#x}")
        return flags

    def repeat(self, read, *arguments):
        """A number, and so many of what `read` returns."""
        return [read(*arguments) for _ in range(self.varint())]

    def end(self):
        self.require(self.at == len(self.data), "it does not end there")


def layout(name, fields, codes):
    return collections.namedtuple(name, fields), struct.Struct("<" + codes)


def unpack(kind, data, what):
    """The fields of a structure. Bytes of none, which are x in its layout, are zero."""
    record, codes = kind
    values = codes.unpack_from(data)
    require(codes.pack(*values) == data[: codes.size], what, "a byte that has no meaning is not zero")
    return record(*values)


def unseal(kind, magic, versions, data, what):
    """The fixed fields of a page, a header section, a catalog or the map of an extent."""
    require(data[: len(magic)] == magic, what, "its magic is another one")
    require(struct.unpack_from("<Q", data, 8)[0] == checksum(data[16:]), what, "its checksum is wrong")
    header = unpack(kind, data, what)
    require(header.version in versions, what, "its version is not known")
    return header


def sealed_body(header, data, what):
    """A reader of what follows the fixed fields. Zeros follow it."""
    end = 64 + header.body_size
    require(end <= len(data) and not any(data[end:]), what, "its body does not end where it should")
    return Reader(data[64:end], what)
