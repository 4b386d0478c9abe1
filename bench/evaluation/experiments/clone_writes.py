# SPDX-License-Identifier: Apache-2.0
"""Space and locality: many writes of 16 bytes to the clone of a file, then both files are read."""

import random
import sys

from evaluation import library

NAME = "clone-writes"
TITLE = "Small writes to the clone of a file: space and locality"
ANEW = ("betr-library",)
SIZES = {"mebibytes": (256, 256, 4), "writes": (1024, 8192, 16)}


def disk_mib(sizes):
    return 2 * sizes.mebibytes + sizes.writes * 128 / 1024  # XFS sets that much aside for each place


def run(bench):
    original, clone = bench.path("original"), bench.path("clone")
    bench.load("write", original, bench.mebibytes)
    bench.cold()
    empty = bench.system.used_bytes()
    with bench.seconds("clone + sync"):
        bench.system.clone(original, clone)
        bench.system.sync()
    bench.cold()
    cloned = bench.system.used_bytes()
    bench.record("space of the clone", (cloned - empty) / 1024, "KiB")
    with bench.seconds("16-byte writes + fsync, cold"):
        bench.load("poke", clone, bench.writes, 1)
    bench.cold()
    if bench.system.clones_share:  # else the room was taken before
        growth = (bench.system.used_bytes() - cloned) / 1024
        bench.record("space growth", growth, "KiB")
        bench.record("space growth per byte written", growth * 1024 / (16 * bench.writes), "B/B")
    megabytes = bench.mebibytes * 2**20 / 1e6
    with bench.rate("read of the clone, cold", megabytes, "MB/s"):
        bench.load("read", clone)
    bench.cold()
    with bench.rate("read of the original, cold", megabytes, "MB/s"):
        bench.load("read", original)


def run_library(bench):
    """Made, cloned and read by betrcp. The clone is written to by a mount that is not measured, and another one by
    betrreplay, which is."""
    source = [sys.executable, "-B", library.__file__, str(bench.mebibytes)]
    bench.betrcp_from_pipe(source, "--tar", "-", ":/")
    empty = bench.used_bytes()
    with bench.seconds("clone + sync"):
        bench.betrcp("--clone", library.LARGE, "clone")
    cloned = bench.used_bytes()
    bench.record("space of the clone", (cloned - empty) / 1024, "KiB")
    with bench.mounted():
        bench.load("poke", bench.path("clone"), bench.writes, 1)
    growth = bench.used_bytes() - cloned
    bench.record("space growth", growth / 1024, "KiB")
    bench.record("space growth per byte written", growth / (16 * bench.writes), "B/B")
    megabytes = bench.mebibytes * 2**20 / 1e6
    for file, row in (("clone", "read of the clone, cold"), (library.LARGE, "read of the original, cold")):
        bench.cold()
        with bench.rate(row, megabytes, "MB/s"):
            bench.betrcp_to_pipe("--cat", file)
    bench.record("16-byte writes + fsync, cold", _replayed_writes(bench), "s")


def _replayed_writes(bench):
    """Seconds. The file is cloned by FICLONE and written to at once, without a remount in between."""
    trace = library.Trace(bench.setting.work)
    trace.file("original", bench.mebibytes << 20)
    trace.call(f'openat(AT_FDCWD, "{library.ROOT}/original", O_RDONLY) = 3')
    trace.call(f'openat(AT_FDCWD, "{library.ROOT}/clone", O_WRONLY|O_CREAT, 0644) = 4')
    trace.call("ioctl(4, FICLONE, 3) = 0")
    places = random.Random(1)
    for _ in range(bench.writes):
        trace.call(f'pwrite64(4, ""..., 16, {places.randrange(bench.mebibytes << 8) * 4096}) = 16')
    trace.call("fsync(4) = 0")
    return library.seconds_of(library.replay(bench, trace), "write", "fsync")
