# SPDX-License-Identifier: Apache-2.0
"""What bench/evaluate starts, mounts and attaches, and that it ends."""

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "../../bench"))

from evaluation import disk, memory, process, sources, systems  # noqa: E402
from evaluation.experiments import applications  # noqa: E402


def is_alive(number):
    try:
        with open(f"/proc/{number}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class ProcessTest(unittest.TestCase):
    def test_run(self):
        self.assertEqual(process.run("echo", "a"), "a\n")
        self.assertEqual(process.run("false", allow=[1]), "")
        with self.assertRaisesRegex(process.Failure, "exit 3: bad"):
            process.run("sh", "-c", "echo bad >&2; exit 3")
        with self.assertRaisesRegex(process.Failure, "stopped after 0.1 s"):
            process.run("sleep", "9", timeout=0.1)

    def test_what_is_not_waited_for_is_ended_with_all_its_children(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "child")
            with self.assertRaises(process.Failure):
                process.run("sh", "-c", 'sleep 99 & echo $! >"$0"; wait', path, timeout=2)
            with open(path, encoding="ascii") as file:
                child = int(file.read())
            process.wait_until(lambda: not is_alive(child), "the child's end")

    def test_a_server_that_ends_at_once_is_told_of(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            server = process.start("sh", "-c", "echo reason; exit 4", log=log)
            with self.assertRaisesRegex(process.Failure, "thing: ended with 4: reason"):
                process.wait_until(lambda: False, "thing", server, log)

    def test_memory_group(self):
        self.assertEqual([memory.betr_cache_mib(limit) for limit in (384, 512, 4096)], [64, 128, 1024])
        group = memory.MemoryGroup(400)
        group.create()
        path = group.path
        self.assertRegex(group.how, r"^(cgroup v[12], 400 MiB, (no swap|swap not limited)|none: .*)$")
        self.assertEqual(path is not None, group.how.startswith("cgroup"))
        if path:
            with subprocess.Popen(["sleep", "99"], preexec_fn=group.join) as child:
                self.assertEqual(group.kill(), 1)
                self.assertEqual(child.wait(), -signal.SIGKILL)
        group.remove()
        self.assertFalse(path and os.path.exists(path))

    def test_a_process_that_has_ended_meanwhile_spares_no_other(self):
        group = memory.MemoryGroup(None)
        killed = []

        def kill(number, _):
            if number == 1:
                raise ProcessLookupError
            killed.append(number)

        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "cgroup.procs"), "w", encoding="ascii") as file:
                file.write("1\n2\n3\n4\n")
            group.path = folder
            with mock.patch("os.kill", kill):
                self.assertEqual(group.kill(spared=[3]), 2)
        self.assertEqual(killed, [2, 4])
        group.path = None
        self.assertEqual(group.kill(), 0)

    def test_who_keeps_the_pipes_open_is_not_waited_for(self):
        with mock.patch.object(process, "LINGER", 0.3), tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "child")
            script = 'setsid sh -c "echo \\$\\$ >$0; exec sleep 20" & wait'
            begun = time.monotonic()
            with self.assertRaisesRegex(process.Failure, "stopped after 0.5 s"):
                process.run("sh", "-c", script, path, timeout=0.5)
            self.assertLess(time.monotonic() - begun, 10)
            with open(path, encoding="ascii") as file:
                os.kill(int(file.read()), signal.SIGKILL)


def dead_mount(path):
    """A mount whose server has gone, as a FUSE server that was killed leaves it."""
    connection = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={connection},rootmode=40000,user_id=0,group_id=0".encode()
    mounted = ctypes.CDLL(None, use_errno=True).mount(b"dead", path.encode(), b"fuse.dead", 0, options)
    os.close(connection)
    return mounted == 0


class MountTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def make_dead_mount(self, path):
        os.mkdir(path)
        if os.geteuid() != 0 or not os.path.exists("/dev/fuse") or not dead_mount(path):
            self.skipTest("nothing can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", path], capture_output=True, check=False)

    def test_what_a_dead_server_has_left_is_mounted_and_can_be_unmounted(self):
        path = os.path.join(self.folder, "a mount")
        self.make_dead_mount(path)
        self.assertFalse(os.path.ismount(path))
        self.assertTrue(process.is_mounted(path))
        self.assertFalse(process.is_served(path))
        process.unmount(path, tries=2)
        self.assertFalse(process.is_mounted(path))
        self.assertEqual(os.listdir(self.folder), ["a mount"])
        os.rmdir(path)

    def test_what_was_mounted_there_twice_is_unmounted_twice(self):
        path = os.path.join(self.folder, "twice")
        self.make_dead_mount(path)
        if not dead_mount(path):
            self.skipTest("nothing can be mounted on it")
        process.unmount(path, tries=1)
        os.rmdir(path)

    def test_the_mounts_of_others_are_left_but_not_what_we_need(self):
        mounts = [
            ("/dev/loop0", "/", "ext4"),
            ("proc", "/proc", "proc"),
            ("/dev/loop1", "/snap/a", "squashfs"),
            ("server", "/data/user/results", "fuse.sshfs"),
            ("server", "/data/user/res", "fuse.sshfs"),
            ("/dev/loop2", "/absent/tree", "ext4"),
        ]
        needed = ["/data/user/results/today", "/absent/tree"]
        self.assertEqual(list(process.mounts_of_others(mounts, needed)), ["/data/user/res", "/snap/a"])
        every = ["/absent/tree", "/data/user/res", "/data/user/results", "/snap/a", "/"]
        self.assertEqual(list(process.mounts_of_others(mounts, [])), every)


class Server(systems.FuseSystem):
    """Ends as it is told, and mounts nothing."""

    name = "server"

    def __init__(self, folder, script):
        super().__init__(types.SimpleNamespace(work=folder, group=memory.MemoryGroup(None), limit=0))
        self._script = script

    def _command(self):
        return ["sh", "-c", self._script]


class ServerTest(unittest.TestCase):
    def end(self, script, wait=0.0):
        """What is complained of when the server is unmounted."""
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(systems, "SECONDS_TO_END", 2):
            server = Server(folder, script)
            with mock.patch.object(process, "is_served", lambda _: True):
                server.mount()
            time.sleep(wait)
            try:
                server.unmount()
            except process.Failure as error:
                return str(error)
            return None

    def test_a_server_that_fails_when_it_ends_is_a_failure(self):
        self.assertIsNone(self.end("sleep 0.7; exit 0"))
        self.assertIn("server: the server ended with 3: no space", self.end("sleep 0.7; echo no space; exit 3"))

    def test_a_server_that_has_died_before_is_a_failure(self):
        self.assertIn("server: the server had died with 7: bug", self.end("echo bug; exit 7", 0.5))
        self.assertIn("server: the server had died with -9", self.end("kill -9 $$", 0.5))
        self.assertIn("server: the server had died with 0", self.end("exit 0", 0.5))

    def test_a_server_is_waited_for_after_an_interrupted_unmount(self):
        unmount = mock.Mock(side_effect=[KeyboardInterrupt, None])
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(process, "unmount", unmount):
            server = Server(folder, "sleep 0.7")
            with mock.patch.object(process, "is_served", lambda _: True):
                server.mount()
            child = server.servers()[0]
            with self.assertRaises(KeyboardInterrupt):
                server.unmount()
            server.unmount()
            self.assertFalse(is_alive(child))

    def test_a_server_that_has_to_be_told_to_end_is_a_failure(self):
        for script in ("sleep 30 & trap 'kill $!; exit 0' TERM; wait", "exec sleep 30"):
            self.assertEqual(self.end(script), "server: the server had not ended 2 s after it was unmounted")


class DiskTest(unittest.TestCase):
    def test_all_steps_of_detaching_are_done_whatever_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            emulated = disk.EmulatedDisk("/absent", folder)
            emulated.device = "/dev/absent"
            emulated._server = mock.Mock()
            with open(os.path.join(folder, "disk.raw"), "w", encoding="ascii"):
                pass
            with mock.patch.object(disk, "run", side_effect=process.Failure("losetup: no")):
                with mock.patch.object(process, "unmount", side_effect=process.Failure("umount: no")) as unmount:
                    with self.assertRaisesRegex(process.Failure, "no"):
                        emulated.detach()
            unmount.assert_called_once_with(os.path.join(folder, "disk"))
            self.assertEqual(os.listdir(folder), [])
            emulated.detach()

    def test_the_disk_is_busy_for_no_longer_than_it_took(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "disk"))
            with open(os.path.join(folder, "disk", "stats"), "w", encoding="ascii") as file:
                file.write('{"reads": 4, "busy_seconds": 2.0, "waited_seconds": 1.0}')
            stats = disk.EmulatedDisk("/absent", folder, time_scale=0.5).stats()
        self.assertEqual(stats, {"reads": 4, "busy_seconds": 1.0})


class ScratchTest(unittest.TestCase):
    def test_what_an_ended_run_has_left_is_made_anew(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scratch")
            os.makedirs(os.path.join(path, "left"))
            with self.assertRaises(KeyboardInterrupt), sources.scratch(path):
                self.assertFalse(os.path.exists(path))
                os.makedirs(os.path.join(path, "again"))
                raise KeyboardInterrupt
            self.assertEqual(os.listdir(folder), [])

    @unittest.skipIf(process.missing(["git"]), "needs git")
    def test_a_repository_is_made_also_after_an_interruption(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "tree"))
            for number in range(20):
                with open(os.path.join(folder, "tree", f"file{number}"), "w", encoding="ascii") as file:
                    file.write("a line\n")
            kept = sources.Sources(os.path.join(folder, "kept"), os.path.join(folder, "tree"))
            bench = types.SimpleNamespace(setting=types.SimpleNamespace(sources=kept))
            os.makedirs(os.path.join(folder, "kept", "repository-100.git.part.tree"))
            path = kept.kept("repository-100.git", lambda part: applications._make(bench, 100, part))
            log = process.run("git", "-C", path, "log", "--format=%s").split()
            self.assertEqual(log, ["second", "first"])
            self.assertEqual(sorted(os.listdir(os.path.join(folder, "kept"))), ["repository-100.git", "tree-100.tar"])



unittest.main()
