# SPDX-License-Identifier: Apache-2.0
"""What programs do: git clone and diff, rsync with and without --inplace, all within the file system."""

import os
import random

from evaluation.plan import tree_mib
from evaluation.process import run as run_on_host
from evaluation.sources import scratch

NAME = "applications"
TITLE = "git and rsync"
SLOW = ("fuse2fs",)
SIZES = {"percent": (3, 100, 1)}
AS_NOBODY = ["-c", "user.name=betr", "-c", "user.email=betr@localhost", "-c", "safe.directory=*"]
CHANGED = 0.1  # of the files, between the two commits


def disk_mib(sizes):
    return 5 * tree_mib(sizes.percent)  # a repository, a clone of it with its own, two copies


def run_git(bench, *arguments, **options):
    environment = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "HOME": bench.setting.work}
    return bench.run("git", *AS_NOBODY, *arguments, env=environment, **options)


def git_clone(bench, row):
    """Of a repository that is copied to the file system before; to the directory `clone`."""
    share = min(bench.percent, 100)
    repository = bench.setting.sources.kept(f"repository-{share}.git", lambda path: _make(bench, share, path))
    bench.run("cp", "-r", repository, bench.path("repository.git"))
    bench.cold()
    with bench.seconds(row):
        run_git(bench, "clone", "-q", bench.path("repository.git"), bench.path("clone"))
        bench.system.sync()


def run(bench):
    git_clone(bench, "git clone + sync, cold")
    bench.cold()
    with bench.seconds("git diff between two commits, cold"):
        run_git(bench, "-C", bench.path("clone"), "diff", "HEAD~1", "HEAD")
    bench.cold()
    with bench.seconds("git status, cold"):
        run_git(bench, "-C", bench.path("clone"), "status")
    bench.run("rm", "-rf", bench.path("clone", ".git"))
    for name, options in (("rsync", ()), ("rsync --inplace", ("--inplace",))):
        bench.cold()
        with bench.seconds(f"{name}, cold"):
            bench.run("rsync", "-a", *options, bench.path("clone") + "/", bench.path(name.replace(" ", "")) + "/")
            bench.system.sync()


def _make(bench, share, path):
    """A repository with two commits, on the host; bare."""
    with scratch(path + ".tree") as tree:
        os.makedirs(tree)
        run_on_host("tar", "-C", tree, "-xf", bench.setting.sources.archive(share))
        git = ["git", *AS_NOBODY, "-C", tree]
        run_on_host(*git, "init", "-q")
        _commit(git, "first")
        files = run_on_host(*git, "ls-files").splitlines()
        for name in random.Random(1).sample(files, max(1, int(len(files) * CHANGED))):
            if os.path.isfile(os.path.join(tree, name)):
                with open(os.path.join(tree, name), "a", encoding="utf-8") as file:
                    file.write("one more line\n")
        _commit(git, "second")
        run_on_host("git", *AS_NOBODY, "clone", "-q", "--bare", tree, path)


def _commit(git, message):
    run_on_host(*git, "add", "-Af")
    dates = {name: "2023-01-01T00:00:00Z" for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")}
    run_on_host(*git, "commit", "-q", "-m", message, env={**os.environ, **dates})
