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
    to_best: str  # of the versions: to the one before
    source: str


SOURCES = {
    "FAST'15": "Jannen et al., BetrFS: A Right-Optimized Write-Optimized File System, FAST 2015, abstract (0.1)",
    "FAST'16": "Yuan et al., Optimizing Every Operation in a Write-Optimized File System, FAST 2016, abstract "
    "(0.2): faster than others with rsync, git-diff and tar, git-clone comparable and 35 % better than 0.1",
    "FAST'17": "Conway et al., File Systems Fated for Senescence? Nonsense, Says Science!, FAST 2017, abstract: "
    "BetrFS hardly ages, and typically is faster than the others; aged, also than they were unaged, excepting Btrfs",
    "FAST'18": "Zhan et al., The Full Path to Full-Path Indexing, FAST 2018, abstract (0.4): greps 1.5 times and "
    "random writes 1.2 times as fast as 0.3",
    "FAST'18, table 2": "the same, as a reader's notes have it: 256 Ki random writes of 4 bytes take 4.9 s "
    "(NILFS2 2013, Btrfs 2148, ext4 2776, XFS 2836, ZFS 3289)",
    "FAST'20": "Zhan et al., How to Copy Files, FAST 2020, abstract (0.5): containers up to two orders of magnitude "
    "faster than a recursive copy, 3 to 4 times as fast as file systems with clones of their own",
    "FAST'20, table 2": "the same, as a reader's notes have it: random reads about 8 % slower than on the others",
    "login'20": "Zhan et al., How to Not Copy Files, ;login: Fall 2020, as a reader's notes have it (0.5): a container "
    "cloned in 0.118 s (rsync on ext4 19.514 s, Btrfs 0.396 s, ZFS 0.478 s); 16.3 KiB for each round of cloning and "
    "writing (XFS 32.6, Btrfs 176, ZFS 250)",
    "UNC'19": "Zhan, Efficient, Locality-Maintaining Namespace Operations in a Write-Optimized File System, "
    "dissertation, 2019, abstract (0.5): the Linux source directory traversed 9.47 times as fast as on ext4 (grep, we "
    "take it), and renamed 1.09 times as fast",
    "LIP6'17": "Porter, BetrFS: Write-Optimization in a Kernel File System, talk at LIP6, 2017, announcement: Dovecot "
    "up to 41 % better than on file systems that update in place, such as ext4 or Btrfs; rsync up to 31.5 times faster",
    "EuroSys'22": "Jiao et al., A Compleat File System for Commodity SSDs, EuroSys 2022, abstract (0.6, on an SSD)",
}

ALL = (
    Published("small-files", "creation", "more than 4", "more than 4 (XFS)", "FAST'15"),
    Published("large-file", "sequential write", NONE, "about 1", "FAST'16"),
    Published("large-file", "sequential read, cold", NONE, "about 1", "FAST'16"),
    Published("large-file", "random 4-byte writes", NONE, "over 100", "FAST'16"),
    Published("large-file", "random 4-byte writes", "567", "411 (NILFS2; Btrfs 438)", "FAST'18, table 2"),
    Published("large-file", "random 4-byte reads", "about 0.92", NONE, "FAST'20, table 2"),
    Published("tree", "find", NONE, "2.2", "FAST'16"),
    Published("tree", "grep", NONE, "2.2", "FAST'16"),
    Published("tree", "grep", "9.47", NONE, "UNC'19"),
    Published("tree", "tar, cold", NONE, "above 1", "FAST'16"),
    Published("tree", "rm -rf", NONE, "about 1", "FAST'16"),
    Published("rename", "a file of", NONE, "about 1", "FAST'18"),
    Published("rename", "a directory", NONE, "about 1", "FAST'18"),
    Published("rename", "a directory", "1.09", NONE, "UNC'19"),
    Published("clones", "head-tail: space growth", NONE, "2.0", "login'20"),
    Published("applications", "git clone", NONE, "about 1", "FAST'16"),
    Published("applications", "git diff", NONE, "above 1", "FAST'16"),
    Published("applications", "rsync, cold", NONE, "above 1", "FAST'16"),
    Published("applications", "rsync --inplace", NONE, "1.6 (22 against the worst)", "FAST'15"),
    Published("applications", "rsync, cold", NONE, "1.8", "EuroSys'22"),
    Published("applications", "rsync", NONE, "up to 31.5", "LIP6'17"),
    Published("imap", "half reads, half marks, deletes and appends", NONE, "1.13", "EuroSys'22"),
    Published("imap", "half reads, half marks, deletes and appends", "up to 1.41", NONE, "LIP6'17"),
    Published("ageing", "grep -r, aged", "above 1", "above 1", "FAST'17"),
    Published("versions", "grep -r of the tree", NONE, "1.5 (0.4 : 0.3)", "FAST'18"),
    Published("versions", "random 4-byte writes", NONE, "1.2 (0.4 : 0.3)", "FAST'18"),
    Published("versions", "git clone", NONE, "1.35 (0.2 : 0.1)", "FAST'16"),
    Published("containers", "clone + sync", "up to 100", "3 to 4", "FAST'20"),
    Published("containers", "clone + sync", "165", "3.4", "login'20"),
)


def find(experiment, row):
    """What is published of it."""
    return [entry for entry in ALL if entry.experiment == experiment and row.startswith(entry.row)]


def cells(experiment, row):
    """(against ext4, against the best peer), each with its source."""
    found = find(experiment, row)
    to_ext4 = [f"{entry.to_ext4} [{entry.source}]" for entry in found if entry.to_ext4 != NONE]
    to_best = [f"{entry.to_best} [{entry.source}]" for entry in found if entry.to_best != NONE]
    return ", ".join(to_ext4) or NONE, ", ".join(to_best) or NONE
