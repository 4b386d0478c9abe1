# SPDX-License-Identifier: Apache-2.0
"""One large file: written and read in sequence, then 4 bytes here and there."""

NAME = "large-file"
TITLE = "A large file: sequential and random access"
SIZES = {"mebibytes": (1024, 10240, 16), "writes": (768, 262144), "reads": (768, 262144)}


def disk_mib(sizes):
    return 2 * sizes.mebibytes  # the changed nodes beside the unchanged ones


def run(bench):
    file = bench.path("large")
    megabytes = bench.mebibytes * 2**20 / 1e6
    with bench.rate("sequential write + fsync", megabytes, "MB/s"):
        bench.load("write", file, bench.mebibytes)
    bench.cold()
    with bench.rate("sequential read, cold", megabytes, "MB/s"):
        bench.load("read", file)
    bench.cold()
    with bench.rate("random 4-byte writes + fsync, cold", bench.writes, "writes/s"):
        bench.load("patch", file, bench.writes)
    bench.cold()
    with bench.rate("random 4-byte reads, cold", bench.reads, "reads/s"):
        bench.load("peek", file, bench.reads)
    bench.cold()
    with bench.rate("sequential read after the random writes, cold", megabytes, "MB/s"):
        bench.load("read", file)
