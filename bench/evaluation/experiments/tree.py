# SPDX-License-Identifier: Apache-2.0
"""A source tree: unpacked, searched, packed and removed."""

from evaluation.plan import tree_mib

NAME = "tree"
TITLE = "A source tree: tar, find, grep, recursive delete"
SIZES = {"percent": (15, 100, 1)}


def disk_mib(sizes):
    return tree_mib(sizes.percent)


def run(bench):
    archive = bench.setting.sources.archive(min(bench.percent, 100))
    empty = bench.system.used_bytes()
    unpack(bench, archive, "tree")
    scans(bench, "tree")
    bench.cold()
    bench.record("space of the tree", (bench.system.used_bytes() - empty) / 2**20, "MiB")
    with bench.seconds("rm -rf + sync, cold"):
        bench.run("rm", "-rf", bench.path("tree"))
        bench.system.sync()
    bench.cold()
    bench.record("space that is still in use", (bench.system.used_bytes() - empty) / 2**20, "MiB")
    _halved(bench, archive)


def run_library(bench):
    """The same by betrcp, without a mount; grep looks through what it packs."""
    archive = bench.setting.sources.archive(min(bench.percent, 100))
    empty = bench.used_bytes()
    with bench.seconds("untar + sync"):
        bench.betrcp("--tar", archive, ":/tree")
    bench.cold()
    with bench.seconds("find, cold"):
        bench.betrcp("--list", "-R", "tree")
    bench.cold()
    with bench.seconds("grep -r, cold"):
        bench.betrcp_grep("cpu_to_be64", "tree")
    bench.cold()
    with bench.seconds("tar, cold"):
        bench.betrcp_to_pipe("--tar", ":/tree", "-")
    bench.record("space of the tree", (bench.used_bytes() - empty) / 2**20, "MiB")
    with bench.seconds("rm -rf + sync, cold"):
        bench.betrcp("--remove", "tree")
    bench.record("space that is still in use", (bench.used_bytes() - empty) / 2**20, "MiB")


def _halved(bench, archive):
    """What a tree takes after a part of it was removed: every second file, in the order of their paths."""
    empty, path = bench.system.used_bytes(), bench.path("again")
    bench.run("mkdir", path)
    bench.run("tar", "-C", path, "-xf", archive)
    bench.system.sync()
    bench.cold()
    whole = bench.system.used_bytes()
    with bench.seconds("every second file removed + sync, cold"):
        bench.load("thin", path)
        bench.system.sync()
    bench.cold()
    half = bench.system.used_bytes()
    bench.record("space of what is left of the tree", (half - empty) / 2**20, "MiB")
    bench.record("the same, of the whole tree's space", 100 * (half - empty) / (whole - empty), "%")


def unpack(bench, archive, name, row="untar + sync"):
    bench.system.make_directory(bench.path(name))
    with bench.seconds(row):
        bench.run("tar", "-C", bench.path(name), "-xf", archive)
        bench.system.sync()


def scans(bench, name, when="cold"):
    """All that reads a whole tree, each from a cold start."""
    path = bench.path(name)
    bench.cold(f"mount, {when}")
    with bench.seconds(f"find, {when}"):
        bench.run("find", path, "-name", "wait.c")
    bench.cold()
    with bench.seconds(f"grep -r, {when}"):
        bench.run("grep", "-r", "cpu_to_be64", path, allow=[1])
    bench.cold()
    with bench.seconds(f"tar, {when}"):
        # Through a pipe: tar does not read what it writes to /dev/null.
        bench.run("bash", "-o", "pipefail", "-c", 'tar -C "$0" -cf - . | cat >/dev/null', path)
