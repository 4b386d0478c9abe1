# SPDX-License-Identifier: Apache-2.0
"""What a run would do, with which sizes, and whether there is room for it: said before, not after hours."""

import os
import shutil

from evaluation.bench import Sizes
from evaluation.process import Failure

TREE_MIB = 1400  # the whole source tree, as a file system keeps it
SPARE = 1.25  # times what an experiment writes: what file systems need besides
SPARE_MIB = 1024  # for the rest that is kept on the host: a root file system, logs, results


def tree_mib(percent):
    return min(percent, 100) / 100 * TREE_MIB


def sizes_of(experiment, scale):
    """By their names, all that is scaled."""
    return vars(Sizes(experiment, scale))


def disk_mib(experiment, scale):
    """How much of the disk the experiment uses at most."""
    return round(SPARE * getattr(experiment, "disk_mib", lambda _: 0)(Sizes(experiment, scale)))


def places(experiments, scale, disk, work, out):
    """(path, MiB that are kept there at most): what is behind an emulated disk, and copies of trees, in `work`;
    archives of shares of the source tree, and repositories made of them, in `out`."""
    shares = {sizes_of(entry, scale).get("percent", 0) for entry in experiments}
    in_out = sum(2 * tree_mib(share) for share in shares)
    in_work = tree_mib(max(shares)) + disk.host_mib(max(disk_mib(entry, scale) for entry in experiments))
    if _file_system(work) == _file_system(out):
        return [(work, round(in_work + in_out) + SPARE_MIB)]
    return [(work, round(in_work) + SPARE_MIB), (out, round(in_out) + SPARE_MIB)]


def check_room(experiments, scale, disk, work, out):
    """Fails if the largest of the experiments does not fit on the disk, or what is kept beside on the host."""
    largest = max(experiments, key=lambda entry: disk_mib(entry, scale))
    needed = disk_mib(largest, scale)
    if needed > disk.size_mib():
        raise Failure(f"{largest.NAME} needs up to {gib(needed)}, the disk has {gib(disk.size_mib())}")
    for path, wanted in places(experiments, scale, disk, work, out):
        if wanted > free_mib(path):
            most = f"most of all {largest.NAME}, up to {gib(needed)}"
            advice = "choose another --dir or --out, fewer experiments, or a smaller --scale"
            raise Failure(f"{path}: {gib(free_mib(path))} are free, {gib(wanted)} may be needed ({most}); {advice}")


def lines(experiments, scale, disk, work, out):
    """What would be done, for people."""
    for entry in experiments:
        sizes = ", ".join(f"{name} {size:,}" for name, size in sizes_of(entry, scale).items())
        yield f"{entry.NAME:16} {sizes or '-'}; on the disk at most {gib(disk_mib(entry, scale))}"
    yield f"disk: {disk.describe()}, {gib(disk.size_mib())}"
    for path, wanted in places(experiments, scale, disk, work, out):
        yield f"{path}: needs at most {gib(wanted)}, {gib(free_mib(path))} are free"


def gib(mebibytes):
    return f"{mebibytes / 1024:.1f} GiB"


def free_mib(path):
    return shutil.disk_usage(_existing(path)).free >> 20


def _file_system(path):
    return os.stat(_existing(path)).st_dev


def _existing(path):
    """The path, or where it will be made."""
    path = os.path.abspath(path)
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return path
