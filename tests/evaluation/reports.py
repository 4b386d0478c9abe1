# SPDX-License-Identifier: Apache-2.0
"""The report of bench/evaluate: tables, claims, plots."""

import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "../../bench"))

from evaluation import claims, cli, experiments, figures, papers, process, report, results, svg  # noqa: E402
from evaluation.experiments import imap, versions  # noqa: E402
from recorded import RECORDED, small_results  # noqa: E402


class ReportTest(unittest.TestCase):
    def test_tables(self):
        head, rows = report.table_of(small_results(), "large-file")
        ratios = ["betr : ext4", "papers : ext4", "betr : best peer", "papers : best peer"]
        self.assertEqual(head, ["", "unit", "betr", "ext4", "xfs", *ratios])
        none = papers.NONE
        self.assertEqual(rows[0], ["write", "MB/s", "20 [10 .. 30]", "10", "-", "2", none, "2 (ext4)", none])
        self.assertEqual(rows[1], ["read", "s (less is better)", "2 (1.5)", "8", "1", "4", none, "0.5 (xfs)", none])

    def test_the_library_has_ratios_of_its_own(self):
        found = small_results()
        found.add("large-file", "write", "MB/s", "more", "betr-library", 40)
        head, rows = report.table_of(found, "large-file")
        self.assertEqual(head[-2:], ["library : ext4", "library : best peer"])
        self.assertEqual([row[-2:] for row in rows], [["4", "4 (ext4)"], ["-", "- (xfs)"]])

    def test_tables_of_some_experiments(self):
        found = small_results()
        found.add("tree", "find", "s", "less", "betr", 1)
        found.fail("imap", "betr", "no")
        first = "### A source tree: tar, find, grep, recursive delete\n\n|  | unit | betr |\n|---|---|---:|\n"
        failed = f"### {report.title_of('imap')}\n\n* Failed on betr: no\n\n"
        expected = failed + first + "| find | s (less is better) | 1 |"
        self.assertEqual(report.tables(found, ["imap", "tree"]), expected)

    def test_what_failed_is_told_with_the_tables(self):
        found = small_results()
        found.fail("imap", "betr", "no\nserver | here")
        for text in (report.markdown(found), report.tables(found, report.in_order(found))):
            self.assertIn("\n\n* Failed on btrfs: no <space>", text)
            self.assertIn(f"### {report.title_of('imap')}\n\n* Failed on betr: no server | here", text)
        self.assertIn("Failed on btrfs: no &lt;space&gt;", report.page(found))
        self.assertNotIn("\n|", report.tables(found, ["imap"]))
        self.assertNotIn("Failed", report.tables(found, ["tree"]))

    def test_other_numbers_of_runs_are_told_with_the_tables(self):
        found = small_results()
        self.assertEqual(report.runs_of(found, "large-file"), "Runs: 3 of betr; 1 of ext4, xfs.")
        for text in (report.markdown(found), report.page(found), report.tables(found, ["large-file"])):
            self.assertIn("Runs: 3 of betr; 1 of ext4, xfs.", text)
        found.add("tree", "find", "s", "less", "betr", 1)
        found.add("tree", "find", "s", "less", "xfs", 1)
        found.add("tree", "grep", "s", "less", "xfs", 1)  # which the other does not do
        self.assertIsNone(report.runs_of(found, "tree"))
        self.assertNotIn("Runs:", report.tables(found, ["tree"]))
        self.assertIsNone(report.runs_of(found, "imap"))

    def test_what_is_expected_of_a_disk(self):
        head, rows = report.table_of(results.Results.load(RECORDED), "disk")
        self.assertEqual(head, ["", "unit", "disk", "expected"])
        self.assertEqual(rows[0], ["random reads of 4 KiB", "/s", "75.7", "77"])
        self.assertNotIn("0", [row[-1] for row in rows])

    def test_the_papers_figures_stand_beside_ours(self):
        found = results.Results.load(RECORDED)
        for entry in papers.ALL:
            self.assertIn(entry.source, papers.SOURCES)
            if entry.experiment not in ("imap", "versions"):  # not in the recorded run
                rows = [row["name"] for row in found.rows if row["experiment"] == entry.experiment]
                self.assertTrue(any(entry in papers.find(entry.experiment, row) for row in rows), entry)
        row = next(row for row in report.table_of(found, "containers")[1] if row[0] == "clone + sync")
        best = "3 to 4 [FAST'20], 3.4 [login'20]"
        self.assertEqual(row[-4:], ["43.2", "up to 100 [FAST'20], 165 [login'20]", "1.1 (btrfs-subvolume)", best])
        self.assertEqual(papers.cells("tree-aged", "find, cold"), (papers.NONE, papers.NONE))
        self.assertEqual(papers.cells("tree", "grep -r, cold"), ("9.47 [UNC'19]", "2.2 [FAST'16]"))

    def test_the_page_shows_all_and_escapes(self):
        page = report.page(small_results())
        self.assertIn("no &lt;space&gt;", page)
        self.assertIn("20 [10 .. 30]", page)
        self.assertIn("rate &amp; time", page)
        self.assertNotIn("http://", page.replace("http://www.w3.org/2000/svg", ""))

    def test_what_a_ratio_means_is_told(self):
        for text in (report.page(small_results()), report.markdown(small_results())):
            self.assertIn("above 1, A is better", text)
            self.assertIn("The best peer is", text)

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

    def test_the_report_says_whether_data_fit_where_there_is_no_limit(self):
        told = {name: cli.told_of_memory(size, 1000) for name, size in (("imap", 200), ("large-file", 2500))}
        self.assertRegex(told["imap"], "^no memory limit: it writes at most 200 MiB, 0.2 times the 1000 MiB .*stay in")
        self.assertRegex(told["large-file"], "^no memory limit: .* 2500 MiB, 2.5 times the 1000 MiB[^:]*$")
        found = small_results()
        found.notes = {"large-file": told["large-file"]}
        self.assertIn(told["large-file"], report.page(found))
        self.assertIn(told["large-file"], report.markdown(found))

    def test_claims_name_rows_that_there_are(self):
        found = results.Results.load(RECORDED)
        found.add("imap", f"half reads, half {imap.in_words(imap.MIXES[1])}, cold", "operations/s", "more", "betr", 1)
        for row in found.rows:
            row["values"] = {"betr": [1.0], "ext4": [1.0], "xfs": [1.0]}
        measured = [claim.text for claim in claims.ALL if claims.verdict(claim, found)[0] is not None]
        self.assertEqual(measured, [claim.text for claim in claims.ALL])


class ClaimsTest(unittest.TestCase):
    def test_from_where_on_a_claim_holds_is_told(self):
        told = {row[1]: row for row in report.claim_rows(results.Results.load(RECORDED))}["deletes are commensurate"]
        self.assertEqual(dict(zip(report.CLAIM_HEAD, told, strict=True))["holds from"], "0.5")

    def test_better(self):
        found = small_results()
        self.assertEqual(claims.better(found, "large-file", "write"), 2)
        self.assertEqual(claims.better(found, "large-file", "read"), 0.5)
        self.assertEqual(claims.better(found, "large-file", "read", peers=("ext4",)), 4)
        self.assertIsNone(claims.better(found, "tree", "read"))
        self.assertIsNone(claims.least(lambda _: 1, lambda _: None)(found))
        for system, fresh in (("betr", 1), ("xfs", 8), ("btrfs", 2), ("btrfs-zstd", 1)):
            found.add("ageing", "grep -r, not aged", "s", "less", system, fresh)
        found.add("ageing", "grep -r, aged", "s", "less", "betr", 4)
        self.assertEqual(claims.aged_against_new(found), 2)  # of those that are not Btrfs
        for system, growth in (("betr", 10), ("xfs", -4), ("btrfs", 8)):
            found.add("clone-writes", "space growth", "KiB", "less", system, growth)
        self.assertEqual(claims.better(found, "clone-writes", "space growth"), 0)
        self.assertEqual(report.ratio(found.row("clone-writes", "space growth"), "xfs"), "-")


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

    def test_each_is_compared_with_the_default_and_not_with_peers(self):
        found = results.Results()
        rows = {"renames": ("more", 100, 5), "growth": ("less", 300, -56), "grep -r of the tree": ("less", 2, 8)}
        for row, (better, mine, theirs) in rows.items():
            found.add("versions", row, "x", better, "betr", mine)
            found.add("versions", row, "x", better, "as 0.1", theirs)
        head, lines = report.table_of(found, "versions")
        self.assertEqual(head, ["", "unit", "betr", "as 0.1", "papers"])
        self.assertEqual(lines[:2], [["renames", "x", "100", "5", papers.NONE], ["", "betr : this", "-", "20", ""]])
        self.assertEqual(lines[3], ["", "betr : this", "-", "-", ""])
        self.assertEqual(lines[5], ["", "betr : this", "-", "4", ""])
        self.assertIn("FAST'18", lines[4][-1])


class PlotTest(unittest.TestCase):
    def test_numbers(self):
        shown = {0: "0", 1: "1", 1234.5: "1,234", 12.345: "12.3", 0.012345: "0.0123", 99.999: "100"}
        self.assertEqual({value: svg.number(value) for value in shown}, shown)

    def test_ticks_are_round_and_reach_the_ends(self):
        self.assertEqual(svg.ticks(0, 10), [0, 2, 4, 6, 8, 10])
        self.assertEqual(svg.ticks(0, 0.7)[-1], 0.8)
        self.assertEqual(svg.ticks(3, 3)[0], 3)

    def test_plots_are_xml(self):
        lines = {"a<b": [[(1, 1), (2, 1000)], [(1, 2), (2, 900)]], "c": [[(1, 5)]]}
        for plot in (svg.curves("t & u", "x", "y", lines), svg.bars("b", [("row", {"a<b": 1, "c": 0})])):
            self.assertTrue(xml.etree.ElementTree.fromstring(plot).tag.endswith("svg"))
        self.assertEqual(svg.curves("t", "x", "y", lines).count("<polyline"), 3)
        self.assertEqual(svg.curves("empty", "x", "y", {}), "")

    def test_plots_say_what_is_better_and_which_axis_is_logarithmic(self):
        found = small_results()
        bars = dict(report.plots(found, "large-file"))["large-file"]
        self.assertIn(">write, MB/s<", bars)
        self.assertIn(">read, s (less is better)<", bars)
        self.assertIn("y, logarithmic<", svg.curves("t", "x", "y", {"a": [[(1, 1), (2, 1000)]]}))
        self.assertIn("y<", svg.curves("t", "x", "y", {"a": [[(1, 1), (2, 3)]]}))

    def test_systems_have_the_order_of_the_table_in_plots(self):
        found = results.Results()
        for system in ("ext4", "btrfs", "betr"):
            found.add("large-file", "write", "MB/s", "more", system, 10)
            found.add_curve("large-file", "rate", "x", "y", system, [(1, 2), (3, 4)])
        for _, image in report.plots(found, "large-file"):
            self.assertTrue(image.index(">betr<") < image.index(">ext4<") < image.index(">btrfs<"))

    def test_many_names_and_long_ones_fit_into_the_image(self):
        names = list(versions.VERSIONS)
        row = "ageing: rounds of changed, new and removed files, a sync each, s (less is better)"
        values = {name: value - 2 for value, name in enumerate(names)}
        plots = [svg.bars("b", [(row, values), ("less", {"betr": -3})])]
        plots.append(svg.curves("c", "x", "y", {name: [[(0, 1), (1, 2)]] for name in names}))
        for plot in plots:
            image = xml.etree.ElementTree.fromstring(plot)
            texts = [part for part in image.iter() if part.tag.endswith("text")]
            self.assertLess(set(names), {part.text for part in texts})
            for part in texts:
                if part.get("text-anchor") == "start":
                    begin, end = float(part.get("x")), float(part.get("x")) + svg.CHARACTER * len(part.text)
                    self.assertTrue(0 <= begin and end <= svg.WIDTH, part.text)
                self.assertLess(float(part.get("y")), float(image.get("height")))
        self.assertGreaterEqual(len(set(svg.COLOURS)), len(names))


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


unittest.main()
