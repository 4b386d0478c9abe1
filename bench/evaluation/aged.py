# SPDX-License-Identifier: Apache-2.0
"""Ages a file system before an experiment (--aged), always in the same way.

A share of the source tree goes through rounds of what `git pull` does to it, each with a sync. Then every second file
is removed: what is free afterwards lies scattered between what is not, and is what the experiment gets.
"""

import sys

from evaluation.plan import tree_mib

NAME = "aged"
SIZES = {"percent": (5, 100, 1), "rounds": (10, 100, 2), "changes": (150, 1500, 10)}
SUFFIX = "-aged"
THIS = sys.modules[__name__]


def name_of(experiment):
    """Under which its results on aged file systems are kept."""
    return experiment + SUFFIX


def plain(name):
    """(name of the experiment, whether on aged file systems)."""
    return name.removesuffix(SUFFIX), name.endswith(SUFFIX)


def disk_mib(sizes):
    return 2 * tree_mib(sizes.percent)


def age(bench, changes=None):
    """`changes`: a History, or the rounds of this module."""
    path = bench.path(NAME)
    (changes or THIS).unpack(bench, path)
    (changes or THIS).pulls(bench, path)
    bench.load("thin", path)
    bench.system.sync()


def unpack(bench, path):
    archive = bench.setting.sources.archive(min(bench.percent, 100))
    bench.run("mkdir", path)
    bench.run("tar", "-C", path, "-xf", archive)
    bench.system.sync()


def pulls(bench, path):
    for turn in range(bench.rounds):
        bench.load("pull", path, bench.changes, turn)
        bench.system.sync()
