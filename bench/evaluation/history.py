# SPDX-License-Identifier: Apache-2.0
"""Ages a file system by what really happened to a tree (--history): the last commits of a repository, one after the
other, each with a sync. What is changed, made and removed is what `git checkout` changes, makes and removes."""

import os

from evaluation import aged
from evaluation.bench import Sizes
from evaluation.process import Failure, run

AS_ROOT = ("-c", "safe.directory=*", "-c", "core.fsmonitor=false")


class History:
    """Stands for the module `aged`, with a repository in place of made-up changes."""

    NAME = aged.NAME
    SIZES = {"commits": (150, 3000, 3)}

    def __init__(self, repository, scale):
        self.repository = os.path.abspath(repository)
        self._git_directory = self._git("rev-parse", "--absolute-git-dir").strip()
        wanted = Sizes(self, scale).commits
        commits = self._git("rev-list", "--first-parent", f"--max-count={wanted + 1}", "HEAD").split()
        self._first, *self._later = reversed(commits)
        if not self._later:
            raise Failure(f"--history {repository}: has one commit only")
        sizes = [line.split()[3] for line in self._git("ls-tree", "-r", "-l", "HEAD").splitlines()]
        blocks = [-(-int(size) // 4096) for size in sizes if size.isdigit()]
        self._tree_mib = sum(blocks) * 4096 / 2**20

    def _git(self, *arguments):
        try:
            return run("git", *AS_ROOT, "-C", self.repository, *arguments)
        except (Failure, OSError) as error:
            raise Failure(f"--history {self.repository}: {error}") from None

    def describe(self):
        return f"the last {len(self._later)} commits of {self.repository}"

    def disk_mib(self, _):
        return 2 * self._tree_mib

    def age(self, bench):
        aged.age(bench, self)

    def unpack(self, bench, path):
        bench.run("mkdir", path)
        if os.path.exists(self._index(bench)):
            os.remove(self._index(bench))
        self._check_out(bench, path, self._first)

    def pulls(self, bench, path):
        for commit in self._later:
            self._check_out(bench, path, commit)

    def _check_out(self, bench, path, commit):
        """With an index of its own: the repository stays as it is."""
        environment = {**os.environ, "GIT_INDEX_FILE": self._index(bench)}
        git = ("git", *AS_ROOT, f"--git-dir={self._git_directory}", f"--work-tree={path}")
        bench.run(*git, "read-tree", "--reset", "-u", commit, env=environment, cwd="/")
        bench.system.sync()

    @staticmethod
    def _index(bench):
        return os.path.join(bench.setting.work, "history.index")
