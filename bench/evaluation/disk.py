# SPDX-License-Identifier: Apache-2.0
"""The disk under test: the emulated one (bench/disk) behind a loop device, or a real block device."""

import contextlib
import errno
import json
import os
import stat

from evaluation import process
from evaluation.process import Failure, run

EMULATED_GIB = 50
STATS = ("reads", "read_hits", "writes", "flushes", "seeks", "read_bytes", "written_bytes", "busy_seconds")


class EmulatedDisk:
    """A loop device with direct I/O over the file of bench/disk/emulated_disk.cc."""

    def __init__(self, program, work, time_scale=1.0):
        self._program = program
        self._work = work
        self._time_scale = time_scale
        self._mount = os.path.join(work, "disk")
        self._backing = os.path.join(work, "disk.raw")
        self._log = os.path.join(work, "disk.log")
        self._server = None
        self.device = None

    def attach(self):
        self.check()
        os.makedirs(self._mount, exist_ok=True)
        command = [self._program, "--size", f"{EMULATED_GIB}G", "--backing", self._backing]
        command += ["--scale", str(self._time_scale), self._mount]
        self._server = process.start(*command, log=self._log)
        file = os.path.join(self._mount, "disk")
        process.wait_until(lambda: process.is_served(self._mount), "emulated_disk", self._server, self._log)
        options = ["--direct-io=on", "--sector-size", "4096", "--find", "--show"]
        self.device = run("losetup", *options, file).strip()
        queue = f"/sys/block/{os.path.basename(self.device)}/queue"
        _write(f"{queue}/rotational", "1")
        _write(f"{queue}/scheduler", "mq-deadline")

    def detach(self):
        """Each of the steps whatever became of those before."""
        device, self.device = self.device, None
        server, self._server = self._server, None
        with contextlib.ExitStack() as steps:
            steps.callback(lambda: os.path.exists(self._backing) and os.remove(self._backing))
            steps.callback(process.stop, server)
            steps.callback(process.unmount, self._mount)
            if device is not None:
                steps.callback(run, "losetup", "-d", device)

    def clear(self):
        run("blkdiscard", "-f", self.device)

    def stats(self):
        with open(os.path.join(self._mount, "stats"), encoding="ascii") as file:
            found = {name: value for name, value in json.load(file).items() if name in STATS}
        found["busy_seconds"] *= self._time_scale
        return found

    def describe(self):
        speed = "" if self._time_scale == 1 else f", time scaled by {self._time_scale:g}"
        return f"emulated, hdd-7200, {EMULATED_GIB}G{speed}"

    def check(self):
        """Fails if it cannot be attached, as far as that is known before."""
        if not os.path.exists(self._program):
            raise Failure(f"{self._program}: not there; build the target emulated_disk, or say --bin")

    def size_mib(self):
        return EMULATED_GIB * 1024

    def host_mib(self, used_mib):
        """What of the host is taken while so much of the disk is in use."""
        return used_mib


class RealDisk:
    """A block device whose content is lost."""

    def __init__(self, device):
        self.device = device
        self._stat = f"/sys/class/block/{os.path.basename(os.path.realpath(device))}/stat"

    def check(self):
        if not os.path.exists(self.device) or not stat.S_ISBLK(os.stat(self.device).st_mode):
            raise Failure(f"--disk {self.device}: no block device")
        if not is_free(self.device):
            raise Failure(f"--disk {self.device}: it, or a part of it, is in use")

    attach = check

    def size_mib(self):
        return int(run("blockdev", "--getsize64", self.device)) >> 20

    def host_mib(self, _):
        return 0

    def detach(self):
        pass

    def clear(self):
        # A disk with platters cannot discard; a new file system overwrites what matters.
        run("wipefs", "-aq", self.device)

    def stats(self):
        """As the kernel counts: seeks are unknown, busy is the time with requests under way."""
        with open(self._stat, encoding="ascii") as file:
            fields = [int(field) for field in file.read().split()]
        counted = {"reads": fields[0], "read_bytes": fields[2] * 512, "writes": fields[4]}
        counted |= {"written_bytes": fields[6] * 512, "busy_seconds": fields[9] / 1e3}
        if len(fields) > 15:
            counted["flushes"] = fields[15]
        return counted

    def describe(self):
        model = os.path.join(os.path.dirname(os.path.realpath(self._stat)), "device", "model")
        if os.path.exists(model):
            with open(model, encoding="ascii") as file:
                return f"{self.device} ({file.read().strip()})"
        return self.device


def is_free(device):
    """Not mounted anywhere. A mount that another namespace has got a copy of lives on, with all that it remembers."""
    try:
        os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
        return True
    except OSError as error:
        if error.errno == errno.EBUSY:
            return False
        raise


def difference(later, earlier):
    return {name: later[name] - earlier[name] for name in later}


def _write(path, value):
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(value)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error
