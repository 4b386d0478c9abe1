# SPDX-License-Identifier: Apache-2.0
"""The nimble-clone benchmark: a directory of 8 x 8 files is cloned again and again, and written to a little.

Each round clones a directory, writes 16 bytes to each file of one of the two, and reads the new clone from a cold
start. Three configurations (what is cloned, what is written): the original or the newest clone. Where a clone is a full
copy, all rounds are alike, and there are at most COPIES of them.
"""

NAME = "clones"
TITLE = "Nimble clones: clone, write, grep, round by round"
CLONES = True
SIZES = {"file_kib": (512, 4096, 16), "rounds": (5, 128, 2)}
FOLDERS, FILES = 8, 8
COPIES = 16
CONFIGURATIONS = (("head", "tail"), ("head", "head"), ("tail", "tail"))


def disk_mib(sizes):
    directory = FOLDERS * FILES * sizes.file_kib / 1024
    return len(CONFIGURATIONS) * directory * (1 + min(sizes.rounds, COPIES))


def run(bench):
    for number, (cloned, written) in enumerate(CONFIGURATIONS):
        _configuration(bench, number, cloned, written)


def _configuration(bench, number, cloned, written):
    name = f"{cloned}-{written}"
    base = bench.path(name)
    bench.run("mkdir", base)
    bench.system.make_directory(f"{base}/0")
    _fill(bench, f"{base}/0")
    bench.system.sync()
    bench.cold()
    points = {"clone + sync": [], "write + sync": [], "grep of the new clone, cold": []}
    first = used = bench.system.used_bytes()
    growth = []
    rounds = bench.rounds if bench.system.clones_share else min(bench.rounds, COPIES)
    for turn in range(1, rounds + 1):
        source, target = _turn(cloned, written, turn)
        seconds = [
            bench.timed(lambda: _clone(bench, f"{base}/{source}", f"{base}/{turn}")),
            bench.timed(lambda: _write(bench, f"{base}/{target}", number * 1000 + turn)),
        ]
        bench.cold()
        growth.append((turn, (bench.system.used_bytes() - used) / 1024))
        used = bench.system.used_bytes()
        seconds.append(bench.timed(lambda: bench.run("grep", "-r", "absent", f"{base}/{turn}", allow=[1])))
        for line, value in zip(points.values(), seconds, strict=True):
            line.append((turn, value))
    for step, line in points.items():
        bench.curve(f"{name}: {step}", "round", "s", line)
        bench.record(f"{name}: {step}, mean", sum(value for _, value in line) / len(line), "s")
    bench.curve(f"{name}: space growth", "round", "KiB", growth)
    bench.record(f"{name}: space growth per round", (used - first) / 1024 / rounds, "KiB")


def run_library(bench):
    """Clones and reads by betrcp. What is cloned is made, and written to, by a mount that is not measured."""
    for number, (cloned, written) in enumerate(CONFIGURATIONS):
        name = f"{cloned}-{written}"
        with bench.mounted() as system:
            bench.run("mkdir", bench.path(name), bench.path(name, "0"))
            _fill(bench, bench.path(name, "0"))
            system.sync()
        cloning, reading = [], []
        for turn in range(1, bench.rounds + 1):
            source, target = _turn(cloned, written, turn)
            new = f"{name}/{turn}"
            cloning.append(bench.timed(lambda: bench.betrcp("--clone", f"{name}/{source}", new)))
            with bench.mounted() as system:
                bench.load("poke-each", bench.path(name, str(target)), number * 1000 + turn)
                system.sync()
            reading.append(bench.timed(lambda: bench.betrcp_grep("absent", new)))
        bench.record(f"{name}: clone + sync, mean", sum(cloning) / bench.rounds, "s")
        bench.record(f"{name}: grep of the new clone, cold, mean", sum(reading) / bench.rounds, "s")


def _turn(cloned, written, turn):
    """(which is cloned, which is written to)"""
    return 0 if cloned == "head" else turn - 1, 0 if written == "head" else turn


def _fill(bench, path):
    for folder in range(FOLDERS):
        bench.run("mkdir", f"{path}/{folder}")
        for file in range(FILES):
            bench.load("fill", f"{path}/{folder}/{file}", bench.file_kib)


def _clone(bench, source, target):
    bench.system.clone(source, target)
    bench.system.sync()


def _write(bench, path, seed):
    bench.load("poke-each", path, seed)
    bench.system.sync()
