# SPDX-License-Identifier: Apache-2.0
"""The report: one HTML file that needs nothing else, and the tables alone as Markdown."""

import html
import os
import re
import statistics

from evaluation import aged, claims, experiments, papers, svg, systems
from evaluation.results import curve_lines
from evaluation.svg import number

BASE = "ext4"
LIBRARY = systems.BetrLibrary.name
STYLE = """
body { font: 15px/1.45 sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0 } td, th { border: 1px solid #ccc; padding: .25em .6em }
td { text-align: right; white-space: nowrap } td:first-child, th, .text td { text-align: left; white-space: normal }
small { color: #777 } .bad { color: #b00 } svg { display: block; margin: 1em 0; max-width: 100% }
"""


def write(results, directory):
    for name, text in (("report.html", page(results)), ("report.md", markdown(results))):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)


def page(results):
    parts = ["<!DOCTYPE html><html lang=en><meta charset=utf-8><title>betr: evaluation</title>"]
    parts.append(f"<style>{STYLE}</style><h1>betr: evaluation</h1>")
    parts.append(_about(results))
    parts += (f"<p>{_escape(line)}</p>" for line in LEGEND)
    parts.append("<h2>The papers, claim by claim</h2>" + _table(CLAIM_HEAD, claim_rows(results), "text"))
    head, rows = aged_table(results)
    if rows:
        parts.append(f"<h2>{AGED_TITLE}</h2>" + _table(head, rows))
    for name in in_order(results):
        parts.append(_experiment(results, name))
    parts.append("<h2>Where the papers' figures come from</h2>" + _table(("", ""), papers.SOURCES.items(), "text"))
    return "\n".join(parts) + "\n"


# How to read the tables.
LEGEND = (
    "A cell has the figure of one run, or the median [least .. most] of several; after seconds, in round brackets, "
    "those in which the disk was busy.",
    "A : B says how many times better A is than B, by the medians: above 1, A is better (faster, or smaller where less "
    "is better). The best peer is, row by row, the best of all that are not betr; its name is in brackets. papers : B "
    "is how many times better BetrFS was in the paper that is named in square brackets. betr : this compares betr by "
    "default with the version of the column.",
)


def title_of(name):
    name, is_aged = aged.plain(name)
    title = next((entry.TITLE for entry in experiments.ALL if entry.NAME == name), name)
    return f"{title}, on aged file systems" if is_aged else title


def in_order(results):
    """The experiments that there are results of, each followed by itself on aged file systems."""
    known = [entry.NAME for entry in experiments.ALL]

    def place(name):
        name, is_aged = aged.plain(name)
        return known.index(name) if name in known else len(known), name, is_aged

    return sorted(results.experiments(), key=place)


def _escape(text):
    return html.escape(str(text))


def _table(head, rows, kind=""):
    lines = [f"<table class='{kind}'><tr>" + "".join(f"<th>{_escape(cell)}</th>" for cell in head) + "</tr>"]
    for row in rows:
        lines.append("<tr>" + "".join(f"<td>{_escape(cell)}</td>" for cell in row) + "</tr>")
    return "\n".join([*lines, "</table>"])


def _about(results):
    rows = []
    for name, value in results.about.items():
        if name == "systems":
            value = "; ".join(f"{entry['title']} ({entry['version']})" for entry in value.values())
        elif isinstance(value, dict):
            value = ", ".join(f"{key} {entry}" for key, entry in value.items())
        rows.append((name, value))
    rows += [(f"left out: {name}", why) for name, why in results.left_out.items()]
    return _table(("", ""), rows, "text")


CLAIM_HEAD = ("paper", "claim", "here", "holds from", "in", "verdict")


def claim_rows(results):
    for claim in claims.ALL:
        figure, verdict = claims.verdict(claim, results)
        ours = "-" if figure is None else number(figure)
        yield claim.paper, claim.text, ours, number(claim.holds_from), claim.meaning, verdict


def systems_of(results, name):
    """In the order of the list of systems, then as they were measured."""
    rows = [row for row in results.rows if row["experiment"] == name]
    found = dict.fromkeys(system for row in rows for system in row["values"])
    found |= dict.fromkeys(curve["system"] for curve in results.curves if curve["experiment"] == name)
    known = [kind.name for kind in systems.ALL]
    return sorted(found, key=lambda system: known.index(system) if system in known else len(known))


def cell(row, system):
    """The median, with least and most if there were several runs; of seconds also how long the disk was busy."""
    values = row["values"].get(system)
    if not values:
        return "-"
    text = number(statistics.median(values))
    if len(values) > 1:
        text += f" [{number(min(values))} .. {number(max(values))}]"
    busy = [done["busy_seconds"] for done in row["disk"].get(system, ()) if "busy_seconds" in done]
    if busy and row["unit"] == "s":
        text += f" ({number(round(statistics.median(busy), 3))})"
    return text


def ratio(row, other, ours=claims.OURS):
    """How many times better betr is than `other`, by the medians."""
    mine, theirs = row["values"].get(ours), row["values"].get(other)
    mine, theirs = (statistics.median(values) if values else 0 for values in (mine, theirs))
    if mine <= 0 or theirs <= 0:
        return "-"
    return number(mine / theirs if row["better"] == "more" else theirs / mine)


def best_peer(row):
    medians = {name: statistics.median(values) for name, values in row["values"].items()}
    peers = {name: value for name, value in medians.items() if not name.startswith(claims.OURS)}
    if not peers:
        return None
    return (max if row["better"] == "more" else min)(peers, key=peers.get)


def table_of(results, name):
    """(head, rows) of an experiment."""
    names = systems_of(results, name)
    entry = next((entry for entry in experiments.ALL if entry.NAME == name), None)
    if hasattr(entry, "RECORDED"):
        return _table_of_own(results, name, names)
    compares = claims.OURS in names and len(names) > 1
    compared = ["betr : ext4", "papers : ext4", "betr : best peer", "papers : best peer"] if compares else []
    if compares and LIBRARY in names:
        compared += ["library : ext4", "library : best peer"]
    expected = getattr(entry, "EXPECTED", {})
    head = ["", "unit", *names, *compared, *(["expected"] if expected else [])]
    rows = []
    for row in results.rows:
        if row["experiment"] != name:
            continue
        line = _measured(row, names)
        if compares:
            ours = _ratios(row, claims.OURS)
            line += [cell for pair in zip(ours, papers.cells(name, row["name"]), strict=True) for cell in pair]
        if compares and LIBRARY in names:
            line += _ratios(row, LIBRARY)
        if expected:
            line.append(number(expected.get(row["name"], 0)))
        rows.append(line)
    return head, rows


def _ratios(row, ours):
    """(against ext4, against the best peer)"""
    best = best_peer(row)
    return ratio(row, BASE, ours), f"{ratio(row, best, ours)} ({best})" if best else "-"


def _unit(row):
    return row["unit"] + (" (less is better)" if row["better"] == "less" else "")


def _measured(row, names):
    return [row["name"], _unit(row), *(cell(row, system) for system in names)]


def _table_of_own(results, name, names):
    """The same where all are betr: below each row, how many times better it is by default."""
    rows = []
    for row in results.rows:
        if row["experiment"] == name:
            rows.append(_measured(row, names))
            rows.append(["", "betr : this", *("-" if other == claims.OURS else ratio(row, other) for other in names)])
            rows[-2].append(papers.cells(name, row["name"])[1])
            rows[-1].append("")
    return ["", "unit", *names, "papers"], rows


AGED_TITLE = "New and aged: how many times worse on an aged file system"


def aged_table(results):
    """(head, rows) of all that was measured on new and on aged file systems."""
    pairs = [(row, results.row(aged.name_of(row["experiment"]), row["name"])) for row in results.rows]
    pairs = [(new, old) for new, old in pairs if old is not None]
    names = [kind.name for kind in systems.ALL if any(kind.name in old["values"] for _, old in pairs)]
    rows = [[new["experiment"], new["name"], *(_worse(new, old, name) for name in names)] for new, old in pairs]
    return ["", "", *names], rows


def _worse(new, old, system):
    before, after = (statistics.median(row["values"].get(system, [0])) for row in (new, old))
    if before <= 0 or after <= 0:
        return "-"
    return number(before / after if new["better"] == "more" else after / before)


def runs_of(results, name):
    """In words: of which systems there are how many runs. None if it is as many of all."""
    rows = [row["values"] for row in results.rows if row["experiment"] == name]
    by_count = {}
    for system in systems_of(results, name):
        count = max((len(values.get(system, ())) for values in rows), default=0)
        by_count.setdefault(count, []).append(system)
    by_count.pop(0, None)  # these have curves alone
    if len(by_count) < 2:
        return None
    told = (f"{count} of {', '.join(by_count[count])}" for count in sorted(by_count, reverse=True))
    return f"Runs: {'; '.join(told)}."


def failures_of(results, name):
    """In a line for each."""
    failures = [failure for failure in results.failures if failure["experiment"] == name]
    return [f"Failed on {failure['system']}: {' '.join(failure['message'].split())}" for failure in failures]


def _experiment(results, name):
    parts = [f"<h2 id='{_escape(name)}'>{_escape(title_of(name))}</h2>"]
    if name in results.seconds:
        parts.append(f"<p><small>bench/evaluate {_escape(name)}: {results.seconds[name]} s</small></p>")
    if name in results.notes:
        parts.append(f"<p>{_escape(results.notes[name])}</p>")
    head, rows = table_of(results, name)
    if rows:
        parts.append(_table(head, rows))
    if runs := runs_of(results, name):
        parts.append(f"<p>{_escape(runs)}</p>")
    parts += (image for _, image in plots(results, name))
    parts.append(_disk_table(results, name))
    parts += (f"<p class=bad>{_escape(line)}</p>" for line in failures_of(results, name))
    return "\n".join(parts)


def plots(results, name):
    """(name for a file, image): the curves, then bars for all rows."""
    names = systems_of(results, name)
    of_this = [curve for curve in results.curves if curve["experiment"] == name]
    for plot in dict.fromkeys(curve["plot"] for curve in of_this):
        drawn = [curve for curve in of_this if curve["plot"] == plot]
        drawn.sort(key=lambda curve: names.index(curve["system"]))
        by_system = {curve["system"]: curve_lines(curve) for curve in drawn}
        image = svg.curves(plot, drawn[0]["x"], drawn[0]["y"], by_system)
        yield f"{name}-{re.sub('[^a-z0-9]+', '-', plot.lower())}", image
    rows = []
    for row in results.rows:
        if row["experiment"] == name and any(any(values) for values in row["values"].values()):
            measured = [system for system in names if row["values"].get(system)]
            medians = {system: statistics.median(row["values"][system]) for system in measured}
            rows.append((f"{row['name']}, {_unit(row)}", medians))
    if rows:
        yield name, svg.bars(title_of(name), rows)


DISK = (("busy_seconds", "busy, s", 1), ("seeks", "seeks", 1), ("reads", "reads", 1))
DISK += (("read_hits", "of these from the disk's cache", 1), ("read_bytes", "read, MB", 1e6))
DISK += (("written_bytes", "written, MB", 1e6),)


def _disk_table(results, name):
    """What the disk did: the part of a figure that is not the processor's."""
    rows = []
    for row in results.rows:
        if row["experiment"] != name:
            continue
        for system, done in row["disk"].items():
            line = [row["name"], system]
            for key, _, unit in DISK:
                values = [entry[key] / unit for entry in done if key in entry]
                line.append(number(statistics.median(values)) if values else "-")
            rows.append(line)
    if not rows:
        return ""
    table = _table(["", "system", *(label for _, label, _ in DISK)], rows)
    return f"<details><summary>What the disk did</summary>{table}</details>"


def _markdown_table(title, head, rows, kinds=None):
    """Nothing without rows."""
    if not rows:
        return []
    kinds = kinds or "|---|---|" + "---:|" * (len(head) - 2)
    lines = ["| " + " | ".join(head) + " |", kinds, *("| " + " | ".join(row) + " |" for row in rows)]
    return [f"### {title}\n\n" + "\n".join(lines)]


def tables(results, names):
    """The tables of some experiments, each with what has to be known of it."""
    parts = []
    for name in names:
        failures = failures_of(results, name)
        table = _markdown_table(title_of(name), *table_of(results, name))
        parts += table or ([f"### {title_of(name)}"] if failures else [])
        parts += filter(None, (runs_of(results, name), results.notes.get(name)))
        parts += ["\n".join(f"* {line}" for line in failures)] if failures else []
    return "\n\n".join(parts)


def markdown(results):
    parts = [*LEGEND, tables(results, in_order(results)), *_markdown_table(AGED_TITLE, *aged_table(results))]
    claimed = list(claim_rows(results))
    parts += _markdown_table("The papers, claim by claim", CLAIM_HEAD, claimed, "|---|---|---:|---:|---|---|")
    lines = [f"* {name}: {text}" for name, text in papers.SOURCES.items()]
    parts.append("### Where the papers' figures come from\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"
