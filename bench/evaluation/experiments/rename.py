# SPDX-License-Identifier: Apache-2.0
"""Renames of files of several sizes, and of a directory, each durable."""

from evaluation.plan import tree_mib

NAME = "rename"
TITLE = "Renames, each with an fsync of the directory"
SIZES = {"renames": (40, 100, 2), "largest_kib": (16 * 1024, 64 * 1024, 4), "percent": (3, 100, 1)}


def disk_mib(sizes):
    return sizes.largest_kib / 1024 * 4 / 3 + tree_mib(sizes.percent)


def run(bench):
    files = bench.path("files")
    bench.run("mkdir", files)
    # The server cannot be told to make a directory durable where the library ignores that: a file does as well.
    witness = [] if bench.system.kernel_name else [bench.path("files", "witness")]
    sizes = []
    size = 4
    while size <= bench.largest_kib:
        sizes.append(size)
        bench.run("dd", "if=/dev/urandom", f"of={files}/{size}", "bs=4096", f"count={size // 4}", "status=none")
        size *= 4
    bench.run("mkdir", bench.path("files", "tree"))
    archive = bench.setting.sources.archive(min(bench.percent, 100))
    bench.run("tar", "-C", bench.path("files", "tree"), "-xf", archive)
    bench.system.sync()
    for name in [*sizes, "tree"]:
        what = "a directory with a tree" if name == "tree" else f"a file of {text(name)}"
        with bench.rate(what, bench.renames, "renames/s"):
            bench.load("rename", files, name, bench.renames, *witness)


def text(kibibytes):
    return f"{kibibytes} KiB" if kibibytes < 1024 else f"{kibibytes // 1024} MiB"
