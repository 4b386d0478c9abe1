# SPDX-License-Identifier: Apache-2.0
"""BETR_IOC_COMPARE and BETR_IOC_DIFFERENCES, for differences.py."""

import fcntl
import os
import struct

SOURCE = 0x8008BE01
COMPARE = 0x4010BE09
DIFFERENCES = 0xBFF0BE0A
RECORDS = 16360
MOST = 32
HEAD = struct.Struct("=II")
SIDE = "IIIIqQQ"
RECORD = struct.Struct("=II" + SIDE + SIDE)
CONTENT, XATTRS = 1, 2


def refused(wanted, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except OSError as error:
        assert error.errno == wanted, (arguments, named, error)
        return
    raise AssertionError(f"{arguments} {named}: went well")


def opened(path):
    return os.open(path, os.O_RDONLY)


def source(descriptor):
    return struct.unpack("Q", fcntl.ioctl(descriptor, SOURCE, bytes(8)))[0]


def begin_with(before, number, flags=0, reserved=0):
    fcntl.ioctl(before, COMPARE, struct.pack("QII", number, flags, reserved))


def begin(before, after):
    """A descriptor on which to ask."""
    first, second = opened(before), opened(after)
    begin_with(first, source(second))
    os.close(second)
    return first


def answer(descriptor):
    """(records, is_last); each record: (path, differs, before, after)."""
    page = bytearray(HEAD.size + RECORDS)
    fcntl.ioctl(descriptor, DIFFERENCES, page)
    size, is_last = HEAD.unpack_from(page)
    assert size <= RECORDS and is_last in (0, 1), (size, is_last)
    records, at = [], HEAD.size
    end = at + size
    while at < end:
        fields = RECORD.unpack_from(page, at)
        record, differs, before, after = fields[0], fields[1], fields[2:9], fields[9:16]
        assert record % 8 == 0 and record > RECORD.size and at + record <= end, (record, at, end)
        path = bytes(page[at + RECORD.size : at + record])
        assert b"\0" in path and path[path.index(b"\0") :].strip(b"\0") == b"", path
        records.append((path[: path.index(b"\0")], differs, before, after))
        at += record
    assert not any(page[end:])
    return records, bool(is_last)


def rest(descriptor):
    records, is_last = [], False
    while not is_last:
        some, is_last = answer(descriptor)
        records += some
    return records


def paths_of(records):
    return [record[0].decode() for record in records]


def compared(before, after):
    descriptor = begin(before, after)
    records = rest(descriptor)
    os.close(descriptor)
    return records
