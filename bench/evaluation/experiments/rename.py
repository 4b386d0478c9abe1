# SPDX-License-Identifier: Apache-2.0
"""Renames of files of several sizes, and of a directory, each durable."""

from evaluation import library
from evaluation.plan import tree_mib

NAME = "rename"
TITLE = "Renames, each with an fsync of the directory"
ANEW = ("betr-library",)
SIZES = {"renames": (40, 100, 2), "largest_kib": (16 * 1024, 64 * 1024, 4), "percent": (3, 100, 1)}


def disk_mib(sizes):
    return sizes.largest_kib / 1024 * 4 / 3 + tree_mib(sizes.percent)


def run_library(bench):
    """The same calls by betrreplay; contents and the tree's files are made up, with the sizes that they have."""
    for name in [*_sizes(bench), "tree"]:
        trace = library.Trace(bench.setting.work)
        trace.directory("files")
        if name == "tree":
            trace.tree("files/tree", bench.setting.sources.archive(min(bench.percent, 100)))
        else:
            trace.file(f"files/{name}", name * 1024)
        base = old = f"{library.ROOT}/files/{name}"
        trace.call(f'openat(AT_FDCWD, "{library.ROOT}/files", O_RDONLY|O_DIRECTORY) = 3')
        for turn in range(bench.renames):
            new = base if turn + 1 == bench.renames else f"{base}.{turn}"
            trace.call(f'rename("{old}", "{new}") = 0')
            trace.call("fsync(3) = 0")
            old = new
        taken = library.replay(bench, trace)["seconds"]
        bench.record(_row(name), bench.renames / taken, "renames/s", "more")


def _sizes(bench):
    """In KiB."""
    size = 4
    while size <= bench.largest_kib:
        yield size
        size *= 4


def _row(name):
    return "a directory with a tree" if name == "tree" else f"a file of {text(name)}"


def run(bench):
    files = bench.path("files")
    bench.run("mkdir", files)
    # The server cannot be told to make a directory durable where the library ignores that: a file does as well.
    witness = [] if bench.system.kernel_name else [bench.path("files", "witness")]
    for size in _sizes(bench):
        bench.run("dd", "if=/dev/urandom", f"of={files}/{size}", "bs=4096", f"count={size // 4}", "status=none")
    bench.run("mkdir", bench.path("files", "tree"))
    archive = bench.setting.sources.archive(min(bench.percent, 100))
    bench.run("tar", "-C", bench.path("files", "tree"), "-xf", archive)
    bench.system.sync()
    for name in [*_sizes(bench), "tree"]:
        with bench.rate(_row(name), bench.renames, "renames/s"):
            bench.load("rename", files, name, bench.renames, *witness)


def text(kibibytes):
    return f"{kibibytes} KiB" if kibibytes < 1024 else f"{kibibytes // 1024} MiB"
