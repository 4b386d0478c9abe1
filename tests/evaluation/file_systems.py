# SPDX-License-Identifier: Apache-2.0
"""What bench/evaluate tells the tools of file systems that need not be there."""

import os
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))

from evaluation import systems  # noqa: E402
from evaluation.experiments import versions  # noqa: E402


class ZfsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.arc = os.path.join(folder.name, "arc")
        self.said = []
        self.answers = {"list": "betr-x\nother\n"}
        group = types.SimpleNamespace(path="/a/group", mebibytes=512, join=None)
        setting = types.SimpleNamespace(work=folder.name, device="/dev/x", group=group, limit=9)
        for kind in (systems.Zfs, systems.ZfsDataset):
            for name, value in (("POOL", "betr-x"), ("ARC", self.arc)):
                patch = mock.patch.object(kind, name, value)
                patch.start()
                self.addCleanup(patch.stop)
        patch = mock.patch.object(systems, "run", self.run_program)
        patch.start()
        self.addCleanup(patch.stop)
        self.zfs, self.dataset = systems.Zfs(setting), systems.ZfsDataset(setting)

    def run_program(self, *command, **_):
        self.said.append(" ".join(command))
        return self.answers.get(command[1], "")

    def arc_limit(self):
        with open(self.arc, encoding="ascii") as file:
            return int(file.read())

    def test_is_left_out_where_it_is_not(self):
        with mock.patch.object(systems.process, "missing", lambda names: names):
            self.assertEqual(self.zfs.obstacle(), "not installed: zpool, zfs")
        with mock.patch.object(systems.process, "missing", lambda _: []):
            with mock.patch.object(systems, "_kernel_has", lambda _: False):
                self.assertEqual(self.dataset.obstacle(), "the kernel has no zfs")

    def test_a_pool_is_made_imported_and_exported(self):
        self.zfs.make()
        self.zfs.mount()
        self.assertEqual(self.arc_limit(), 512 << 20)
        self.zfs.unmount()
        self.assertEqual(self.arc_limit(), 0)
        create = f"zpool create -f -o cachefile=none -O atime=off -O mountpoint={self.zfs.path} betr-x /dev/x"
        steps = ["zpool export betr-x", "zpool import -o cachefile=none -d /dev/x betr-x", "zpool list -H -o name"]
        self.assertEqual(self.said, [create, *steps, "zpool export betr-x"])

    def test_what_is_not_imported_is_not_exported(self):
        self.answers = {"list": "other\n"}
        self.zfs.unmount()
        self.assertEqual(self.said, ["zpool list -H -o name"])

    def test_directories_are_cloned_as_datasets(self):
        path = self.dataset.path
        os.makedirs(os.path.join(path, "tail", "0"))
        self.dataset.make_directory(f"{path}/tail/0")
        self.dataset.clone(f"{path}/tail/0", f"{path}/tail/1")
        made = f"zfs create -o mountpoint={path}/tail/0 betr-x/tail:0"
        cloned = f"zfs clone -o mountpoint={path}/tail/1 betr-x/tail:0@tail:1 betr-x/tail:1"
        self.assertEqual(self.said, [made, "zfs snapshot betr-x/tail:0@tail:1", cloned])

    def test_the_whole_pool_counts(self):
        self.answers["list"] = "4096\n"
        self.assertEqual(self.dataset.used_bytes(), 4096)


class CompressionTest(unittest.TestCase):
    def test_betr_does_without_and_btrfs_with_compression(self):
        said = []
        with tempfile.TemporaryDirectory() as folder:
            setting = types.SimpleNamespace(work=folder, bin="/bin", device="/dev/x")
            with mock.patch.object(systems, "run", lambda *command, **_: said.append(" ".join(command))):
                systems.BetrPlain(setting).make()
                systems.BtrfsCompressed(setting).mount()
        mounted = f"mount -t btrfs -o noatime,compress=zstd:1 /dev/x {folder}/mnt"
        self.assertEqual(said, ["/bin/mkfs.betr -q -f --compress none /dev/x", mounted])


class VersionTest(unittest.TestCase):
    def version(self, name):
        """What is said to mkfs.betr and to mount.betr."""
        said = []
        with tempfile.TemporaryDirectory() as folder:
            setting = types.SimpleNamespace(work=folder, bin="/bin", device="/dev/x", cache_mib=64)
            version = versions.Version(setting, name)
            with mock.patch.object(systems, "run", lambda *command, **_: said.append(" ".join(command))):
                version.make()
            self.assertEqual(version.name, name)
            return said[0], version._command()[-4:], version.has_clones

    def test_an_earlier_version_is_mounted_with_experiments(self):
        made, mounted, has_clones = self.version("as 0.3")
        self.assertEqual(made, "/bin/mkfs.betr -q -f /dev/x")
        self.assertEqual(mounted, ["-o", "experiment=zones", "-o", "experiment=split-by-size"])
        self.assertFalse(has_clones)

    def test_other_sizes_are_made(self):
        made, mounted, has_clones = self.version("nodes of 1 MiB")
        self.assertEqual(made, "/bin/mkfs.betr -q -f --node-size 1M /dev/x")
        self.assertEqual(mounted[-2:], ["-o", "cache=64M"])
        self.assertTrue(has_clones)


unittest.main()
