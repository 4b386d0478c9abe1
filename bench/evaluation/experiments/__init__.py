# SPDX-License-Identifier: Apache-2.0
"""The experiments, in the order in which they run.

A module has NAME, TITLE, SIZES (name: usual, the papers', at least), and run(bench), which finds an empty file
system mounted. run_library(bench): the same for the library without a mount. run_bare(bench): for the disk without a
file system. NEEDS: programs. prepare(setting): what has to be there before; if it fails, the experiment is left out.
CLONES: also for systems that differ only in how they clone. ON_AGED = False: not on aged file systems. disk_mib(sizes):
how much of the disk it uses at most. SLOW: names of systems that the usual limit would stop. RECORDED: of one that
records for systems of its own, the last of them. ANEW: names of systems of which it makes file systems by itself, so
not on aged ones.
"""

from evaluation.experiments import (
    ageing,
    applications,
    clone_writes,
    clones,
    containers,
    disk,
    imap,
    large_file,
    rename,
    small_files,
    tree,
    versions,
)

ALL = (disk, large_file, small_files, tree, rename, clones, clone_writes, applications, imap, ageing, containers)
ALL += (versions,)
