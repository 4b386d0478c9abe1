# SPDX-License-Identifier: Apache-2.0
"""What the papers say in words, each with how our figures answer. papers.SOURCES says which papers; their figures are
beside ours in the tables."""

import dataclasses
from typing import Callable

from evaluation.results import curve_lines

OURS = "betr"


@dataclasses.dataclass(frozen=True)
class Claim:
    paper: str
    text: str
    figure: Callable  # of results: how many times better betr is, or None if it was not measured
    holds_from: float  # where the paper gives no figure, what we take it to mean
    meaning: str


def better(results, experiment, row, ours=OURS, peers=None):
    """How many times better betr is than the best peer: above 1 it is the best."""
    found = results.row(experiment, row)
    if found is None:
        return None
    medians = {name: results.median(experiment, row, name) for name in found["values"]}
    mine = medians.get(ours)
    others = [value for name, value in medians.items() if name in (peers or medians) and not name.startswith(OURS)]
    if mine is None or not others:
        return None
    if found["better"] == "more":
        return mine / max(others)
    return max(min(others), 0) / mine if mine > 0 else None


def of(experiment, row, **options):
    return lambda results: better(results, experiment, row, **options)


def least(*figures):
    def found(results):
        values = [figure(results) for figure in figures]
        return None if None in values else min(values)

    return found


def aged(results):
    """How much slower than on a new file system grep is on the aged one, for betr; as 1 / that."""
    fresh = results.median("ageing", "grep -r, not aged", OURS)
    old = results.median("ageing", "grep -r, aged", OURS)
    return fresh / old if fresh and old else None


def aged_against_new(results):
    """How many times faster grep is on the aged betr than on the best of the others, Btrfs excepted, before it ages."""
    mine = results.median("ageing", "grep -r, aged", OURS)
    row = results.row("ageing", "grep -r, not aged")
    names = [name for name in row["values"] if not name.startswith((OURS, "btrfs"))] if row else []
    others = [results.median("ageing", row["name"], name) for name in names]
    return min(others) / mine if mine and others else None


def flat_clones(results):
    """The first round's grep against the last one's, the worst of the configurations."""
    ratios = []
    for curve in results.curves:
        is_grep = curve["experiment"] == "clones" and "grep" in curve["plot"]
        points = curve_lines(curve)[0]
        if is_grep and curve["system"] == OURS and len(points) > 1:
            ratios.append(points[0][1] / points[-1][1])
    return min(ratios, default=None)


BEST = "x the best peer"
ALL = (
    Claim(
        "FAST'15",
        "one benchmark of small data: more than 4 times the performance of ext4 or XFS (here: creation of small files)",
        of("small-files", "creation, sync included", peers=("ext4", "xfs")),
        4,
        "x the better of ext4, XFS",
    ),
    Claim(
        "FAST'15",
        "an in-place rsync of a kernel tree is 1.6 to 22 times as fast as on others",
        of("applications", "rsync --inplace, cold"),
        1.6,
        BEST,
    ),
    Claim(
        "FAST'16",
        "small random writes: over two orders of magnitude faster than the fastest conventional file system",
        of("large-file", "random 4-byte writes + fsync, cold"),
        100,
        BEST,
    ),
    Claim(
        "FAST'16",
        "directory scans 2.2 times as fast as the fastest conventional file system",
        least(of("tree", "find, cold"), of("tree", "grep -r, cold")),
        2.2,
        BEST + " (the worse of find, grep)",
    ),
    Claim("FAST'16", "deletes are commensurate", of("tree", "rm -rf + sync, cold"), 0.5, BEST),
    Claim(
        "FAST'16",
        "large sequential I/O at nearly disk bandwidth",
        least(of("large-file", "sequential write + fsync"), of("large-file", "sequential read, cold")),
        0.8,
        BEST + " (the worse of write, read)",
    ),
    Claim(
        "FAST'16",
        "git-clone is comparable",
        of("applications", "git clone + sync, cold"),
        0.8,
        BEST,
    ),
    Claim(
        "FAST'16",
        "faster than others with rsync, git-diff and tar",
        least(
            of("applications", "rsync, cold"),
            of("applications", "git diff between two commits, cold"),
            of("tree", "tar, cold"),
        ),
        1,
        BEST + " (the worst of the three)",
    ),
    Claim(
        "FAST'18",
        "renames are competitive with those of conventional file systems, for a range of sizes",
        least(*(of("rename", f"a file of {size}") for size in ("4 KiB", "256 KiB", "16 MiB"))),
        0.5,
        BEST + " (the worst of 4 KiB, 256 KiB, 16 MiB)",
    ),
    Claim("FAST'17", "almost no ageing", aged, 0.8, "speed of grep, aged / not aged"),
    Claim(
        "FAST'17",
        "aged, it outperforms even the unaged versions of the others, excepting Btrfs",
        aged_against_new,
        1,
        "speed of grep, aged / the best of the others, not aged, without Btrfs",
    ),
    Claim("FAST'20", "reads stay fast in all versions", flat_clones, 0.7, "speed of grep, last clone / first"),
    Claim(
        "FAST'20",
        "clones of containers: 3 to 4 times as fast as file systems with clones of their own",
        of("containers", "clone + sync"),
        3,
        BEST,
    ),
    Claim(
        "FAST'20",
        "clones of containers: up to two orders of magnitude faster than a recursive copy",
        of("containers", "clone + sync", peers=("ext4", "fuse2fs")),
        100,
        "x the best copy",
    ),
    Claim(
        "FAST'20",
        "small writes to a clone: space efficient",
        of("clone-writes", "space growth", peers=("xfs", "btrfs")),
        1,
        "x less than the best of XFS, Btrfs",
    ),
    Claim(
        "EuroSys'22",
        "Dovecot: 1.13 times as fast as on commodity file systems (on an SSD)",
        of("imap", "half reads, half marks, deletes and appends, cold"),
        1.13,
        BEST,
    ),
)


def verdict(claim, results):
    """(our figure, what it says)"""
    figure = claim.figure(results)
    if figure is None:
        return None, "not measured"
    return figure, "holds" if figure >= claim.holds_from else "does not hold"
