# SPDX-License-Identifier: Apache-2.0
"""Containers: a root file system made by debootstrap is cloned, and each clone is booted into a shell."""

from evaluation.process import run as run_on_host
from evaluation.sources import scratch

NAME = "containers"
TITLE = "Containers: clones of a root file system, booted into a shell"
CLONES = True
NEEDS = ("debootstrap", "unshare", "chroot")
SIZES = {"clones": (3, 10, 1)}
DOWNLOAD_SECONDS = 1800
ROOT_MIB = 300


def disk_mib(sizes):
    return ROOT_MIB * (1 + sizes.clones)


def prepare(setting):
    """Downloads the root file system, if it is not there."""
    return setting.sources.kept("rootfs.tar", _bootstrap)


def run(bench):
    archive = prepare(bench.setting)
    bench.system.make_directory(bench.path("base"))
    bench.run("tar", "-C", bench.path("base"), "-xf", archive)
    bench.system.sync()
    bench.cold()
    used = bench.system.used_bytes()
    cloned, booted = [], []
    for number in range(bench.clones):
        clone = bench.path(f"container-{number}")
        cloned.append(bench.timed(lambda: _clone(bench, clone)))
        booted.append(bench.timed(lambda: _boot(bench, clone)))
    bench.record("clone + sync", sum(cloned) / len(cloned), "s")
    bench.record("boot into a shell", sum(booted) / len(booted), "s")
    bench.cold()
    bench.record("space of a clone", (bench.system.used_bytes() - used) / 1024 / bench.clones, "KiB")


def run_library(bench):
    """Cloned by betrcp; nothing can be booted without a mount."""
    bench.betrcp("--tar", prepare(bench.setting), ":/base")
    used = bench.used_bytes()
    cloned = []
    for number in range(bench.clones):
        cloned.append(bench.timed(lambda: bench.betrcp("--clone", "base", f"container-{number}")))
    bench.record("clone + sync", sum(cloned) / len(cloned), "s")
    bench.record("space of a clone", (bench.used_bytes() - used) / 1024 / bench.clones, "KiB")


def _clone(bench, path):
    bench.system.clone(bench.path("base"), path)
    bench.system.sync()


def _boot(bench, path):
    script = "echo up >/run/state && cat /run/state && dpkg-query -W bash && touch /etc/hostname"
    bench.run("unshare", "--mount", "--pid", "--fork", "chroot", path, "/bin/sh", "-c", script)


def _bootstrap(path):
    with scratch(path + ".tree") as tree:
        run_on_host("debootstrap", "--variant=minbase", "bookworm", tree, timeout=DOWNLOAD_SECONDS)
        run_on_host("tar", "-C", tree, "--one-file-system", "-cf", path, ".")
