# SPDX-License-Identifier: Apache-2.0
"""usage: emptied.py DIRECTORY SECONDS

One thread writes to a file and changes its mode while another empties it by opening it. When both are done, the kernel
knows the size that the file has, and a file to which whole lines are appended has no holes.
"""

import ctypes
import os
import struct
import sys
import threading
import time

directory, seconds = sys.argv[1], float(sys.argv[2])
LINE = b"a line of a log\n"

libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100
AT_STATX_FORCE_SYNC = 0x2000
STATX_SIZE = 0x200
SIZE_AT = 40  # of stx_size in struct statx


def size_on_server(path):
    answer = ctypes.create_string_buffer(256)
    if libc.statx(AT_FDCWD, path.encode(), AT_STATX_FORCE_SYNC, STATX_SIZE, answer) != 0:
        raise OSError(ctypes.get_errno(), "statx", path)
    return struct.unpack_from("<Q", answer, SIZE_AT)[0]


def empty(path):
    os.close(os.open(path, os.O_WRONLY | os.O_TRUNC))


def beside_emptying(path, action):
    """Does the action and the emptying at once, again and again, and calls what yields after each."""
    barrier = threading.Barrier(2)
    over = threading.Event()

    def empties():
        while True:
            barrier.wait()
            if over.is_set():
                return
            empty(path)
            barrier.wait()

    thread = threading.Thread(target=empties)
    thread.start()
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            barrier.wait()
            action()
            barrier.wait()
            yield
    finally:
        over.set()
        barrier.wait()
        thread.join()


def check_sizes():
    path = f"{directory}/file"
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
    rounds = 0

    def change():
        os.pwrite(descriptor, LINE, 0)
        os.fchmod(descriptor, 0o600 + rounds % 2 * 0o44)

    for _ in beside_emptying(path, change):
        rounds += 1
        known = os.stat(path).st_size
        read = len(os.pread(descriptor, 100, 0))
        there = size_on_server(path)
        assert known == read == there, f"round {rounds}: stat says {known}, {read} bytes can be read of {there}"
    os.close(descriptor)
    assert rounds > 0


def check_lines():
    path = f"{directory}/log"
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o644)
    rounds = 0

    def append():
        for _ in range(20):
            os.write(descriptor, LINE)

    for _ in beside_emptying(path, append):
        rounds += 1
        with open(path, "rb") as log:
            content = log.read()
        assert content == LINE * (len(content) // len(LINE)), f"round {rounds}: {content!r}"
    os.close(descriptor)
    assert rounds > 0


check_sizes()
check_lines()
