# SPDX-License-Identifier: Apache-2.0
"""What bench/import, bench/clones and bench/backups share: the source tree, running a program for its time, tables."""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ARCHIVE = "/usr/src/linux-source-6.1.tar.xz"
HERE = os.path.dirname(os.path.abspath(__file__))


def parser(description):
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--tree", help=f"a directory to import (default: what {ARCHIVE} holds)")
    found.add_argument("--bin", default=os.path.join(HERE, "../build/release/bin"), help="where the tools are")
    found.add_argument("--dir", help="work there: two to five times the tree's room, on the disk that is measured")
    found.add_argument("--size", default="8G", help="of an image (default: %(default)s)")
    found.add_argument("--json", metavar="FILE", help="write the figures there, too")
    return found


def at_least(least):
    """How many there are of something, for the type of an option."""

    def number(text):
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text}: wants at least {least}")
        return int(text)

    return number


def run(*command, **options):
    """Runs a program; its output, or the end of everything with its complaint."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def timed(function, *arguments, **options):
    start = time.monotonic()
    function(*arguments, **options)
    return time.monotonic() - start


def shell(text, **variables):
    """Runs a pipeline, with names for what it needs; every part of it has to succeed."""
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    return run("bash", "-c", f"set -euo pipefail; {text}", env=environment)


class Tools:
    """The programs of betr, on one image."""

    def __init__(self, directory, image):
        self._directory = os.path.abspath(directory)
        self.image = image
        for name in ("mkfs.betr", "betrcp", "fsck.betr", "betrdump"):
            if not os.path.exists(self.path(name)):
                sys.exit(f"{self.path(name)}: not there; build first, or say --bin")

    def path(self, name):
        return os.path.join(self._directory, name)

    def call(self, name, *arguments):
        return run(self.path(name), *arguments, env={**os.environ, "BETR_IMAGE": self.image})

    def make(self, size):
        if os.path.exists(self.image):
            os.remove(self.image)
        self.call("mkfs.betr", "-s", size, self.image)

    def space(self):
        """Bytes of nodes, their table and the catalog, as of the last checkpoint."""
        found = json.loads(self.call("betrdump", "--json", "space"))
        return found["nodes"] + found["table"] + found["catalog"]

    def fsck(self):
        return timed(self.call, "fsck.betr", self.image)


class Ext4:
    """An ext4 in a file, mounted; without the work that its mkfs leaves to the kernel."""

    def __init__(self, work, size):
        self._image = os.path.join(work, "ext4.img")
        self.mount_point = os.path.join(work, "mnt")
        self._size = size
        os.makedirs(self.mount_point, exist_ok=True)

    def make(self):
        self.remove()
        run("truncate", "-s", self._size, self._image)
        run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", self._image)
        self.mount()

    def mount(self):
        run("mount", "-o", "loop,noatime", self._image, self.mount_point)

    def unmount(self):
        if os.path.ismount(self.mount_point):
            run("umount", self.mount_point)

    def remove(self):
        self.unmount()
        if os.path.exists(self._image):
            os.remove(self._image)


def drop_caches():
    run("sync")
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
        file.write("3\n")


def unpack(tree, work):
    """The directory with the tree, and an uncompressed archive of the same."""
    if tree is None:
        tree = os.path.join(work, "tree")
        os.mkdir(tree)
        run("tar", "-C", tree, "--strip-components=1", "-xf", ARCHIVE)
    archive = os.path.join(work, "tree.tar")
    run("tar", "-C", tree, "-cf", archive, ".")
    return os.path.abspath(tree), archive


def copy(tree, to):
    """A copy of the tree that may be changed."""
    os.mkdir(to)
    if tree is None:
        run("tar", "-C", to, "--strip-components=1", "-xf", ARCHIVE)
    else:
        run("cp", "-a", os.path.join(tree, "."), to)


def describe(tree, archive):
    files = sum(len(names) for _, _, names in os.walk(tree))
    return f"{files} files, {os.path.getsize(archive) / 2**20:.0f} MiB as an archive"


def work_directory(parent):
    """Gone in the end, also where a signal ends the program."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    return tempfile.TemporaryDirectory(prefix="betr-bench.", dir=parent)


def spread(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def save(path, figures):
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=2)
            file.write("\n")
