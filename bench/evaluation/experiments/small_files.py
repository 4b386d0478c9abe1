# SPDX-License-Identifier: Apache-2.0
"""TokuBench: 200-byte files in a balanced tree of directories with 128 entries each, made by 4 threads."""

NAME = "small-files"
TITLE = "TokuBench: creation of small files"
SIZES = {"files": (60_000, 3_000_000, 400)}
THREADS = 4


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
