# SPDX-License-Identifier: Apache-2.0
"""What experiments unpack: a share of the kernel's tree, the same in every run. Made when first asked for, and kept."""

import contextlib
import os
import shutil
import tarfile
import zlib

from evaluation.process import Failure, run

ARCHIVE = "/usr/src/linux-source-6.1.tar.xz"
GROUP_DEPTH = 3  # directories that deep below the root come as a whole or not at all


class Sources:
    """Archives and directories on the host, outside of the disk under test."""

    def __init__(self, directory, tree=None):
        self._directory = directory
        self._tree = os.path.abspath(tree) if tree else None

    def check(self):
        if self._tree and not os.path.isdir(self._tree):
            raise Failure(f"--tree {self._tree}: no directory")
        if not self._tree and not os.path.exists(ARCHIVE):
            raise Failure(f"{ARCHIVE}: not there; install linux-source-6.1 (scripts/install-deps --all), or say --tree")

    def archive(self, percent):
        """An uncompressed archive of so much of the tree, without the top directory's name."""
        path = os.path.join(self._directory, f"tree-{percent}.tar")
        if not os.path.exists(path):
            os.makedirs(self._directory, exist_ok=True)
            with tarfile.open(path + ".part", "w", format=tarfile.GNU_FORMAT) as out:
                self._sample_directory(out, percent) if self._tree else _sample_archive(out, percent)
            os.rename(path + ".part", path)
        return path

    def unpacked(self, percent):
        """The same as a directory."""
        path = os.path.join(self._directory, f"tree-{percent}")
        if not os.path.isdir(path):
            archive = self.archive(percent)
            shutil.rmtree(path + ".part", ignore_errors=True)
            os.makedirs(path + ".part")
            run("tar", "-C", path + ".part", "-xf", archive)
            os.rename(path + ".part", path)
        return path

    def kept(self, name, make):
        """A file or directory that `make(path)` fills once."""
        path = os.path.join(self._directory, name)
        if not os.path.exists(path):
            os.makedirs(self._directory, exist_ok=True)
            part = path + ".part"
            if os.path.isdir(part):
                shutil.rmtree(part)
            make(part)
            os.rename(part, path)
        return path

    def _sample_directory(self, out, percent):
        for folder, folders, names in os.walk(self._tree):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                inside = os.path.relpath(path, self._tree)
                if _is_chosen(inside, percent):
                    out.add(path, inside, recursive=False)


@contextlib.contextmanager
def scratch(path):
    """A place for what is needed in between: nothing is there before, whatever ended the last run, nor afterwards."""
    remove = ("rm", "-rf", "--one-file-system", path)
    run(*remove)
    try:
        yield path
    finally:
        run(*remove)


def _sample_archive(out, percent):
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            _, _, member.name = member.name.partition("/")
            if member.isdir() or not _is_chosen(member.name, percent):
                continue
            out.addfile(member, archive.extractfile(member) if member.isreg() else None)


def _is_chosen(path, percent):
    group = "/".join(os.path.dirname(path).split("/")[:GROUP_DEPTH])
    return zlib.crc32(group.encode()) % 100 < percent
