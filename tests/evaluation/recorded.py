# SPDX-License-Identifier: Apache-2.0
"""Results for tests: those of a run that was recorded, and a few that were made up."""

import os

from evaluation import results

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded.json")


def small_results():
    found = results.Results()
    for value in (10, 30, 20):
        found.add("large-file", "write", "MB/s", "more", "betr", value, {"seeks": value})
    found.add("large-file", "write", "MB/s", "more", "ext4", 10)
    found.add("large-file", "read", "s", "less", "betr", 2, {"busy_seconds": 1.5})
    found.add("large-file", "read", "s", "less", "ext4", 8)
    found.add("large-file", "read", "s", "less", "xfs", 1)
    found.add_curve("large-file", "rate & time", "files", "files/s", "betr", [(1, 2), (3, 4)])
    found.fail("large-file", "btrfs", "no <space>")
    return found
