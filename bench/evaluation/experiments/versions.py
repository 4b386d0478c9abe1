# SPDX-License-Identifier: Apache-2.0
"""Earlier designs of BetrFS beside that of today, on the same code (docs/ablations.md): mounts with -o experiment=, and
other sizes of nodes and basements.

Renames of files and of a tree, clones of the tree that are written to a little, git clone, a large file, removing it
all; then how much better betr is than each version is printed.
"""

import sys

from evaluation import process, systems
from evaluation.experiments import applications
from evaluation.plan import tree_mib

NAME = "versions"
TITLE = "Versions of BetrFS as ablations"
ON_AGED = False
SIZES = {"renames": (10, 100, 2), "rounds": (4, 17, 1), "mebibytes": (256, 4 * 1024, 4), "percent": (3, 100, 1)}
SIZES |= {"writes": (768, 256 * 1024, 16), "reads": (128, 4096, 16)}
FILES = {"a file of 64 KiB": 64, "a file of 16 MiB": 16 * 1024}
MOST_TREE_RENAMES = 10  # some versions copy it each time
VERSIONS = {
    "betr": (),
    "as 0.1": ("rename-by-copy", "delete-by-key", "early-binding", "split-by-size"),
    "as 0.3": ("zones", "split-by-size"),
    "as 0.4": ("eager-gotos", "split-by-size"),
    "rename-by-copy": ("rename-by-copy",),
    "delete-by-key": ("delete-by-key",),
    "eager-gotos": ("eager-gotos",),
    "split-by-size": ("split-by-size",),
    "copy-at-once": ("copy-at-once",),
    "early-binding": ("early-binding",),
}
SIZED = {
    "nodes of 1 MiB": ("--node-size", "1M"),
    "basements of 16 KiB": ("--basement-size", "16K"),
}
RECORDED = list(SIZED)[-1]  # the last to be measured


class Version(systems.Betr):
    """betr, made with options of mkfs.betr and mounted with experiments."""

    def __init__(self, setting, name):
        super().__init__(setting)
        self.name = name
        self.make_options = SIZED.get(name, ())
        self._experiments = VERSIONS.get(name, ())

    @property
    def has_clones(self):
        """A tree with zones in it is not cloned: 0.2 and 0.3 had no clones."""
        return "zones" not in self._experiments

    def _command(self):
        return super()._command() + [part for name in self._experiments for part in ("-o", f"experiment={name}")]


def disk_mib(sizes):
    # Two trees while one is copied; the trees of the clones share nearly all. A repository and a clone with its own.
    return 7 * tree_mib(sizes.percent) + 4 * max(FILES.values()) / 1024 + 2 * sizes.mebibytes


def run_library(bench):
    """Of the library's system, which mounts nothing by itself; here every version is made and mounted in turn."""
    figures = {}
    for name in (*VERSIONS, *SIZED):
        bench.system = Version(bench.setting, name)
        bench.setting.disk.clear()
        with systems.mounted(bench.system):
            rows = [*_renames(bench)]
            if bench.system.has_clones:
                rows += _clones(bench)
            rows += [*_git(bench), *_large_file(bench), *_removal(bench)]
        figures[name] = {row: (bench.median(row), better) for row, better in rows}
    for line in comparison(figures):
        print(line, file=sys.stderr)


def comparison(figures):
    """How many times better the first version is than each of the others, row by row."""
    first, *others = figures
    yield f"{first} against:"
    for row, (mine, better) in figures[first].items():
        ratios = [f"{name} {_ratio(mine, figures[name].get(row, (None,))[0], better)}" for name in others]
        yield f"  {row}: " + ", ".join(ratios)


def _ratio(mine, theirs, better):
    if mine is None or theirs is None or mine <= 0 or theirs <= 0:
        return "-"
    return f"{mine / theirs if better == 'more' else theirs / mine:.2f}"


def _renames(bench):
    files = bench.path("files")
    bench.run("mkdir", files, f"{files}/tree")
    archive = bench.setting.sources.archive(min(bench.percent, 100))
    bench.run("tar", "-C", f"{files}/tree", "-xf", archive)
    for name, kibibytes in FILES.items():
        file = f"{files}/{kibibytes}"
        bench.run("dd", "if=/dev/urandom", f"of={file}", "bs=4096", f"count={kibibytes // 4}", "status=none")
    bench.system.sync()
    for what, entry in {**FILES, "a directory with a tree": "tree"}.items():
        row = f"renames of {what}"
        times = bench.renames if what in FILES else min(bench.renames, MOST_TREE_RENAMES)
        with bench.rate(row, times, "renames/s"):
            bench.load("rename", files, entry, times, f"{files}/witness")
        yield row, "more"
    row = "grep -r of the tree, cold"
    bench.cold()
    with bench.seconds(row):
        bench.run("grep", "-r", "absent", f"{files}/tree", allow=[1])
    yield row, "less"


def _clones(bench):
    tree, clone = bench.path("files", "tree"), bench.path("clone")
    used = bench.system.used_bytes()
    row = f"{bench.rounds} clones + sync"
    with bench.seconds(row):
        for turn in range(bench.rounds):
            bench.system.clone(tree, f"{clone}{turn}")
            bench.system.sync()
    yield row, "less"
    row = "16 bytes to each file of the last clone + sync"
    with bench.seconds(row):
        bench.load("poke-each", f"{clone}{bench.rounds - 1}", 1)
        bench.system.sync()
    yield row, "less"
    bench.cold()
    row = "space growth"
    bench.record(row, (bench.system.used_bytes() - used) / 1024, "KiB")
    yield row, "less"
    row = "grep -r of the last clone, cold"
    with bench.seconds(row):
        bench.run("grep", "-r", "absent", f"{clone}{bench.rounds - 1}", allow=[1])
    yield row, "less"


def _git(bench):
    if process.missing(["git"]):
        return
    row = "git clone + sync, cold"
    applications.git_clone(bench, row)
    yield row, "less"


def _large_file(bench):
    file = bench.path("large")
    row = "sequential write + fsync"
    with bench.rate(row, bench.mebibytes * 2**20 / 1e6, "MB/s"):
        bench.load("write", file, bench.mebibytes)
    yield row, "more"
    for row, load, count, unit in (
        ("random 4-byte writes + fsync, cold", "patch", bench.writes, "writes/s"),
        ("random 4-byte reads, cold", "peek", bench.reads, "reads/s"),
    ):
        bench.cold()
        with bench.rate(row, count, unit):
            bench.load(load, file, count)
        yield row, "more"


def _removal(bench):
    row = "rm -rf of all + sync"
    with bench.seconds(row):
        bench.run("rm", "-rf", bench.path("large"), bench.path("files"))
        bench.system.sync()
    yield row, "less"
