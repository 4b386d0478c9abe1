# SPDX-License-Identifier: Apache-2.0
"""Figures that the papers give, beside which the report puts ours: how many times better BetrFS was than ext4, and than
the best of its peers.

Most are of the abstracts. The others were taken from what readers of the papers have noted, which SOURCES says; where
neither has a figure there is none here, though the paper itself may well have it.
"""

import dataclasses

NONE = "not given here"


@dataclasses.dataclass(frozen=True)
class Published:
    experiment: str
    row: str  # how the names of the rows begin
    to_ext4: str
    to_best: str
    source: str


SOURCES = {
    "FAST'15": "Jannen et al., BetrFS: A Right-Optimized Write-Optimized File System, FAST 2015, abstract (0.1)",
    "FAST'16": "Yuan et al., Optimizing Every Operation in a Write-Optimized File System, FAST 2016, abstract (0.2)",
    "FAST'17": "Conway et al., File Systems Fated for Senescence? Nonsense, Says Science!, FAST 2017, abstract",
    "FAST'18": "Zhan et al., The Full Path to Full-Path Indexing, FAST 2018, abstract (0.4)",
    "FAST'18, table 2": "the same, as a reader's notes have it: 256 Ki random writes of 4 bytes take 4.9 s "
    "(NILFS2 2013, Btrfs 2148, ext4 2776, XFS 2836, ZFS 3289)",
    "FAST'20": "Zhan et al., How to Copy Files, FAST 2020, abstract (0.5)",
    "FAST'20, table 2": "the same, as a reader's notes have it: random reads about 8 % slower than on the others",
    "login'20": "Zhan et al., How to Not Copy Files, ;login: Fall 2020, as a reader's notes have it (0.5): a container "
    "cloned in 0.118 s (rsync on ext4 19.514 s, Btrfs 0.396 s, ZFS 0.478 s); 16.3 KiB for each round of cloning and "
    "writing (XFS 32.6, Btrfs 176, ZFS 250)",
    "EuroSys'22": "Jiao et al., A Compleat File System for Commodity SSDs, EuroSys 2022, abstract (0.6, on an SSD)",
}

ALL = (
    Published("small-files", "creation", "more than 4", "more than 4 (XFS)", "FAST'15"),
    Published("large-file", "sequential write", NONE, "about 1", "FAST'16"),
    Published("large-file", "sequential read, cold", NONE, "about 1", "FAST'16"),
    Published("large-file", "random 4-byte writes", "567", "411 (NILFS2; Btrfs 438)", "FAST'18, table 2"),
    Published("large-file", "random 4-byte reads", "about 0.92", NONE, "FAST'20, table 2"),
    Published("tree", "find", NONE, "2.2", "FAST'16"),
    Published("tree", "grep", NONE, "2.2", "FAST'16"),
    Published("tree", "rm -rf", NONE, "about 1", "FAST'16"),
    Published("rename", "a file of", NONE, "about 1", "FAST'18"),
    Published("rename", "a directory", NONE, "about 1", "FAST'18"),
    Published("clones", "head-tail: space growth", NONE, "2.0", "login'20"),
    Published("applications", "rsync --inplace", NONE, "1.6 (22 against the worst)", "FAST'15"),
    Published("applications", "rsync, cold", NONE, "1.8", "EuroSys'22"),
    Published("imap", "half reads, half marks, deletes and appends", NONE, "1.13", "EuroSys'22"),
    Published("containers", "clone + sync", "165", "3.4", "login'20"),
)


def find(experiment, row):
    """What is published of it, or None."""
    return next((entry for entry in ALL if entry.experiment == experiment and row.startswith(entry.row)), None)


def cells(experiment, row):
    """(against ext4, against the best peer), each with its source."""
    entry = find(experiment, row)
    if entry is None:
        return NONE, NONE
    figures = (entry.to_ext4, entry.to_best)
    return tuple(figure if figure == NONE else f"{figure} [{entry.source}]" for figure in figures)
