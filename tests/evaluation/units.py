# SPDX-License-Identifier: Apache-2.0
"""The parts of bench/evaluate that need no disk: results, tables, claims, plots, the command line."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "../../bench"))

from evaluation import cli, experiments, process, results, sources  # noqa: E402
from evaluation.bench import Scale  # noqa: E402
from recorded import RECORDED, small_results  # noqa: E402


class ResultsTest(unittest.TestCase):
    def test_runs_are_gathered(self):
        found = small_results()
        self.assertEqual(found.median("large-file", "write", "betr"), 20)
        self.assertIsNone(found.median("large-file", "write", "xfs"))
        self.assertIsNone(found.median("tree", "write", "betr"))

    def test_files_keep_all(self):
        found = small_results()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            found.save(path)
            self.assertEqual(vars(results.Results.load(path)), vars(found))
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"schema": "another"}')
            with self.assertRaises(ValueError):
                results.Results.load(path)

    def test_a_later_run_replaces_what_it_did_again_only(self):
        found = small_results()
        later = results.Results()
        later.add("large-file", "write", "MB/s", "more", "betr", 99)
        later.add("tree", "find", "s", "less", "betr", 1)
        found.merge(later)
        self.assertEqual(found.row("large-file", "write")["values"], {"betr": [99], "ext4": [10]})
        self.assertEqual(found.row("large-file", "read")["values"], {"ext4": [8], "xfs": [1]})
        self.assertEqual(found.curves, [])
        self.assertEqual(found.median("tree", "find", "betr"), 1)
        self.assertEqual(len(found.failures), 1)

    def test_curves_of_all_runs_are_kept(self):
        found = small_results()
        found.add_curve("large-file", "rate & time", "files", "files/s", "betr", [(1, 4), (3, 8)])
        found.add_curve("large-file", "rate & time", "files", "files/s", "betr", [(1, 3), (3, 9)])
        self.assertEqual(found.curves[0]["runs"], [[[1, 2], [3, 4]], [[1, 4], [3, 8]], [[1, 3], [3, 9]]])
        self.assertEqual(results.curve_lines(found.curves[0]), [[(1, 3), (3, 8)]])
        found.add_curve("large-file", "rate & time", "files", "files/s", "betr", [(1, 3), (4, 9)])
        self.assertEqual(len(results.curve_lines(found.curves[0])), 4)
        together = results.Results()
        together.gather(found)
        self.assertEqual(together.curves, [])  # it has a failure
        found.failures = []
        together.gather(found)
        self.assertEqual(together.curves, found.curves)
        self.assertEqual(results.Results.load(RECORDED).curves[0].keys() - found.curves[0].keys(), set())

    def test_all_commands_are_told(self):
        found = results.Results()
        for command, kernel in (("evaluate a", "1"), ("evaluate b", "2"), ("evaluate b", "2")):
            later = results.Results()
            later.about = {"command": command, "kernel": kernel, "systems": {command: "x"}, "processors": kernel}
            found.merge(later)
        self.assertEqual(found.about["command"], "evaluate a; evaluate b")
        self.assertEqual((found.about["kernel"], len(found.about["systems"])), ("1; 2", 2))
        self.assertEqual(found.about["processors"], "1; 2")

    def test_conditions_are_known_as_far_as_they_are(self):
        found = results.Results()
        found.conditions = {"scale": "1", "memory": "512 MiB"}
        self.assertEqual(found.differences({"scale": "1", "disk": "emulated"}), [])
        self.assertEqual(found.differences({"scale": "0.5", "memory": "512 MiB"}), ["scale 1, not 0.5"])
        later = results.Results()
        later.conditions = {"disk": "emulated"}
        found.merge(later)
        self.assertEqual(found.conditions, {"scale": "1", "memory": "512 MiB", "disk": "emulated"})
        self.assertEqual(results.Results.load(RECORDED).conditions, {"scale": "1"})

    def test_what_was_left_out_is_remembered_until_it_is_done(self):
        found, later = results.Results(), results.Results()
        found.left_out = {"imap": "not installed", "nilfs2": "no kernel", "tree": "no source"}
        found.left_out |= {"tree: betr": "slow", "tree: xfs": "slow"}
        later.left_out = {"zfs": "no kernel"}
        later.add("tree", "find", "s", "less", "betr", 1)
        found.merge(later)
        self.assertEqual(set(found.left_out), {"imap", "nilfs2", "tree: xfs", "zfs"})


class CommandTest(unittest.TestCase):
    def run_main(self, *arguments):
        with mock.patch.object(sys, "argv", ["evaluate", *arguments]), mock.patch("evaluation.runner.interruptible"):
            out, said = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
                return cli.main(), out.getvalue(), said.getvalue()

    def test_list(self):
        code, out, _ = self.run_main("--list")
        self.assertEqual(code, 0)
        for name in ("large-file", "clones", "btrfs-subvolume", "ext4"):
            self.assertIn(f"  {name} ", out)

    def test_errors(self):
        cases = {
            ("--scale", "much"): "--scale much: wants a number up to 100, or paper",
            ("--scale", "0"): "--scale 0: wants a number up to 100, or paper",
            ("--runs", "0"): "--runs 0: wants at least 1",
            ("--limit", "-4"): "--limit -4: wants more than 0 seconds",
            ("--time-scale", "0"): "--time-scale 0: wants 0.001 to 10",
            ("--time-scale", "nan"): "--time-scale nan: wants 0.001 to 10",
            ("--time-scale", "0.1", "--disk", "/dev/sdx"): "--time-scale 0.1: is of the emulated disk only",
            ("--history", ".", "tree"): "--history .: wants --aged, or the experiment ageing",
            ("--dir", "/absent"): "--dir /absent: no directory",
            ("--memory", "12"): "--memory 12: wants MiB, at least 384, or none",
        }
        for arguments, message in cases.items():
            self.assertEqual(self.run_main(*arguments), (2, "", f"bench/evaluate: {message}\n"))

    def test_the_report_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.run_main("--report-only", "--out", folder)[0], 2)
            results.Results.load(RECORDED).save(os.path.join(folder, "results.json"))
            self.assertEqual(self.run_main("--report-only", "--out", folder)[0], 0)
            self.assertEqual(set(os.listdir(folder)), {"results.json", "report.html", "report.md", "figures"})

    def test_results_of_different_conditions_are_not_mixed(self):
        with tempfile.TemporaryDirectory() as folder:
            found = results.Results()
            found.conditions = {"scale": "1", "memory": "512 MiB", "disk": "emulated", "time scale": "1"}
            found.save(os.path.join(folder, "results.json"))
            arguments = ("--out", folder, "--dir", folder, "--dry-run", "--missing", "--systems", "ext4", "clones")
            for option, value, told in (
                ("--scale", "0.5", "scale 1, not 0.5; memory 512 MiB, not 384 MiB"),
                ("--scale", "paper", "scale 1, not paper; memory 512 MiB, not 4096 MiB"),
                ("--memory", "none", "memory 512 MiB, not none"),
                ("--time-scale", "0.1", "time scale 1, not 0.1"),
                ("--disk", "/dev/sdx", "disk emulated, not /dev/sdx"),
            ):
                message = f"bench/evaluate: {folder} has results with {told}: choose another --out\n"
                self.assertEqual(self.run_main(*arguments, option, value), (2, "", message))
            self.assertIn("clones", self.run_main(*arguments, "--scale", "1.0")[1])

    def test_what_was_done_without_a_limit_that_could_not_be_set_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            found = results.Results()
            found.conditions = {"scale": "1", "memory": "none", "cache of betr": "128 MiB"}
            found.save(os.path.join(folder, "results.json"))
            arguments = ("--out", folder, "--dir", folder, "--dry-run", "--systems", "ext4", "clones")
            self.assertIn("clones", self.run_main(*arguments)[1])
            told = "cache of betr 128 MiB, not 256 MiB"  # with which betr is not the same
            message = f"bench/evaluate: {folder} has results with {told}: choose another --out\n"
            self.assertEqual(self.run_main(*arguments, "--memory", "none"), (2, "", message))

    def test_unknown_names(self):
        with self.assertRaisesRegex(process.Failure, "trees: no such experiment; there are: disk, large-file"):
            cli.chosen(["trees"], experiments.ALL, "experiment")
        self.assertEqual(cli.chosen(["tree"], experiments.ALL, "experiment")[0].NAME, "tree")
        self.assertEqual(len(cli.chosen([], experiments.ALL, "experiment")), len(experiments.ALL))

    def test_what_is_done_on_aged_file_systems(self):
        every = {entry.NAME for entry in experiments.ALL}
        picked = {entry.NAME for entry in cli.pick(cli.parser().parse_args(["--aged"]))}
        self.assertEqual(every - picked, {"disk", "ageing", "versions"})
        self.assertEqual(self.run_main("--aged", "disk")[0], 2)

    def test_a_dry_run_says_the_sizes(self):
        _, out, _ = self.run_main("--dry-run", "--scale", "paper", "--aged", "--systems", "ext4", "clones")
        self.assertRegex(out, "aged +percent 100, .*\nclones +file_kib 4,096, rounds 128; on the disk at most")
        self.assertIn("memory limit: 4096 MiB", out)

    def test_scale(self):
        self.assertEqual(Scale("0.5").size(100, 3000), 50)
        self.assertEqual(Scale("0.001").size(100, 3000, 7), 7)
        self.assertEqual(Scale("paper").size(100, 3000), 3000)

    def test_what_is_larger_may_take_longer(self):
        limits = [(Scale(text).limit, Scale(text).usual_limit) for text in ("0.1", "1", "4", "paper")]
        self.assertEqual(limits, [(60, 60), (60, 60), (240, 240), (7200, 60)])
        _, out, _ = self.run_main("--dry-run", "--scale", "3", "--systems", "ext4", "clones")
        self.assertIn("each program is stopped after 180 s", out)


class SourcesTest(unittest.TestCase):
    def test_a_share_of_a_tree_is_always_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(40):
                os.makedirs(os.path.join(folder, "tree", f"d{number}"))
                with open(os.path.join(folder, "tree", f"d{number}", "file"), "w", encoding="ascii") as file:
                    file.write(str(number))
            found = sources.Sources(os.path.join(folder, "kept"), os.path.join(folder, "tree"))
            names = [process.run("tar", "-tf", found.archive(percent)).split() for percent in (100, 30)]
            self.assertEqual(len(names[0]), 40)
            self.assertTrue(0 < len(names[1]) < 40)
            self.assertLess(set(names[1]), set(names[0]))
            self.assertTrue(os.path.exists(os.path.join(found.unpacked(30), names[1][0])))
        with self.assertRaisesRegex(process.Failure, "--tree /absent: no directory"):
            sources.Sources("kept", "/absent").check()


class MountsTest(unittest.TestCase):
    def test_a_search_that_fails_is_no_time(self):
        loader = importlib.machinery.SourceFileLoader("compare", os.path.join(HERE, "../../bench/mounts/compare"))
        compare = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", loader))
        loader.exec_module(compare)
        with tempfile.TemporaryDirectory() as folder:
            compare.search(folder)
            with open(os.path.join(folder, "file"), "w", encoding="ascii") as file:
                file.write("absent")
            for path in (folder, os.path.join(folder, "none")):
                with self.assertRaises(SystemExit):
                    compare.search(path)


unittest.main()
