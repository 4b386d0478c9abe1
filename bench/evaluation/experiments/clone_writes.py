# SPDX-License-Identifier: Apache-2.0
"""Space and locality: many writes of 16 bytes to the clone of a file, then both files are read."""

NAME = "clone-writes"
TITLE = "Small writes to the clone of a file: space and locality"
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
