# SPDX-License-Identifier: Apache-2.0
"""usage: direct.py DIRECTORY SECONDS

A file is written by asynchronous direct writes while another thread reads it through the kernel's cache. When a write
is complete, everybody reads what it wrote. Exits with 77 where such writes cannot be made.
"""

import ctypes
import errno
import mmap
import os
import platform
import struct
import sys
import threading
import time

CALLS = {"x86_64": (206, 208, 209), "aarch64": (0, 4, 2)}  # io_setup, io_getevents, io_submit
SIZE = 1 << 20
PWRITE = 1

directory, seconds = sys.argv[1], float(sys.argv[2])
if platform.machine() not in CALLS or not hasattr(os, "O_DIRECT"):
    sys.exit(77)
SETUP, GET_EVENTS, SUBMIT = CALLS[platform.machine()]
libc = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "asynchronous I/O")
    return result


class Writer:
    """Of one buffer that covers the file."""

    def __init__(self, path):
        self._file = os.open(path, os.O_CREAT | os.O_RDWR | os.O_DIRECT, 0o644)
        self._bytes = mmap.mmap(-1, SIZE)
        self._context = ctypes.c_ulong(0)
        call(SETUP, ctypes.c_uint(1), ctypes.byref(self._context))

    def write(self, byte):
        self._bytes[:] = bytes([byte]) * SIZE
        address = ctypes.addressof(ctypes.c_char.from_buffer(self._bytes))
        # struct iocb: data, key, flags, opcode, priority, descriptor, buffer, size, offset, 3 words more
        request = ctypes.create_string_buffer(
            struct.pack("<QIiHhIQQqQII", 0, 0, 0, PWRITE, 0, self._file, address, SIZE, 0, 0, 0, 0))
        requests = (ctypes.c_void_p * 1)(ctypes.addressof(request))
        event = ctypes.create_string_buffer(32)
        call(SUBMIT, self._context, ctypes.c_long(1), requests)
        call(GET_EVENTS, self._context, ctypes.c_long(1), ctypes.c_long(1), event, None)
        written = struct.unpack_from("<q", event, 16)[0]
        assert written == SIZE, f"{written} bytes were written"


def read_all(file):
    return os.pread(file, SIZE, 0)


def main():
    path = f"{directory}/direct"
    try:
        writer = Writer(path)
        writer.write(0)
    except OSError as error:
        sys.exit(77 if error.errno in (errno.ENOSYS, errno.EINVAL) else str(error))
    over = threading.Event()

    def reads():
        file = os.open(path, os.O_RDONLY)
        while not over.is_set():
            read_all(file)

    reader = threading.Thread(target=reads)
    reader.start()
    file = os.open(path, os.O_RDONLY)
    rounds = 0
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            rounds += 1
            byte = rounds % 256
            writer.write(byte)
            old = SIZE - read_all(file).count(bytes([byte]))
            assert old == 0, f"round {rounds}: {old} bytes are as before the write"
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        over.set()
        reader.join()


main()
