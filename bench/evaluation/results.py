# SPDX-License-Identifier: Apache-2.0
"""What was measured, as JSON: enough to make the report again."""

import json
import os
import statistics

SCHEMA = "betr.evaluation"
VERSION = 1
# What is told of each run, not of the last one only.
OF_ALL = ("date", "betr", "kernel", "processors", "memory", "command")


class Results:
    """Rows of figures, curves, failures and skipped systems. Runs of the same row are gathered."""

    def __init__(self):
        self.about = {}
        self.conditions = {}  # what has to be the same in all runs: scale, memory, disk
        self.rows = []
        self.curves = []
        self.failures = []
        self.left_out = {}  # systems and experiments that cannot run here, and why
        self.seconds = {}  # of each experiment, all systems and runs
        self.notes = {}  # what has to be known of an experiment's figures

    def add(self, experiment, name, unit, better, system, value, disk=None):
        row = self.row(experiment, name)
        if row is None:
            row = {"experiment": experiment, "name": name, "unit": unit, "better": better, "values": {}, "disk": {}}
            self.rows.append(row)
        row["values"].setdefault(system, []).append(_short(value))
        if disk is not None:
            row["disk"].setdefault(system, []).append({key: _short(count) for key, count in disk.items()})

    def add_curve(self, experiment, plot, x_label, y_label, system, points):
        key = {"experiment": experiment, "plot": plot, "x": x_label, "y": y_label, "system": system}
        curve = next((curve for curve in self.curves if all(curve[name] == key[name] for name in key)), None)
        if curve is None:
            curve = {**key, "runs": []}
            self.curves.append(curve)
        curve["runs"].append([[_short(x), _short(y)] for x, y in points])

    def fail(self, experiment, system, message):
        self.failures.append({"experiment": experiment, "system": system, "message": message})

    def gather(self, run):
        """Takes the results of one more run; of one that failed that it did, and no figure."""
        if run.failures:
            self.failures += run.failures
            return
        for row in run.rows:
            for system, values in row["values"].items():
                for value, disk in zip(values, row["disk"].get(system) or [None] * len(values), strict=True):
                    self.add(row["experiment"], row["name"], row["unit"], row["better"], system, value, disk)
        for curve in run.curves:
            for points in curve["runs"]:
                self.add_curve(*(curve[key] for key in ("experiment", "plot", "x", "y", "system")), points)

    def runs(self, experiment, system):
        """How many runs there are, if none has failed."""
        if any((entry["experiment"], entry["system"]) == (experiment, system) for entry in self.failures):
            return 0
        rows = [row["values"].get(system, ()) for row in self.rows if row["experiment"] == experiment]
        return max(map(len, rows), default=0)

    def row(self, experiment, name):
        for row in self.rows:
            if (row["experiment"], row["name"]) == (experiment, name):
                return row
        return None

    def median(self, experiment, name, system):
        """None if it was not measured."""
        row = self.row(experiment, name)
        values = row["values"].get(system) if row else None
        return statistics.median(values) if values else None

    def experiments(self):
        names = [entry["experiment"] for entry in (*self.rows, *self.curves, *self.failures)]
        return list(dict.fromkeys(names))

    def save(self, path):
        """One line for each row and curve. What was there stays until all is written."""
        members = []
        for name, value in {"schema": SCHEMA, "version": VERSION, **vars(self)}.items():
            text = json.dumps(value)
            if isinstance(value, list):
                text = "[\n" + ",\n".join(f"  {json.dumps(entry)}" for entry in value) + "\n ]"
            members.append(f' "{name}": {text}')
        with open(path + ".part", "w", encoding="utf-8") as file:
            file.write("{\n" + ",\n".join(members) + "\n}\n")
        os.replace(path + ".part", path)

    @staticmethod
    def load(path):
        results = Results()
        try:
            with open(path, encoding="utf-8") as file:
                found = json.load(file)
            if (found["schema"], found["version"]) != (SCHEMA, VERSION):
                raise ValueError("of another kind or version")
            # Files of earlier versions tell at least the scale.
            found.setdefault("conditions", {"scale": found["about"]["scale"]} if "scale" in found["about"] else {})
            found.setdefault("notes", {})
            for curve in found["curves"]:
                if "points" in curve:  # those kept one run's only
                    curve["runs"] = [curve.pop("points")]
            for name in vars(results):
                setattr(results, name, found[name])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: not results of this program: {error}") from None
        return results

    def differences(self, conditions):
        """In words: under which other conditions all of this was measured."""
        known = [name for name in conditions if name in self.conditions]
        different = [name for name in known if self.conditions[name] != conditions[name]]
        return [f"{name} {self.conditions[name]}, not {conditions[name]}" for name in different]

    def merge(self, other):
        """Takes what `other` has of a system in an experiment instead of its own. Both were measured under the same
        conditions."""
        self.conditions |= other.conditions
        renewed = other.pairs()
        for row in self.rows:
            for figures in (row["values"], row["disk"]):
                for system in [system for system in figures if (row["experiment"], system) in renewed]:
                    del figures[system]
        for row in other.rows:
            mine = self.row(row["experiment"], row["name"])
            if mine is None:
                self.rows.append(row)
            else:
                mine["values"].update(row["values"])
                mine["disk"].update(row["disk"])
        self.rows = [row for row in self.rows if row["values"]]
        for name in ("curves", "failures"):
            kept = [entry for entry in getattr(self, name) if (entry["experiment"], entry["system"]) not in renewed]
            setattr(self, name, kept + getattr(other, name))
        self.seconds.update(other.seconds)
        self.notes.update(other.notes)
        together = {**self.about.get("systems", {}), **other.about.get("systems", {})}
        of_all = {name: self._of_all(other, name) for name in OF_ALL if name in self.about or name in other.about}
        self.about = {**other.about, "systems": together, **of_all}
        done = {name for pair in renewed for name in (*pair, ": ".join(pair))}
        left_out = {**self.left_out, **other.left_out}
        self.left_out = {name: why for name, why in left_out.items() if name in other.left_out or name not in done}

    def _of_all(self, other, name):
        """What the runs say of themselves under this name, each thing once."""
        told = [*self.about.get(name, "").split("; "), other.about.get(name, "")]
        return "; ".join(filter(None, dict.fromkeys(told)))

    def pairs(self):
        """(experiment, system) of all that was tried."""
        found = {(row["experiment"], system) for row in self.rows for system in row["values"]}
        return found | {(entry["experiment"], entry["system"]) for entry in (*self.curves, *self.failures)}


def curve_lines(curve):
    """What is drawn of it: the medians, if all runs have figures for the same x; else each run."""
    runs = curve["runs"]
    if len({tuple(x for x, _ in points) for points in runs}) > 1:
        return runs
    return [[(same[0][0], statistics.median(y for _, y in same)) for same in zip(*runs, strict=True)]]


def _short(value):
    """Six digits say enough."""
    return float(f"{value:.6g}")
