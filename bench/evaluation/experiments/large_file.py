# SPDX-License-Identifier: Apache-2.0
"""One large file: written and read in sequence, then 4 bytes here and there."""

import random
import sys

from evaluation import library

NAME = "large-file"
TITLE = "A large file: sequential and random access"
ANEW = ("betr-library",)
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


def run_library(bench):
    """Written and read by betrcp. What is read after random writes is written to by a mount that is not measured; those
    and the random reads are measured by betrreplay."""
    megabytes = bench.mebibytes * 2**20 / 1e6
    source = [sys.executable, "-B", library.__file__, str(bench.mebibytes)]
    with bench.rate("sequential write + fsync", megabytes, "MB/s"):
        bench.betrcp_from_pipe(source, "--tar", "-", ":/")
    bench.cold()
    with bench.rate("sequential read, cold", megabytes, "MB/s"):
        bench.betrcp_to_pipe("--cat", library.LARGE)
    with bench.mounted():
        bench.load("patch", bench.path(library.LARGE), bench.writes)
    with bench.rate("sequential read after the random writes, cold", megabytes, "MB/s"):
        bench.betrcp_to_pipe("--cat", library.LARGE)
    _at_random(bench)


def _at_random(bench):
    """From a cold start; the reads first, as writes need not read what they change. Nothing is compressed: else half of
    what betrreplay makes up would go, and more fit into memory than of the file of the others."""
    trace = library.Trace(bench.setting.work)
    trace.file(library.LARGE, bench.mebibytes << 20)
    trace.call(f'openat(AT_FDCWD, "{library.ROOT}/{library.LARGE}", O_RDWR) = 3')
    places = random.Random(1)
    for call, count in (("pread64", bench.reads), ("pwrite64", bench.writes)):
        for _ in range(count):
            trace.call(f'{call}(3, ""..., 4, {places.randrange(bench.mebibytes << 18) * 4}) = 4')
    trace.call("fsync(3) = 0")
    report = library.replay(bench, trace, made=("--compress", "none"))
    taken = library.seconds_of(report, "write", "fsync")
    bench.record("random 4-byte writes + fsync, cold", bench.writes / taken, "writes/s", "more")
    taken = library.seconds_of(report, "read")
    bench.record("random 4-byte reads, cold", bench.reads / taken, "reads/s", "more")
