# SPDX-License-Identifier: Apache-2.0
"""TokuBench: 200-byte files in a balanced tree of directories with 128 entries each, made by 4 threads."""

from evaluation import library

NAME = "small-files"
TITLE = "TokuBench: creation of small files"
ANEW = ("betr-library",)
SIZES = {"files": (60_000, 3_000_000, 400)}
THREADS, FANOUT = 4, 128


def disk_mib(sizes):
    return sizes.files * 5 / 1024  # a block and an inode each


def run(bench):
    root = bench.path("files")
    bench.run("mkdir", root)
    with bench.rate("creation, sync included", bench.files, "files/s"):
        lines = bench.load("create", root, bench.files, THREADS, "progress")
        bench.system.sync()
    points = [(float(seconds), int(count) / float(seconds)) for seconds, count in map(str.split, lines)]
    bench.curve("cumulative rate of creation over time", "s", "files/s", points)
    bench.cold("mount, cold")
    with bench.seconds("find over them, cold"):
        bench.run("find", root, "-name", "absent")
    bench.cold()
    with bench.seconds("rm -rf + sync, cold"):
        bench.run("rm", "-rf", root)
        bench.system.sync()


def run_library(bench):
    """The same calls by betrreplay, in as many threads; then betrcp."""
    trace = library.Trace(bench.setting.work)
    root = f"{library.ROOT}/files"
    trace.directory("files")
    for number in range(bench.files // THREADS):
        for thread in range(THREADS):
            for call in _calls(f"{root}/w{thread}", number):
                trace.call(call, thread + 1)
    taken = library.replay(bench, trace, "--threads")["seconds"]
    bench.record("creation, sync included", bench.files / taken, "files/s", "more")
    bench.cold()
    with bench.seconds("find over them, cold"):
        bench.betrcp("--list", "-R", "files")
    bench.cold()
    with bench.seconds("rm -rf + sync, cold"):
        bench.betrcp("--remove", "files")


def _calls(own, number):
    """What one thread does for one file (bench/mounts/load.cc: create)."""
    upper = f"{own}/{number // FANOUT // FANOUT}"
    lower = f"{upper}/{number // FANOUT % FANOUT}"
    if number == 0:
        yield f'mkdir("{own}", 0755) = 0'
    if number % (FANOUT * FANOUT) == 0:
        yield f'mkdir("{upper}", 0755) = 0'
    if number % FANOUT == 0:
        yield f'mkdir("{lower}", 0755) = 0'
    yield f'openat(AT_FDCWD, "{lower}/{number % FANOUT}", O_WRONLY|O_CREAT|O_EXCL, 0644) = 3'
    yield 'write(3, ""..., 200) = 200'
    yield "close(3) = 0"
