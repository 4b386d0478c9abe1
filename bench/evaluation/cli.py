# SPDX-License-Identifier: Apache-2.0
"""The command line of bench/evaluate."""

import argparse
import functools
import os
import re
import sys
import tempfile

from evaluation import aged, disk, experiments, figures, machine, memory, process, report, runner, systems
from evaluation.bench import Scale, Setting
from evaluation.history import History
from evaluation.plan import Plan
from evaluation.process import Failure
from evaluation.results import Results
from evaluation.sources import Sources
from evaluation.svg import number

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LEAST_TIME_SCALE, MOST_TIME_SCALE = 0.001, 10  # as emulated_disk has it
PROGRAMS = ("losetup", "blkdiscard", "blockdev", "fio", "c++", "umount", "grep", "find", "tar")

DESCRIPTION = """\
Does the experiments of the BetrFS papers on betr and on other file systems, on the same disk and with the same memory.
Writes results.json, report.html (self-contained), report.md (the tables) and figures (SVG, PNG) to --out. What is there
of other experiments and systems stays.
Needs root: it makes loop devices, mounts, and a cgroup."""


def parser():
    found = argparse.ArgumentParser(
        prog="bench/evaluate", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = found.add_argument
    add("experiments", nargs="*", metavar="EXPERIMENT", help="which ones (default: all; see --list)")
    add("--systems", default="", metavar="NAME,...", help="which file systems (default: all that can run)")
    add("--scale", default="1", metavar="F|paper", help="factor of the usual sizes, or the papers' sizes")
    add("--runs", type=int, default=1, metavar="N", help="how often; shown are median, least and most")
    add("--aged", action="store_true", help="age each file system before each experiment; kept beside the others")
    add("--history", metavar="REPO", help="age by the last commits of a git repository, not by made-up changes")
    add("--disk", default="emulated", metavar="emulated|DEVICE", help="a DEVICE loses what is on it")
    add("--time-scale", type=float, default=1.0, metavar="F", help="of the emulated disk: 0.1 is ten times as fast")
    add("--memory", metavar="MIB|none", help="limit for all (default: 512 x scale, 384 to 4096; 4096 for paper)")
    add("--limit", type=float, metavar="S", help="seconds for one program (default: 60, x scale if more; paper: 7200)")
    add("--tree", metavar="DIR", help="take the source tree from there, not from Debian's linux-source-6.1")
    add("--bin", default=os.path.join(ROOT, "build/release/bin"), metavar="DIR", help="where the programs are")
    add("--dir", default="/var/tmp", help="work there: the emulated disk's content (default: %(default)s)")
    add("--out", default="evaluation", metavar="DIR", help="for results, report, sources (default: %(default)s)")
    add("--report-only", action="store_true", help="make the report from the results that are in --out")
    add("--dry-run", action="store_true", help="print what would be done, with its sizes and whether there is room")
    add("--missing", action="store_true", help="only what --out has not enough runs of, or what has failed")
    add("--list", action="store_true", help="print experiments and systems, and end")
    return found


def chosen(names, known, what):
    """The entries of `known` with these names; all without names."""
    by_name = {entry.NAME if hasattr(entry, "NAME") else entry.name: entry for entry in known}
    for name in names:
        if name not in by_name:
            raise Failure(f"{name}: no such {what}; there are: {', '.join(by_name)}")
    return [entry for name, entry in by_name.items() if not names or name in names]


def pick(options):
    """The experiments that were asked for, and can be done on aged file systems, if these were."""
    picked = chosen(options.experiments, experiments.ALL, "experiment")
    if options.aged:
        picked = [entry for entry in picked if getattr(entry, "ON_AGED", True)]
    if not picked:
        raise Failure(f"--aged {' '.join(options.experiments)}: makes no difference there")
    if options.history and not options.aged and "ageing" not in (entry.NAME for entry in picked):
        raise Failure(f"--history {options.history}: wants --aged, or the experiment ageing")
    return picked


def print_list():
    print("experiments:")
    for entry in experiments.ALL:
        print(f"  {entry.NAME:16} {entry.TITLE}")
    print("systems:")
    for entry in systems.ALL:
        print(f"  {entry.name:16} {entry.title}; clones: {entry.clones}")


def memory_limit(text, scale):
    if text == "none":
        return None
    if text is None:
        return 4096 if scale.is_paper else max(memory.MINIMUM_MIB, round(512 * min(scale.factor, 8)))
    if not re.fullmatch(r"[0-9]+", text) or int(text) < memory.MINIMUM_MIB:
        raise Failure(f"--memory {text}: wants MiB, at least {memory.MINIMUM_MIB}, or none")
    return int(text)


def results_path(out):
    return os.path.join(out, "results.json")


def load_results(path):
    try:
        return Results.load(path)
    except FileNotFoundError:
        return Results()


def save(results, out):
    """Together with what an earlier run has found."""
    path = results_path(out)
    together = load_results(path)
    together.merge(results)
    together.save(path)
    report.write(together, out)


def draw(out):
    """The figures of all that is there."""
    try:
        obstacle = figures.write(load_results(results_path(out)), out)
    except Failure as error:
        obstacle = str(error)
    if obstacle:
        runner.say(obstacle)


def evaluate(options, scale, limit):
    picked = pick(options)
    kinds = chosen([name for name in options.systems.split(",") if name], systems.ALL, "system")
    found = load_results(results_path(options.out))  # what cannot be added to is said now, not after an hour
    results = Results()
    results.conditions = conditions(options, scale, limit)
    refuse_mixture(options.out, found, known_before(results.conditions, found))
    earlier = found if options.missing else None
    if not os.path.isdir(options.dir):
        raise Failure(f"--dir {options.dir}: no directory")
    with tempfile.TemporaryDirectory(prefix="betr-evaluate.", dir=os.path.abspath(options.dir)) as work:
        os.chmod(work, 0o711)  # a mail server is somebody else
        setting = make_setting(options, work, scale, limit)
        if options.dry_run:
            print_plan(options, setting, picked, kinds)
            return 0
        check(options, setting, picked)
        tested = able(kinds, setting, options.systems, results)
        os.makedirs(options.out, exist_ok=True)
        given = [path for path in (options.tree, options.history) if path]
        process.own_mounts([ROOT, options.bin, options.dir, options.out, *given])
        with runner.prepared(setting):
            if setting.group.path is None:
                results.conditions["memory"] = "none"
            refuse_mixture(options.out, found, results.conditions)
            results.about = about(options, setting, tested)
            results.notes = notes(options, setting, picked)
            try:
                keep = functools.partial(save, results, options.out)
                runner.run_all(setting, picked, tested, options.runs, results, keep, ages(options, setting), earlier)
            finally:
                most = setting.group.most_used_mib()
                results.about["most memory used"] = f"{most} MiB" if most else "not known"
                results.about["load average at the end"] = machine.load_average()
                save(results, options.out)
                draw(options.out)
    print(report.tables(load_results(results_path(options.out)), results.experiments()))
    print(os.path.join(options.out, "report.html"))
    return 1 if results.failures else 0


def conditions(options, scale, limit):
    """What makes results comparable: only those for which it is the same are gathered in one place."""
    found = {"scale": scale.text, "memory": f"{limit} MiB" if limit else "none", "disk": options.disk}
    found["cache of betr"] = f"{cache_mib(limit)} MiB"
    found["tree"] = os.path.abspath(options.tree) if options.tree else "linux-source-6.1"
    if options.aged or "ageing" in options.experiments or not options.experiments:
        found["ageing"] = os.path.abspath(options.history) if options.history else "made up"
    if options.disk == "emulated":
        found["time scale"] = f"{options.time_scale:g}"
    return found


def cache_mib(limit):
    return memory.betr_cache_mib(limit or 1024)


def known_before(conditions, found):
    """Without the limit of memory, if there was none before: whether there can be one is known when it is set."""
    had_no_limit = found.conditions.get("memory") == "none"
    return {name: value for name, value in conditions.items() if name != "memory" or not had_no_limit}


def refuse_mixture(out, found, conditions_now):
    different = found.differences(conditions_now)
    if different:
        raise Failure(f"{out} has results with {'; '.join(different)}: choose another --out")


def make_setting(options, work, scale, limit):
    found = disk.RealDisk(options.disk)
    if options.disk == "emulated":
        found = disk.EmulatedDisk(os.path.join(options.bin, "emulated_disk"), work, options.time_scale)
    sources = Sources(os.path.join(os.path.abspath(options.out), "sources"), options.tree)
    group = memory.MemoryGroup(limit)
    cache = cache_mib(limit)
    history = History(options.history, scale) if options.history else None
    return Setting(work, os.path.abspath(options.bin), found, group, cache, scale, sources, options.limit, history)


def make_plan(options, setting, picked):
    return Plan(picked, setting.scale, setting.disk, options.dir, options.out, ages(options, setting))


def ages(options, setting):
    """What ages file systems before each experiment, or None."""
    return (setting.history or aged) if options.aged else None


def check(options, setting, picked):
    """Fails for whatever would make the run fail as a whole."""
    if os.geteuid() != 0:
        raise Failure("needs root, for mounts, loop devices and the memory limit")
    absent = process.missing(PROGRAMS)
    if absent:
        raise Failure(f"not installed: {', '.join(absent)} (scripts/install-deps --all)")
    setting.sources.check()
    setting.disk.check()
    make_plan(options, setting, picked).check_room()


def print_plan(options, setting, picked, kinds):
    """What would be done; then whether it can."""
    for line in make_plan(options, setting, picked).lines():
        print(line)
    print(f"memory limit: {setting.group.mebibytes or 'no'} MiB; cache of betr: {setting.cache_mib} MiB")
    print(f"each program is stopped after {setting.limit:g} s; runs: {options.runs}")
    for system in (kind(setting) for kind in kinds):
        print(f"{system.name:16} {system.obstacle() or 'can run'}")
    for entry in picked:
        absent = process.missing(getattr(entry, "NEEDS", ()))
        if absent:
            print(f"{entry.NAME:16} not installed: {', '.join(absent)}")
    check(options, setting, picked)


def able(kinds, setting, asked, results):
    """The systems that can run here. One that was asked for by name has to."""
    tested = []
    for kind in kinds:
        system = kind(setting)
        obstacle = system.obstacle()
        if obstacle is None:
            tested.append(system)
        elif asked:
            raise Failure(f"{system.name}: {obstacle}")
        else:
            results.left_out[system.name] = obstacle
    if not tested:
        raise Failure("no system can run here")
    return tested


def told_of_memory(data_mib, free_mib):
    """What the report says of an experiment without a limit: betr has its cache, the others what is free."""
    told = f"no memory limit: it writes at most {data_mib} MiB, {number(data_mib / free_mib)} times the {free_mib} MiB"
    return f"{told} that were free" + ("" if data_mib > free_mib else ": with all but betr it may stay in memory")


def notes(options, setting, picked):
    """What has to be known of each experiment."""
    if setting.group.path is not None:
        return {}
    free_mib = machine.available_mib()
    plan = make_plan(options, setting, picked)
    return {runner.name_of(entry, options.aged): told_of_memory(plan.disk_mib(entry), free_mib) for entry in picked}


def about(options, setting, tested):
    found = machine.describe(ROOT)
    found["command"] = "bench/evaluate " + " ".join(sys.argv[1:])
    found["disk"] = setting.disk.describe()
    found["memory limit"] = f"{setting.group.how}; cache of betr {setting.cache_mib} MiB"
    if setting.history:
        found["ageing"] = setting.history.describe()
    found["scale"] = options.scale
    found["runs"] = options.runs
    found["systems"] = {system.name: {"title": system.title, "version": system.version()} for system in tested}
    return found


def main():
    options = parser().parse_args()
    runner.interruptible()
    try:
        if options.list:
            print_list()
            return 0
        if options.report_only:
            report.write(Results.load(results_path(options.out)), options.out)
            draw(options.out)
            return 0
        try:
            scale = Scale(options.scale)
        except ValueError:
            raise Failure(f"--scale {options.scale}: wants a number up to 100, or paper") from None
        if options.runs < 1:
            raise Failure(f"--runs {options.runs}: wants at least 1")
        if options.limit is not None and not options.limit > 0:
            raise Failure(f"--limit {options.limit:g}: wants more than 0 seconds")
        if not LEAST_TIME_SCALE <= options.time_scale <= MOST_TIME_SCALE:
            raise Failure(f"--time-scale {options.time_scale:g}: wants {LEAST_TIME_SCALE} to {MOST_TIME_SCALE}")
        if options.time_scale != 1 and options.disk != "emulated":
            raise Failure(f"--time-scale {options.time_scale:g}: is of the emulated disk only")
        options.limit = options.limit or scale.limit
        return evaluate(options, scale, memory_limit(options.memory, scale))
    except (Failure, OSError, ValueError) as error:
        print(f"bench/evaluate: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("bench/evaluate: interrupted", file=sys.stderr)
        return 130
