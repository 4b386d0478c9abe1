# SPDX-License-Identifier: Apache-2.0
"""The file systems under test. Each knows how to be made, mounted, synced and how it clones a tree."""

import contextlib
import os
import shutil
import subprocess

from evaluation import process
from evaluation.disk import is_free
from evaluation.process import Failure, run


SECONDS_TO_END = 120  # at least, for a server to write all that it has when it is unmounted


class System:
    """A file system of the kernel; the others say what is different."""

    name = ""
    title = ""
    programs = ()
    kernel_name = None
    clones = "copy (cp -r)"
    clones_share = False  # a clone takes no space of its own
    differs_in_clones_only = False
    entry = "run"  # what an experiment has for it
    mount_options = "noatime"

    def __init__(self, setting):
        self._setting = setting  # device, work, bin, group, cache_mib
        self.path = os.path.join(setting.work, "mnt")
        os.makedirs(self.path, exist_ok=True)

    def obstacle(self):
        """Why it cannot run here, or None."""
        absent = process.missing(self.programs)
        if absent:
            return f"not installed: {', '.join(absent)}"
        if self.kernel_name and not _kernel_has(self.kernel_name):
            return f"the kernel has no {self.kernel_name}"
        return None

    def version(self):
        return f"Linux {os.uname().release}"

    def make(self):
        raise NotImplementedError

    def mount(self):
        run("mount", "-t", self.kernel_name, "-o", self.mount_options, self._setting.device, self.path)

    def unmount(self):
        process.unmount(self.path)

    def forget(self):
        """Nothing is remembered of what is on the disk: not mounted, and no page of the device in memory."""
        self.unmount()
        device = self._setting.device
        process.wait_until(lambda: is_free(device), f"{device} is still in use")
        run("blockdev", "--flushbufs", device)

    def sync(self):
        run("sync", "-f", self.path, timeout=self._setting.limit)

    def by_mount(self):
        """The system by which programs can write what this one will find."""
        return self

    def servers(self):
        """The processes without which it cannot be unmounted in order."""
        return ()

    def make_directory(self, path):
        """A directory that `clone` will be asked to clone."""
        os.makedirs(path)

    def clone(self, source, target):
        self._in_group("cp", "-r", source, target)

    def used_bytes(self):
        """Space that is in use on the disk. After `cold`, so that nothing is reserved for what may be written."""
        found = os.statvfs(self.path)
        return (found.f_blocks - found.f_bfree) * found.f_frsize

    def end_programs(self):
        """Those under the memory limit, but for what the mount needs."""
        self._setting.group.kill(self.servers())

    def _in_group(self, *command):
        run(*command, preexec_fn=self._setting.group.join, timeout=self._setting.limit)


class Ext4(System):
    name = "ext4"
    title = "ext4"
    programs = ("mkfs.ext4",)
    kernel_name = "ext4"
    # The inode tables are not zeroed by and by while others measure.
    mount_options = "noatime,noinit_itable"

    def make(self):
        run("mkfs.ext4", "-q", "-F", "-E", "nodiscard", self._setting.device)


class Xfs(System):
    name = "xfs"
    title = "XFS"
    programs = ("mkfs.xfs",)
    kernel_name = "xfs"
    clones = "cp -r --reflink=always"
    clones_share = True

    def make(self):
        run("mkfs.xfs", "-q", "-f", "-K", self._setting.device)

    def clone(self, source, target):
        self._in_group("cp", "-r", "--reflink=always", source, target)


class Btrfs(Xfs):
    name = "btrfs"
    title = "Btrfs"
    programs = ("mkfs.btrfs", "btrfs")
    kernel_name = "btrfs"

    def make(self):
        run("mkfs.btrfs", "-q", "-f", "-K", self._setting.device)


class BtrfsCompressed(Btrfs):
    """As betr does by default; Btrfs if it is told to, ext4 and XFS not at all."""

    name = "btrfs-zstd"
    title = "Btrfs, compress=zstd:1"
    mount_options = "noatime,compress=zstd:1"


class BtrfsSubvolume(Btrfs):
    """Differs only where trees are cloned."""

    name = "btrfs-subvolume"
    title = "Btrfs, subvolumes"
    clones = "btrfs subvolume snapshot"
    differs_in_clones_only = True

    def make_directory(self, path):
        run("btrfs", "subvolume", "create", path)

    def clone(self, source, target):
        if os.path.isdir(source):
            self._in_group("btrfs", "subvolume", "snapshot", source, target)
        else:
            super().clone(source, target)


class Nilfs2(System):
    name = "nilfs2"
    title = "NILFS2"
    programs = ("mkfs.nilfs2",)
    kernel_name = "nilfs2"

    def make(self):
        run("mkfs.nilfs2", "-q", "-f", "-K", self._setting.device)


class Zfs(System):
    """A pool on the disk. Its cache is not charged to a memory group: it gets the same limit by itself."""

    name = "zfs"
    title = "ZFS"
    programs = ("zpool", "zfs")
    kernel_name = "zfs"
    POOL = f"betr-evaluate-{os.getpid()}"
    ARC = "/sys/module/zfs/parameters/zfs_arc_max"

    def version(self):
        return run("zfs", "version").split("\n")[0]

    def make(self):
        options = ["-o", "cachefile=none", "-O", "atime=off", "-O", f"mountpoint={self.path}"]
        run("zpool", "create", "-f", *options, self.POOL, self._setting.device)
        run("zpool", "export", self.POOL)

    def mount(self):
        self._limit_cache(self._setting.group.mebibytes if self._setting.group.path else 0)
        run("zpool", "import", "-o", "cachefile=none", "-d", self._setting.device, self.POOL)

    def unmount(self):
        if self.POOL in run("zpool", "list", "-H", "-o", "name").split():
            try:
                run("zpool", "export", self.POOL)
            except Failure:
                run("zpool", "export", "-f", self.POOL)
        self._limit_cache(0)

    def _limit_cache(self, mebibytes):
        """0: as it is by default."""
        with open(self.ARC, "w", encoding="ascii") as file:
            file.write(str(mebibytes << 20))

    def used_bytes(self):
        """Of the pool: statfs tells what one dataset uses."""
        return int(run("zpool", "list", "-H", "-p", "-o", "allocated", self.POOL))


class ZfsDataset(Zfs):
    """Differs only where trees are cloned."""

    name = "zfs-dataset"
    title = "ZFS, datasets"
    clones = "zfs snapshot, zfs clone"
    clones_share = True
    differs_in_clones_only = True

    def _dataset(self, path):
        """Its name is flat, so that a directory above it need not be one."""
        return f"{self.POOL}/{os.path.relpath(path, self.path).replace('/', ':')}"

    def make_directory(self, path):
        run("zfs", "create", "-o", f"mountpoint={path}", self._dataset(path))

    def clone(self, source, target):
        if not os.path.isdir(source):
            super().clone(source, target)
            return
        target_name = self._dataset(target)
        snapshot = f"{self._dataset(source)}@{target_name.rpartition('/')[2]}"
        self._in_group("zfs", "snapshot", snapshot)
        self._in_group("zfs", "clone", "-o", f"mountpoint={target}", snapshot, target_name)


class FuseSystem(System):
    """A server of ours in the memory group. FUSE sends no syncfs: a sync is an fsync of a file."""

    def __init__(self, setting):
        super().__init__(setting)
        self._server = None
        self._log = os.path.join(setting.work, f"{self.name}.log")

    def _command(self):
        raise NotImplementedError

    def mount(self):
        self._server = process.start(*self._command(), log=self._log, preexec_fn=self._setting.group.join)
        process.wait_until(lambda: process.is_served(self.path), self.name, self._server, self._log)

    def unmount(self):
        """Waits until all is written, which a server that fails in the end may not have done."""
        server = self._server
        died = server is not None and server.poll() is not None
        process.unmount(self.path)
        seconds = max(SECONDS_TO_END, self._setting.limit)
        by_itself = process.stop(server, seconds)
        self._server = None
        if died or (by_itself and server and server.returncode):
            what = "had died" if died else "ended"
            raise Failure(f"{self.name}: the server {what} with {server.returncode}{process.tail(self._log)}")
        if not by_itself:
            raise Failure(f"{self.name}: the server had not ended {seconds:g} s after it was unmounted")

    def servers(self):
        return () if self._server is None else (self._server.pid,)

    def sync(self):
        to = f"of={self.path}/.sync"
        run("dd", "if=/dev/null", to, "conv=notrunc,fsync", "status=none", timeout=self._setting.limit)


class Fuse2fs(FuseSystem):
    name = "fuse2fs"
    title = "fuse2fs"
    programs = ("fuse2fs", "mkfs.ext4", "fusermount3")

    def version(self):
        told = subprocess.run(["mkfs.ext4", "-V"], capture_output=True, text=True, check=False)
        return f"e2fsprogs {told.stderr.split()[1]}"

    def make(self):
        run("mkfs.ext4", "-q", "-F", "-E", "nodiscard", self._setting.device)

    def _command(self):
        return ["fuse2fs", "-f", self._setting.device, self.path, "-o", "rw,fakeroot,allow_other"]


class Betr(FuseSystem):
    name = "betr"
    title = "betr, mounted"
    programs = ("fusermount3",)
    clones = "betrcp --clone"
    clones_share = True
    make_options = ()

    def obstacle(self):
        for name in ("mkfs.betr", "mount.betr", "betrcp"):
            if not os.path.exists(self.tool(name)):
                return f"{self.tool(name)} is not built"
        return super().obstacle()

    def tool(self, name):
        return os.path.join(self._setting.bin, name)

    def version(self):
        return run(self.tool("mount.betr"), "--version").strip()

    def make(self, *options):
        run(self.tool("mkfs.betr"), "-q", "-f", *self.make_options, *options, self._setting.device)

    def _command(self):
        command = [self.tool("mount.betr"), "-f", self._setting.device, self.path]
        return command + ["-o", f"cache={self._setting.cache_mib}M"]

    def clone(self, source, target):
        self._in_group(self.tool("betrcp"), "--clone", source, target)


class BetrPlain(Betr):
    """For what of a figure is compression, which the file systems of the kernel do not do by default."""

    name = "betr-plain"
    title = "betr, mounted, not compressed"
    make_options = ("--compress", "none")


class BetrLibrary(Betr):
    """The library without a mount: betrcp on the device. For experiments that have run_library."""

    name = "betr-library"
    title = "betr, library (betrcp)"
    entry = "run_library"
    programs = ()

    def by_mount(self):
        return Betr(self._setting)

    def mount(self):
        pass

    def unmount(self):
        pass

    def sync(self):
        """betrcp has made everything durable when it ends."""


def _kernel_has(name):
    if shutil.which("modprobe"):
        subprocess.run(["modprobe", "-q", name], capture_output=True, check=False)
    with open("/proc/filesystems", encoding="ascii") as file:
        return name in file.read().split()


def mounted(system):
    """A new file system, mounted; gone in the end, whatever happens."""
    system.make()
    return remounted(system)


@contextlib.contextmanager
def remounted(system):
    """The same for a file system that there is. Programs that a failure has left are ended first, so that nobody uses
    what is unmounted."""
    try:
        system.mount()
        yield system
        system.unmount()
    except BaseException:
        for step in (system.end_programs, system.unmount):
            with contextlib.suppress(Exception):
                step()
        raise


ALL = (
    *(Betr, BetrPlain, BetrLibrary),
    *(Ext4, Xfs, Btrfs, BtrfsCompressed, BtrfsSubvolume, Zfs, ZfsDataset, Nilfs2, Fuse2fs),
)
