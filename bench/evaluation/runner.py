# SPDX-License-Identifier: Apache-2.0
"""Runs experiments on systems, as often as asked for, and cleans up whatever happens."""

import contextlib
import signal
import sys
import time

from evaluation import aged, process, systems
from evaluation.bench import Bench
from evaluation.process import Failure
from evaluation.results import Results


def interruptible():
    """The first signal ends everything by a KeyboardInterrupt; the others must not disturb the cleaning up."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def interrupt(*_):
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in numbers:
        signal.signal(number, interrupt)


class BareDisk:
    """Stands for a system where there is none."""

    name = "disk"
    entry = "run_bare"
    differs_in_clones_only = False

    def make(self):
        pass

    mount = unmount = end_programs = make


def say(text):
    print(text, file=sys.stderr, flush=True)


def is_for(experiment, system, is_aged=False):
    """Each system runs what says how; those that differ only in cloning run what clones."""
    clones = getattr(experiment, "CLONES", False)
    if is_aged and system.name in getattr(experiment, "ANEW", ()):
        return False
    return hasattr(experiment, system.entry) and (clones or not system.differs_in_clones_only)


@contextlib.contextmanager
def prepared(setting):
    """The disk attached, the memory group there; all undone in the end, ^C or not."""
    setting.build()
    with contextlib.ExitStack() as undo:
        undo.callback(setting.group.remove)
        setting.group.create()
        undo.callback(setting.disk.detach)
        setting.disk.attach()
        yield


def name_of(experiment, is_aged):
    """Under which its results are kept."""
    return aged.name_of(experiment.NAME) if is_aged else experiment.NAME


def run_all(setting, experiments, tested, runs, results, save, before=None, earlier=None):
    """Runs everything; what fails or cannot be is noted, and the rest goes on. Only whole runs get into `results`, and
    `save()` is called after each. `before`: what ages each file system, or None. `earlier`: results that need not be
    found again."""
    for experiment in experiments:
        name = name_of(experiment, before)
        obstacle = _obstacle(setting, experiment)
        if obstacle:
            say(f"{name}: left out: {obstacle}")
            results.left_out[name] = obstacle
            continue
        begun = time.monotonic()
        slow = [system for system in tested if _is_too_slow(setting, experiment, system)]
        for system in slow:
            results.left_out[f"{name}: {system.name}"] = f"needs a --limit of more than {setting.limit:g} s"
        able = [system for system in (BareDisk(), *tested) if is_for(experiment, system, before)]
        if not able:
            wanted = " or ".join(kind.name for kind in systems.ALL if is_for(experiment, kind, before))
            say(f"{name}: not done: it wants {wanted}")
        missing = [
            system
            for system in able
            if system not in slow and not (earlier and earlier.runs(name, _recorded(experiment, system)) >= runs)
        ]
        for number in range(runs):
            for system in missing:
                say(f"{name}: {system.name}, run {number + 1}")
                found = Results()
                _run_one(setting, experiment, Bench(setting, experiment, system, found, name), before)
                results.gather(found)
                results.seconds[name] = round(time.monotonic() - begun, 1)
                save()


def _is_too_slow(setting, experiment, system):
    """Whether it would only run into the limit, after minutes."""
    return system.name in getattr(experiment, "SLOW", ()) and setting.limit <= setting.scale.usual_limit


def _recorded(experiment, system):
    """The name under which a whole run of it leaves figures."""
    return getattr(experiment, "RECORDED", system.name)


def _obstacle(setting, experiment):
    """Why the experiment cannot run here, or None."""
    absent = process.missing(getattr(experiment, "NEEDS", ()))
    if absent:
        return f"not installed: {', '.join(absent)}"
    try:
        getattr(experiment, "prepare", lambda _: None)(setting)
    except (Failure, OSError) as error:
        return str(error)
    return None


def _run_one(setting, experiment, bench, before):
    kills = setting.group.kills()
    begun = time.monotonic()
    system = bench.system
    try:
        setting.disk.clear()
        if before:
            _age(setting, before, system.by_mount())
        with systems.remounted(system) if before else systems.mounted(system):
            getattr(experiment, system.entry)(bench)
    except Exception as error:  # whatever it is, the others go on
        known = isinstance(error, (Failure, OSError))
        message = str(error) if known else f"{type(error).__name__}: {error}"
        killed = setting.group.kills() - kills
        message += f" (the kernel killed {killed} processes for want of memory)" if killed else ""
        bench.fail(message)
        say(f"  failed: {message}")
    left = setting.group.kill()
    if left:
        say(f"  killed {left} processes that were left")
    say(f"  {time.monotonic() - begun:.1f} s")


def _age(setting, before, system):
    begun = time.monotonic()
    with systems.mounted(system):
        before.age(Bench(setting, before, system, Results()))
    system.forget()
    say(f"  aged in {time.monotonic() - begun:.1f} s")
