# SPDX-License-Identifier: Apache-2.0
"""What an experiment works with: sizes, the file system under test, loads in the memory group, and measuring."""

import contextlib
import os
import shlex
import time
import zlib

from evaluation import disk as disks
from evaluation import systems
from evaluation.process import run

LOAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../mounts/load.cc")
USUAL_LIMIT = 60  # seconds that one program may take at the usual sizes
PAPER_LIMIT = 7200  # and at those of the papers
COMPILER = ("c++", "-O2", "-std=c++20", "-pthread")


class Scale:
    """Sizes of experiments: each has the papers' value and a default that takes seconds, multiplied by a factor."""

    def __init__(self, text):
        self.is_paper = text == "paper"
        self.factor = 1.0 if self.is_paper else float(text)
        if not 0 < self.factor <= 100:
            raise ValueError(text)
        self.text = text if self.is_paper else f"{self.factor:g}"

    @property
    def usual_limit(self):
        """Seconds in which a program that is not slow can do its work; at the papers' sizes it needs more."""
        return USUAL_LIMIT * max(1, self.factor)

    @property
    def limit(self):
        """Seconds that one program may take, if nothing else is said."""
        return PAPER_LIMIT if self.is_paper else self.usual_limit

    def size(self, usual, paper, least=1):
        return paper if self.is_paper else max(least, round(usual * self.factor))


class Sizes:
    """The sizes of an experiment, by the names in its SIZES."""

    def __init__(self, experiment, scale):
        for name, sizes in getattr(experiment, "SIZES", {}).items():
            setattr(self, name, scale.size(*sizes))


class Setting:
    """Where everything is: one for a run of the program."""

    def __init__(self, work, bin_directory, disk, group, cache_mib, scale, sources, limit=None, history=None):
        self.work = work
        self.bin = bin_directory
        self.disk = disk
        self.group = group
        self.cache_mib = cache_mib
        self.scale = scale
        self.sources = sources
        self.limit = limit  # seconds that one program may take
        self.history = history  # what ages file systems, if it is a repository's
        self.load = None

    @property
    def device(self):
        return self.disk.device

    def build(self):
        """The program of bench/mounts/load.cc, once for each of its versions."""
        with open(LOAD, "rb") as file:
            version = zlib.crc32(file.read())
        self.load = self.sources.kept(f"load-{version:08x}", lambda path: run(*COMPILER, LOAD, "-o", path))


class Bench:
    """One run of one experiment on one system. What it measures goes to `results`, under the experiment's or another
    `name`."""

    def __init__(self, setting, experiment, system, results, name=None):
        self.setting = setting
        self.system = system
        self._name = name or experiment.NAME
        self._sizes = Sizes(experiment, setting.scale)
        self._results = results

    def __getattr__(self, name):
        """Sizes by their names, as the experiment's SIZES has them."""
        return getattr(self._sizes, name)

    def path(self, *parts):
        return os.path.join(self.system.path, *parts)

    def run(self, *command, **options):
        """A program under the memory limit."""
        return run(*command, preexec_fn=self.setting.group.join, timeout=self.setting.limit, **options)

    def load(self, *arguments):
        """bench/mounts/load.cc; what it printed besides its time."""
        return self.run(self.setting.load, *(str(argument) for argument in arguments)).splitlines()[:-1]

    def betrcp(self, *arguments):
        """On the device, which nobody has mounted."""
        return self.run(*self._betrcp(), *arguments)

    def betrcp_to_pipe(self, *arguments):
        self.run("bash", "-o", "pipefail", "-c", '"$@" | cat >/dev/null', "bash", *self._betrcp(), *arguments)

    def betrcp_grep(self, text, path):
        """Looks for a text in all that betrcp packs of a path."""
        script = '"${@:2}" | grep -ac -e "$1"; ended=("${PIPESTATUS[@]}"); [ ${ended[0]} = 0 ] && [ ${ended[1]} -le 1 ]'
        self.run("bash", "-c", script, "bash", text, *self._betrcp(), "--tar", f":/{path}", "-")

    def betrcp_from_pipe(self, command, *arguments):
        script = 'set -o pipefail; eval "$1" | "${@:2}"'
        self.run("bash", "-c", script, "bash", shlex.join(command), *self._betrcp(), *arguments)

    @contextlib.contextmanager
    def mounted(self):
        """For what only programs can do to a file system that is not mounted by itself."""
        with systems.remounted(self.system.by_mount()) as system:
            yield system
        self.cold()

    def used_bytes(self):
        """Space that is in use, also of what is not mounted by itself."""
        with self.mounted() as system:
            return system.used_bytes()

    def _betrcp(self):
        tool = os.path.join(self.setting.bin, "betrcp")
        return [tool, "-i", self.setting.device, "--cache", f"{self.setting.cache_mib}M"]

    def cold(self, row=None):
        """A new mount that remembers nothing. With `row` it is measured: what it reads is not read again."""
        self.system.forget()
        with self.seconds(row) if row else contextlib.nullcontext():
            self.system.mount()

    @staticmethod
    def timed(work):
        begun = time.monotonic()
        work()
        return time.monotonic() - begun

    @contextlib.contextmanager
    def seconds(self, row):
        """Measures what is done within, in seconds."""
        with self._measured(row, "s", "less", lambda taken: taken):
            yield

    @contextlib.contextmanager
    def rate(self, row, amount, unit):
        """Measures what is done within as amount / second."""
        with self._measured(row, unit, "more", lambda taken: amount / taken):
            yield

    @contextlib.contextmanager
    def _measured(self, row, unit, better, figure):
        before = self.setting.disk.stats()
        begun = time.monotonic()
        yield
        taken = time.monotonic() - begun
        disk = disks.difference(self.setting.disk.stats(), before)
        self.record(row, figure(taken), unit, better, disk)

    def record(self, row, value, unit, better="less", disk=None):
        self._results.add(self._name, row, unit, better, self.system.name, value, disk)

    def fail(self, message):
        self._results.fail(self._name, self.system.name, message)

    def median(self, row):
        """What was measured of this system so far."""
        return self._results.median(self._name, row, self.system.name)

    def curve(self, plot, x_label, y_label, points):
        self._results.add_curve(self._name, plot, x_label, y_label, self.system.name, points)
