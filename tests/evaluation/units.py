# SPDX-License-Identifier: Apache-2.0
"""The parts of bench/evaluate that need no disk: results, tables, claims, plots, the command line."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "../../bench"))

from evaluation import claims, cli, experiments, figures, memory, papers, process  # noqa: E402
from evaluation import report, results, sources, svg  # noqa: E402
from evaluation.bench import Scale  # noqa: E402
from evaluation.experiments import imap, versions  # noqa: E402

RECORDED = os.path.join(HERE, "recorded.json")


def is_alive(number):
    try:
        with open(f"/proc/{number}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def small_results():
    found = results.Results()
    for value in (10, 30, 20):
        found.add("large-file", "write", "MB/s", "more", "betr", value, {"seeks": value})
    found.add("large-file", "write", "MB/s", "more", "ext4", 10)
    found.add("large-file", "read", "s", "less", "betr", 2, {"busy_seconds": 1.5})
    found.add("large-file", "read", "s", "less", "ext4", 8)
    found.add("large-file", "read", "s", "less", "xfs", 1)
    found.add_curve("large-file", "rate & time", "files", "files/s", "betr", [(1, 2), (3, 4)])
    found.fail("large-file", "btrfs", "no <space>")
    return found


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

    def test_all_commands_are_told(self):
        found = results.Results()
        for command, kernel in (("evaluate a", "1"), ("evaluate b", "2"), ("evaluate b", "2")):
            later = results.Results()
            later.about = {"command": command, "kernel": kernel, "systems": {command: "x"}}
            found.merge(later)
        self.assertEqual(found.about["command"], "evaluate a; evaluate b")
        self.assertEqual((found.about["kernel"], len(found.about["systems"])), ("2", 2))

    def test_what_was_left_out_is_remembered_until_it_is_done(self):
        found, later = results.Results(), results.Results()
        found.left_out = {"imap": "not installed", "nilfs2": "no kernel", "tree": "no source"}
        found.left_out |= {"tree: betr": "slow", "tree: xfs": "slow"}
        later.left_out = {"zfs": "no kernel"}
        later.add("tree", "find", "s", "less", "betr", 1)
        found.merge(later)
        self.assertEqual(set(found.left_out), {"imap", "nilfs2", "tree: xfs", "zfs"})


class ReportTest(unittest.TestCase):
    def test_tables(self):
        head, rows = report.table_of(small_results(), "large-file")
        ratios = ["betr : ext4", "papers : ext4", "betr : best peer", "papers : best peer"]
        self.assertEqual(head, ["", "unit", "betr", "ext4", "xfs", *ratios])
        none = papers.NONE
        self.assertEqual(rows[0], ["write", "MB/s", "20 [10 .. 30]", "10", "-", "2", none, "2 (ext4)", none])
        self.assertEqual(rows[1], ["read", "s (less is better)", "2 (1.5)", "8", "1", "4", none, "0.5 (xfs)", none])

    def test_tables_of_some_experiments(self):
        found = small_results()
        found.add("tree", "find", "s", "less", "betr", 1)
        found.fail("imap", "betr", "no")
        first = "### A source tree: tar, find, grep, recursive delete\n\n|  | unit | betr |\n|---|---|---:|\n"
        self.assertEqual(report.tables(found, ["imap", "tree"]), first + "| find | s (less is better) | 1 |")

    def test_what_is_expected_of_a_disk(self):
        head, rows = report.table_of(results.Results.load(RECORDED), "disk")
        self.assertEqual(head, ["", "unit", "disk", "expected"])
        self.assertEqual(rows[0], ["random reads of 4 KiB", "/s", "75.7", "77"])
        self.assertNotIn("0", [row[-1] for row in rows])

    def test_the_papers_figures_stand_beside_ours(self):
        found = results.Results.load(RECORDED)
        for entry in papers.ALL:
            self.assertIn(entry.source, papers.SOURCES)
            if entry.experiment != "imap":  # not in the recorded run
                rows = [row["name"] for row in found.rows if row["experiment"] == entry.experiment]
                self.assertTrue(any(papers.find(entry.experiment, row) is entry for row in rows), entry)
        row = next(row for row in report.table_of(found, "containers")[1] if row[0] == "clone + sync")
        self.assertEqual(row[-4:], ["43.2", "165 [login'20]", "1.1 (btrfs-subvolume)", "3.4 [login'20]"])
        self.assertEqual(papers.cells("tree-aged", "find, cold"), (papers.NONE, papers.NONE))

    def test_the_page_shows_all_and_escapes(self):
        page = report.page(small_results())
        self.assertIn("no &lt;space&gt;", page)
        self.assertIn("20 [10 .. 30]", page)
        self.assertIn("rate &amp; time", page)
        self.assertNotIn("http://", page.replace("http://www.w3.org/2000/svg", ""))

    def test_aged_file_systems_stand_beside_new_ones(self):
        found = small_results()
        for name, value, better in (("write", 10, "more"), ("read", 6, "less"), ("other", 1, "less")):
            found.add("large-file-aged", name, "", better, "betr", value)
        found.add("tree", "find", "s", "less", "betr", 1)
        found.add("large-file-aged", "read", "s", "less", "xfs", 0)
        self.assertEqual(report.in_order(found), ["large-file", "large-file-aged", "tree"])
        rows = [["large-file", "write", "2", "-"], ["large-file", "read", "3", "-"]]
        self.assertEqual(report.aged_table(found), (["", "", "betr", "xfs"], rows))
        for text in (report.page(found), report.markdown(found)):
            self.assertIn("random access, on aged file systems", text)
            self.assertIn(report.AGED_TITLE, text)
        self.assertNotIn(report.AGED_TITLE, report.page(small_results()))

    def test_a_recorded_run(self):
        found = results.Results.load(RECORDED)
        page = report.page(found)
        plots = [part.split("</svg>")[0] + "</svg>" for part in page.split("<svg")[1:]]
        self.assertGreater(len(plots), len(found.experiments()))
        for plot in plots:
            xml.etree.ElementTree.fromstring("<svg" + plot)
        for name in found.experiments():
            self.assertIn(name, [entry.NAME for entry in experiments.ALL])
            self.assertIn(report.title_of(name), page)
        verdicts = [row[-1] for row in report.claim_rows(found)]
        self.assertEqual(len(verdicts), len(claims.ALL))
        self.assertIn("holds", verdicts)
        self.assertIn(report.title_of("tree"), report.markdown(found))

    def test_claims_name_rows_that_there_are(self):
        found = results.Results.load(RECORDED)
        found.add("imap", f"half reads, half {imap.in_words(imap.MIXES[1])}, cold", "operations/s", "more", "betr", 1)
        for row in found.rows:
            row["values"] = {"betr": [1.0], "ext4": [1.0], "xfs": [1.0]}
        measured = [claim.text for claim in claims.ALL if claims.verdict(claim, found)[0] is not None]
        self.assertEqual(measured, [claim.text for claim in claims.ALL])


class ClaimsTest(unittest.TestCase):
    def test_better(self):
        found = small_results()
        self.assertEqual(claims.better(found, "large-file", "write"), 2)
        self.assertEqual(claims.better(found, "large-file", "read"), 0.5)
        self.assertEqual(claims.better(found, "large-file", "read", peers=("ext4",)), 4)
        self.assertIsNone(claims.better(found, "tree", "read"))
        self.assertIsNone(claims.least(lambda _: 1, lambda _: None)(found))


class VersionsTest(unittest.TestCase):
    def test_comparison(self):
        figures = {
            "betr": {"rename": (100, "more"), "clone": (2, "less"), "grep": (3, "less")},
            "as 0.1": {"rename": (5, "more"), "clone": (1, "less"), "grep": (None, "less")},
            "as 0.3": {"rename": (50, "more"), "grep": (3, "less")},
        }
        lines = list(versions.comparison(figures))
        self.assertEqual(lines[0], "betr against:")
        self.assertEqual(lines[1:], [
            "  rename: as 0.1 20.00, as 0.3 2.00",
            "  clone: as 0.1 0.50, as 0.3 -",
            "  grep: as 0.1 -, as 0.3 1.00",
        ])


class PlotTest(unittest.TestCase):
    def test_numbers(self):
        shown = {0: "0", 1: "1", 1234.5: "1,234", 12.345: "12.3", 0.012345: "0.0123", 99.999: "100"}
        self.assertEqual({value: svg.number(value) for value in shown}, shown)

    def test_ticks_are_round_and_reach_the_ends(self):
        self.assertEqual(svg.ticks(0, 10), [0, 2, 4, 6, 8, 10])
        self.assertEqual(svg.ticks(0, 0.7)[-1], 0.8)
        self.assertEqual(svg.ticks(3, 3)[0], 3)

    def test_plots_are_xml(self):
        lines = {"a<b": [(1, 1), (2, 1000)], "c": [(1, 5)]}
        for plot in (svg.curves("t & u", "x", "y", lines), svg.bars("b", [("row", {"a<b": 1, "c": 0})])):
            self.assertTrue(xml.etree.ElementTree.fromstring(plot).tag.endswith("svg"))
        self.assertEqual(svg.curves("empty", "x", "y", {}), "")


class FiguresTest(unittest.TestCase):
    def write(self):
        """Names of the files, and why some are missing."""
        with tempfile.TemporaryDirectory() as folder:
            obstacle = figures.write(small_results(), folder)
            figures.write(small_results(), folder)
            for name in os.listdir(os.path.join(folder, "figures")):
                with open(os.path.join(folder, "figures", name), "rb") as file:
                    self.assertIn(file.read(4), (b"<svg", b"\x89PNG"), name)
            return sorted(os.listdir(os.path.join(folder, "figures"))), obstacle

    def test_svg_where_there_is_no_converter(self):
        with mock.patch.object(figures, "CONVERTER", "absent-program"):
            names, obstacle = self.write()
        self.assertEqual(names, ["large-file-rate-time.svg", "large-file.svg"])
        self.assertRegex(obstacle, "absent-program is not installed")

    @unittest.skipIf(process.missing([figures.CONVERTER]), "needs librsvg2-bin")
    def test_png(self):
        names, obstacle = self.write()
        self.assertEqual(names[::2], ["large-file-rate-time.png", "large-file.png"])
        self.assertIsNone(obstacle)


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
        self.assertRegex(group.how, r"^(cgroup v[12], 400 MiB|none: .*)$")
        self.assertEqual(path is not None, group.how.startswith("cgroup"))
        if path:
            with subprocess.Popen(["sleep", "99"], preexec_fn=group.join) as child:
                self.assertEqual(group.kill(), 1)
                self.assertEqual(child.wait(), -signal.SIGKILL)
        group.remove()
        self.assertFalse(path and os.path.exists(path))

    def test_the_report_says_whether_data_fit_where_there_is_no_limit(self):
        group = memory.MemoryGroup(None)
        told = cli.told_of_memory(group, 128, 1)
        self.assertRegex(told, "^no limit was asked for; cache of betr 128 MiB; 1 MiB, .*, fit into the [0-9]+ MiB")
        self.assertIn("do not fit", cli.told_of_memory(group, 128, 1 << 40))
        group.path = "/a/group"
        self.assertNotIn("fit", cli.told_of_memory(group, 128, 1))


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


unittest.main()
