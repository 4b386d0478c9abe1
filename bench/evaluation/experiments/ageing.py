# SPDX-License-Identifier: Apache-2.0
"""An aged file system: rounds of what `git pull` does to a tree, then the scans, against the same tree on a new one."""

from evaluation import aged
from evaluation.experiments import tree
from evaluation.plan import tree_mib

NAME = "ageing"
TITLE = "Ageing: the scans after months of changes"
SLOW = ("fuse2fs",)
ON_AGED = False
SIZES = {"percent": (6, 100, 1), "rounds": (16, 1000, 2), "changes": (150, 150, 10)}


def disk_mib(sizes):
    return 2 * tree_mib(sizes.percent)


def run(bench):
    path = bench.path("tree")
    changes = bench.setting.history or aged
    changes.unpack(bench, path)
    with bench.seconds("ageing: rounds of changed, new and removed files, a sync each"):
        changes.pulls(bench, path)
    tree.scans(bench, "tree", "aged")
    bench.cold()
    copy = f"{bench.setting.work}/aged.tar"
    bench.run("tar", "-C", path, "-cf", copy, ".")
    bench.system.unmount()
    bench.setting.disk.clear()
    bench.system.make()
    bench.system.mount()
    bench.run("mkdir", path)
    bench.run("tar", "-C", path, "-xf", copy)
    bench.system.sync()
    tree.scans(bench, "tree", "not aged")
