# SPDX-License-Identifier: Apache-2.0
"""What bench/evaluate does before and around experiments. Needs no disk."""

import contextlib
import io
import os
import random
import sys
import tarfile
import tempfile
import types
import unittest
import zlib
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))

from evaluation import aged, bench, disk, experiments, history, library, plan, process  # noqa: E402
from evaluation import results, runner, systems  # noqa: E402
from evaluation.experiments import applications, clones, small_files  # noqa: E402


class StandIn:
    """A file system that is a name."""

    entry = "run"
    differs_in_clones_only = False

    def __init__(self, name):
        self.name = name

    def make(self):
        pass

    mount = unmount = forget = end_programs = make

    def by_mount(self):
        return self


class RunnerTest(unittest.TestCase):
    def run_all(self, *chosen, runs=1, is_aged=False, earlier=None, found=None, limit=60, scale="1"):
        """What is found with the systems good and bad; how many systems were done at each save."""
        found = found or results.Results()
        nothing = mock.Mock(kill=lambda: 0, kills=lambda: 0)
        setting = mock.Mock(group=nothing, disk=mock.Mock(clear=lambda: None), limit=limit, scale=bench.Scale(scale))
        saves = []

        def save():
            saves.append(len(found.pairs()))

        with contextlib.redirect_stderr(io.StringIO()):
            tested = [StandIn("bad"), StandIn("good")]
            runner.run_all(setting, chosen, tested, runs, found, save, aged if is_aged else None, earlier)
        return found, saves

    def test_an_experiment_for_other_systems_is_not_silently_passed_over(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            runner.run_all(mock.Mock(), [experiments.versions], [systems.Ext4], 1, results.Results(), lambda: None)
        self.assertIn("versions: not done: it wants betr-library\n", said.getvalue())

    def test_what_fails_is_noted_and_the_rest_goes_on(self):
        def run(work):
            if work.system.name == "bad":
                raise KeyError("unforeseen")
            work.record("row", 3, "s")

        found, saves = self.run_all(types.SimpleNamespace(NAME="tree", run=run), runs=2)
        self.assertEqual(found.row("tree", "row")["values"], {"good": [3, 3]})
        failures = [(entry["system"], entry["message"]) for entry in found.failures]
        self.assertEqual(failures, [("bad", "KeyError: 'unforeseen'")] * 2)
        self.assertEqual(saves, [1, 2, 2, 2])

    def test_aged_file_systems_are_aged_before_and_kept_apart(self):
        done = []

        def run(work):
            done.append(f"run on {work.system.name}")
            work.record("row", 3, "s")

        with mock.patch.object(aged, "age", lambda work: done.append(f"age {work.system.name}")):
            found, _ = self.run_all(types.SimpleNamespace(NAME="tree", run=run), is_aged=True)
        self.assertEqual(done, ["age bad", "run on bad", "age good", "run on good"])
        self.assertEqual(found.row("tree-aged", "row")["values"], {"bad": [3], "good": [3]})
        self.assertEqual((found.experiments(), aged.plain("tree-aged")), (["tree-aged"], ("tree", True)))

    def test_what_makes_its_file_systems_by_itself_is_not_done_on_aged_ones(self):
        done = []
        experiment = types.SimpleNamespace(NAME="tree", ANEW=("bad",), run=lambda work: done.append(work.system.name))
        with mock.patch.object(aged, "age"):
            self.run_all(experiment, is_aged=True)
        self.assertEqual(done, ["good"])
        self.run_all(experiment)
        self.assertEqual(done[1:], ["bad", "good"])

    def test_what_is_there_need_not_be_done_again(self):
        done = []
        experiment = types.SimpleNamespace(NAME="tree", run=lambda work: done.append(work.system.name))
        earlier = results.Results()
        for value in (1, 2):
            earlier.add("tree", "row", "s", "less", "good", value)
            earlier.add("tree", "row", "s", "less", "bad", value)
        earlier.fail("tree", "bad", "no")
        self.run_all(experiment, runs=2, earlier=earlier)
        self.assertEqual(done, ["bad", "bad"])
        self.run_all(experiment, runs=3, earlier=earlier)
        self.assertEqual(done[2:], ["bad", "good"] * 3)

    def test_what_is_recorded_under_a_name_of_its_own_need_not_be_done_again(self):
        done = []
        experiment = types.SimpleNamespace(
            NAME="versions", RECORDED="last", run=lambda work: done.append(work.system.name)
        )
        earlier = results.Results()
        earlier.add("versions", "row", "s", "less", "first", 1)
        self.run_all(experiment, earlier=earlier)
        self.assertEqual(done, ["bad", "good"])
        earlier.add("versions", "row", "s", "less", "last", 1)
        self.run_all(experiment, earlier=earlier)
        self.assertEqual(done, ["bad", "good"])

    def test_what_the_usual_limit_would_stop_needs_a_longer_one(self):
        done = []
        experiment = types.SimpleNamespace(NAME="tree", SLOW=["bad"], run=lambda work: done.append(work.system.name))
        found, _ = self.run_all(experiment)
        self.assertEqual(done, ["good"])
        self.assertEqual(found.left_out, {"tree: bad": "needs a --limit of more than 60 s"})
        self.run_all(experiment, limit=100)
        self.assertEqual(done[1:], ["bad", "good"])
        found, _ = self.run_all(experiment, limit=120, scale="2")
        self.assertEqual(found.left_out, {"tree: bad": "needs a --limit of more than 120 s"})
        self.run_all(experiment, limit=7200, scale="paper")
        self.assertEqual(done[4:], ["bad", "good"])

    def test_of_a_run_that_fails_halfway_nothing_is_kept_but_that(self):
        def run(work):
            work.record("row", 3, "s")
            work.curve("plot", "x", "y", [(1, 2)])
            if work.system.name == "bad":
                raise process.Failure("too late")

        found, _ = self.run_all(types.SimpleNamespace(NAME="tree", run=run))
        self.assertEqual(found.row("tree", "row")["values"], {"good": [3]})
        self.assertEqual([curve["system"] for curve in found.curves], ["good"])
        self.assertEqual([entry["message"] for entry in found.failures], ["too late"])

    def test_half_a_run_is_not_kept(self):
        def run(work):
            work.record("row", 3, "s")
            if work.system.name == "good":
                raise KeyboardInterrupt

        found = results.Results()
        with self.assertRaises(KeyboardInterrupt):
            self.run_all(types.SimpleNamespace(NAME="tree", run=run), found=found)
        self.assertEqual(found.row("tree", "row")["values"], {"bad": [3]})

    def test_what_fails_on_the_bare_disk_is_told_and_an_interruption_ends_it(self):
        def run_bare(work):
            raise errors[0]

        errors = [process.Failure("fio: no"), KeyboardInterrupt()]
        experiment = types.SimpleNamespace(NAME="disk", run_bare=run_bare)
        found, _ = self.run_all(experiment)
        self.assertEqual([entry["message"] for entry in found.failures], ["fio: no"])
        errors.pop(0)
        with self.assertRaises(KeyboardInterrupt):
            self.run_all(experiment)

    def test_an_interruption_ends_it_whatever_cannot_be_cleaned_up(self):
        def run(work):
            work.system.unmount = mock.Mock(side_effect=OSError("no"))
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.run_all(types.SimpleNamespace(NAME="tree", run=run))

    def test_an_interrupted_unmount_is_done_again(self):
        def run(work):
            work.system.unmount = unmount

        unmount = mock.Mock(side_effect=[KeyboardInterrupt, None])
        with self.assertRaises(KeyboardInterrupt):
            self.run_all(types.SimpleNamespace(NAME="tree", run=run))
        self.assertEqual(unmount.call_count, 2)

    def test_what_cannot_be_prepared_is_left_out(self):
        def prepare(_):
            raise process.Failure("no network")

        absent = types.SimpleNamespace(NAME="imap", NEEDS=["/absent/program"], run=None)
        found, saves = self.run_all(types.SimpleNamespace(NAME="containers", prepare=prepare, run=None), absent)
        self.assertEqual(found.left_out, {"containers": "no network", "imap": "not installed: /absent/program"})
        self.assertEqual((found.pairs(), saves), (set(), []))


class ExperimentsTest(unittest.TestCase):
    def test_what_is_run_is_the_experiments_own(self):
        for experiment in experiments.ALL:
            entries = [getattr(experiment, name, None) for name in ("run", "run_library", "run_bare")]
            own = [entry.__module__ == experiment.__name__ for entry in entries if entry]
            self.assertTrue(own and all(own), experiment.NAME)


@unittest.skipIf(process.missing(["git"]), "needs git")
class HistoryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.repository = os.path.join(folder.name, "repository")
        self.git("init", "-q")
        for commit in range(6):
            for name in (f"new{commit}", "changed", "folder/changed"):
                path = os.path.join(self.repository, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="ascii") as file:
                    file.write(f"{commit}\n")
            if commit:
                os.remove(os.path.join(self.repository, f"new{commit - 1}"))
            self.git("add", "-A")
            self.git("commit", "-q", "-m", str(commit))

    def git(self, *arguments):
        os.makedirs(self.repository, exist_ok=True)
        return process.run("git", "-C", self.repository, *applications.AS_NOBODY, *arguments)

    def test_the_last_commits_are_checked_out_one_after_the_other(self):
        before = self.git("status", "--porcelain"), self.git("rev-parse", "HEAD")
        path, states = os.path.join(self.folder, "tree"), []

        def sync():
            found = [os.path.join(top, name) for top, _, names in os.walk(path) for name in names]
            names = sorted(os.path.relpath(name, path) for name in found)
            with open(os.path.join(path, "changed"), encoding="ascii") as file:
                states.append((file.read().strip(), names))

        aging = history.History(self.repository, bench.Scale("0.0001"))
        setting = mock.Mock(work=self.folder)
        work = types.SimpleNamespace(setting=setting, run=process.run, system=mock.Mock(sync=sync))
        aging.unpack(work, path)
        aging.pulls(work, path)
        self.assertEqual(states, [(str(n), ["changed", "folder/changed", f"new{n}"]) for n in (2, 3, 4, 5)])
        self.assertEqual((self.git("status", "--porcelain"), self.git("rev-parse", "HEAD")), before)
        self.assertEqual(aging.describe(), f"the last 3 commits of {self.repository}")
        self.assertTrue(0 < aging.disk_mib(None) < 1)

    def test_all_there_is_if_that_is_less(self):
        self.assertEqual(history.History(self.repository, bench.Scale("1")).describe()[:18], "the last 5 commits")
        with self.assertRaisesRegex(process.Failure, "^--history /absent: "):
            history.History("/absent", bench.Scale("1"))

    def test_ages_as_the_made_up_changes_do(self):
        done = []
        changes = types.SimpleNamespace(unpack=lambda *_: done.append("first"), pulls=lambda *_: done.append("later"))
        work = types.SimpleNamespace(path=lambda name: name, load=lambda *said: done.append(said), system=mock.Mock())
        aged.age(work, changes)
        self.assertEqual(done, ["first", "later", ("thin", "aged")])


class LibraryTest(unittest.TestCase):
    def test_a_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            archive = os.path.join(folder, "tree.tar")
            with tarfile.open(archive, "w") as out:
                for name in ("a/b/file", "a/odd \u00fc\\"):
                    member = tarfile.TarInfo(name)
                    member.size = 3
                    out.addfile(member, io.BytesIO(b"abc"))
            trace = library.Trace(folder)
            trace.tree("top", archive)
            trace.call("fsync(3) = 0", 7)
            trace.close()
            with open(trace.path, encoding="ascii") as file:
                self.assertEqual(file.read(), "7 fsync(3) = 0\n")
        folders = [f"{path}\td\t0755\t0\t-" for path in ("/mnt/w", "/mnt/w/top", "/mnt/w/top/a", "/mnt/w/top/a/b")]
        files = ["/mnt/w/top/a/b/file\tf\t0644\t3\t-", "/mnt/w/top/a/odd\\040\\303\\274\\134\tf\t0644\t3\t-"]
        self.assertEqual(trace.manifest, folders + files)

    def test_a_large_file_in_an_archive(self):
        out = io.BytesIO()
        library.write_archive(3, out)
        out.seek(0)
        with tarfile.open(fileobj=out) as archive:
            self.assertEqual([(member.name, member.size) for member in archive], [(library.LARGE, 3 << 20)])
            content = archive.extractfile(library.LARGE).read()
        self.assertEqual(content[1 << 20 : (1 << 20) + 8], (1).to_bytes(8, "little"))
        self.assertGreater(len(zlib.compress(content[: 1 << 20], 1)), 1 << 20)

    def test_calls_make_the_files_that_the_load_makes(self):
        calls = [call for number in (0, 1, 128) for call in small_files._calls("/w", number)]
        names = [call.split('"')[1] for call in calls if '"/' in call]
        self.assertEqual(names, ["/w", "/w/0", "/w/0/0", "/w/0/0/0", "/w/0/0/1", "/w/0/1", "/w/0/1/0"])

    def test_a_directory_is_cloned_and_written_to_file_by_file(self):
        cloned = list(clones._clone_calls(0, 1))
        written = list(clones._write_calls(1, random.Random(1), 512))
        self.assertEqual(sum("FICLONE" in call for call in cloned), clones.FOLDERS * clones.FILES)
        self.assertEqual([cloned[0], *cloned[-2:]], ['mkdir("/mnt/w/1", 0755) = 0', "fsync(4) = 0", "close(3) = 0"])
        self.assertEqual(sum("pwrite64" in call for call in written), clones.FOLDERS * clones.FILES)
        self.assertEqual(written[-1], "sync() = 0")


class PlanTest(unittest.TestCase):
    def setUp(self):
        self.disk = disk.EmulatedDisk("/absent/program", "/absent")

    def plan(self, scale="paper", out="/", before=None):
        return plan.Plan(experiments.ALL, bench.Scale(scale), self.disk, "/", out, before)

    def size(self, name, size):
        return self.plan().sizes_of(next(entry for entry in experiments.ALL if entry.NAME == name))[size]

    def test_the_papers_sizes(self):
        expected = {
            ("large-file", "mebibytes"): 10 * 1024,
            ("large-file", "writes"): 256 * 1024,
            ("large-file", "reads"): 256 * 1024,
            ("small-files", "files"): 3_000_000,
            ("tree", "percent"): 100,
            ("rename", "largest_kib"): 64 * 1024,
            ("clones", "file_kib"): 4096,
            ("clones", "rounds"): 128,
            ("clone-writes", "mebibytes"): 256,
            ("clone-writes", "writes"): 8192,
            ("imap", "messages"): 2500,
            ("imap", "operations"): 10_000,
        }
        self.assertEqual({key: self.size(*key) for key in expected}, expected)

    def test_all_experiments_fit_on_the_emulated_disk(self):
        for entry in experiments.ALL:
            used = self.plan(before=aged).disk_mib(entry)
            self.assertTrue(0 < used < self.disk.size_mib(), f"{entry.NAME}: {used} MiB")
            self.assertLess(self.plan("0.01").disk_mib(entry), used, entry.NAME)

    def test_room_is_looked_for_before(self):
        with mock.patch.object(plan, "free_mib", lambda _: 1 << 20):
            self.plan().check_room()
        with mock.patch.object(plan, "free_mib", lambda _: 20 * 1024):
            with self.assertRaisesRegex(process.Failure, "^/: 20.0 GiB are free, .*most of all large-file.*--scale"):
                self.plan().check_room()
            self.plan("1", "/absent/out").check_room()
        with mock.patch.object(disk.EmulatedDisk, "size_mib", lambda _: 1024):
            with self.assertRaisesRegex(process.Failure, "^large-file needs up to 25.0 GiB, the disk has 1.0 GiB"):
                self.plan().check_room()

    def test_what_would_be_done(self):
        lines = list(self.plan().lines())
        self.assertEqual([line.split()[0] for line in lines[:-2]], [entry.NAME for entry in experiments.ALL])
        self.assertRegex("\n".join(lines), "small-files +files 3,000,000; on the disk at most 17.9 GiB\n")
        self.assertRegex(next(self.plan(before=aged).lines()), "^aged +percent 100, rounds 100, changes 1,500;")


unittest.main()
