# SPDX-License-Identifier: Apache-2.0
"""One memory limit for all: a cgroup, version 1 or 2, in which the loads and the servers of FUSE run.

The emulated disk stays outside: it is the disk, not the machine, and reclaim of the group's pages waits for it.
"""

import contextlib
import os
import signal
import time

MINIMUM_MIB = 384
BETR_EXTRA_MIB = 256  # that mount.betr may take besides its cache (docs/architecture.md)


def betr_cache_mib(limit_mib):
    """The cache with which betr stays below the limit, and leaves something to the page cache."""
    return min(limit_mib // 4, limit_mib - BETR_EXTRA_MIB - 64)


class MemoryGroup:
    """`how` says what was set up, or why nothing could be."""

    def __init__(self, mebibytes):
        self.mebibytes = mebibytes
        self.path = None
        self.how = "no limit was asked for"

    def create(self):
        if self.mebibytes is None:
            return
        for version, parent, limit, swap in _controllers():
            path = os.path.join(parent, f"betr-evaluate-{os.getpid()}")
            try:
                if version == 2:
                    _write(os.path.join(parent, "cgroup.subtree_control"), "+memory")
                os.mkdir(path)
                self.path = path
                _write(os.path.join(path, limit), str(self.mebibytes << 20))
            except OSError as error:
                self.remove()
                self.how = f"none: cgroup v{version}: {error.strerror}"
                continue
            self.how = f"cgroup v{version}, {self.mebibytes} MiB{self._without_swap(swap)}"
            return
        if self.how.startswith("no limit"):
            self.how = "none: there is no cgroup memory controller"

    def _without_swap(self, name):
        """What is swapped out would be memory beside the limit."""
        try:
            with open(os.path.join(self.path, name), "r+", encoding="ascii") as file:
                # Version 1 limits memory and swap together.
                file.write("0" if name == "memory.swap.max" else str(self.mebibytes << 20))
        except OSError:
            return ", swap not limited"
        return ", no swap"

    def join(self):
        """For the child between fork and exec."""
        if self.path is not None:
            _write(os.path.join(self.path, "cgroup.procs"), str(os.getpid()))

    def most_used_mib(self):
        for name in ("memory.peak", "memory.max_usage_in_bytes"):
            with contextlib.suppress(OSError, TypeError):
                with open(os.path.join(self.path, name), encoding="ascii") as file:
                    return int(file.read()) >> 20
        return None

    def kills(self):
        """How often the kernel has killed a process for want of memory."""
        for name in ("memory.events", "memory.oom_control"):
            with contextlib.suppress(OSError, TypeError):
                with open(os.path.join(self.path, name), encoding="ascii") as file:
                    counts = dict(line.split() for line in file)
                return int(counts.get("oom_kill", 0))
        return 0

    def kill(self, spared=()):
        """Ends what still runs in it, but for the processes `spared`; how many there were."""
        killed = 0
        for number in self._processes():
            if number not in spared:
                with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
                    os.kill(number, signal.SIGKILL)
                    killed += 1
        return killed

    def _processes(self):
        if self.path is None:
            return []
        with contextlib.suppress(OSError), open(os.path.join(self.path, "cgroup.procs"), encoding="ascii") as file:
            return [int(number) for number in file]
        return []

    def remove(self):
        if self.path is None:
            return
        self.kill()
        with contextlib.suppress(OSError):
            _write(os.path.join(self.path, "memory.force_empty"), "0")
        for _ in range(50):
            try:
                os.rmdir(self.path)
                break
            except OSError:
                time.sleep(0.1)
        self.path = None


def _controllers():
    """(version, where groups are made, names of the limits of memory and of swap), as far as the kernel has them."""
    with open("/proc/mounts", encoding="utf-8") as file:
        mounts = [line.split()[1:4] for line in file]
    for path, kind, options in mounts:
        if kind == "cgroup" and "memory" in options.split(","):
            yield 1, path, "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"
        if kind == "cgroup2":
            with contextlib.suppress(OSError):
                with open(os.path.join(path, "cgroup.controllers"), encoding="ascii") as file:
                    if "memory" in file.read().split():
                        yield 2, path, "memory.max", "memory.swap.max"


def _write(path, value):
    with open(path, "w", encoding="ascii") as file:
        file.write(value)
