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


class Plan:
    """Of some experiments. `work`, `out`: the folders --dir and --out; `before`: what is done before each of them."""

    def __init__(self, experiments, scale, disk, work, out, before=None):
        self._experiments = experiments
        self._scale = scale
        self._disk = disk
        self._work = work
        self._out = out
        self._before = before

    def sizes_of(self, experiment):
        """By their names, all that is scaled."""
        return vars(Sizes(experiment, self._scale))

    def disk_mib(self, experiment):
        """How much of the disk the experiment uses at most."""
        parts = [part for part in (experiment, self._before) if hasattr(part, "disk_mib")]
        return round(SPARE * sum(part.disk_mib(Sizes(part, self._scale)) for part in parts))

    def places(self):
        """(path, MiB that are kept there at most): what is behind an emulated disk, and copies of trees, in `work`;
        archives of shares of the source tree, and repositories made of them, in `out`."""
        parts = [part for part in (*self._experiments, self._before) if part]
        shares = {self.sizes_of(part).get("percent", 0) for part in parts}
        in_out = sum(2 * tree_mib(share) for share in shares)
        in_work = tree_mib(max(shares)) + self._disk.host_mib(max(map(self.disk_mib, self._experiments)))
        if _file_system(self._work) == _file_system(self._out):
            return [(self._work, round(in_work + in_out) + SPARE_MIB)]
        return [(self._work, round(in_work) + SPARE_MIB), (self._out, round(in_out) + SPARE_MIB)]

    def check_room(self):
        """Fails if the largest of the experiments does not fit on the disk, or what is kept beside on the host."""
        largest = max(self._experiments, key=self.disk_mib)
        needed = self.disk_mib(largest)
        if needed > self._disk.size_mib():
            raise Failure(f"{largest.NAME} needs up to {gib(needed)}, the disk has {gib(self._disk.size_mib())}")
        for path, wanted in self.places():
            if wanted > free_mib(path):
                most = f"most of all {largest.NAME}, up to {gib(needed)}"
                advice = "choose another --dir or --out, fewer experiments, or a smaller --scale"
                raise Failure(f"{path}: {gib(free_mib(path))} are free, {gib(wanted)} may be needed ({most}); {advice}")

    def lines(self):
        """What would be done, for people."""
        for entry in (self._before, *self._experiments):
            if entry:
                sizes = ", ".join(f"{name} {size:,}" for name, size in self.sizes_of(entry).items())
                yield f"{entry.NAME:16} {sizes or '-'}; on the disk at most {gib(self.disk_mib(entry))}"
        yield f"disk: {self._disk.describe()}, {gib(self._disk.size_mib())}"
        for path, wanted in self.places():
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
