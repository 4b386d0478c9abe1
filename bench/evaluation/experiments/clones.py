# SPDX-License-Identifier: Apache-2.0
"""The nimble-clone benchmark: a directory of 8 x 8 files is cloned again and again, and written to a little.

Each round clones a directory, writes 16 bytes to each file of one of the two, and reads the new clone from a cold
start. Three configurations (what is cloned, what is written): the original or the newest clone. Where a clone is a full
copy, all rounds are alike, and there are at most COPIES of them.
"""

import random

from evaluation import library

NAME = "clones"
TITLE = "Nimble clones: clone, write, grep, round by round"
CLONES = True
ANEW = ("betr-library",)
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
    used = bench.system.used_bytes()
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
    _record(bench, name, points, growth)


def _record(bench, name, points, growth):
    """`points`: step: (round, seconds). `growth`: (round, KiB)."""
    for step, line in points.items():
        bench.curve(f"{name}: {step}", "round", "s", line)
        bench.record(f"{name}: {step}, mean", _mean(line), "s")
    bench.curve(f"{name}: space growth", "round", "KiB", growth)
    bench.record(f"{name}: space growth per round", _mean(growth), "KiB")


def _mean(line):
    return sum(value for _, value in line) / len(line)


def run_library(bench):
    """Clones and reads by betrcp. What is cloned is made, and written to, by a mount that is not measured; writes are
    measured by betrreplay."""
    for number, (cloned, written) in enumerate(CONFIGURATIONS):
        name = f"{cloned}-{written}"
        with bench.mounted() as system:
            bench.run("mkdir", bench.path(name), bench.path(name, "0"))
            _fill(bench, bench.path(name, "0"))
            system.sync()
        cloning, reading, growth = [], [], []
        used = bench.used_bytes()
        for turn in range(1, bench.rounds + 1):
            source, target = _turn(cloned, written, turn)
            new = f"{name}/{turn}"
            cloning.append((turn, bench.timed(lambda: bench.betrcp("--clone", f"{name}/{source}", new))))
            with bench.mounted() as system:
                bench.load("poke-each", bench.path(name, str(target)), number * 1000 + turn)
                system.sync()
            before, used = used, bench.used_bytes()
            growth.append((turn, (used - before) / 1024))
            reading.append((turn, bench.timed(lambda: bench.betrcp_grep("absent", new))))
        _record(bench, name, {"clone + sync": cloning, "grep of the new clone, cold": reading}, growth)
    for cloned, written in CONFIGURATIONS:
        bench.record(f"{cloned}-{written}: write + sync, mean", _replayed_writes(bench, cloned, written), "s")


def _replayed_writes(bench, cloned, written):
    """Mean seconds of a round's writes and sync. A directory is cloned file by file: traces have no other clones."""
    trace = library.Trace(bench.setting.work)
    for folder in range(FOLDERS):
        trace.directory(f"0/{folder}")
    trace.directory("0")
    for name in _names():
        trace.file(f"0/{name}", bench.file_kib << 10)
    places = random.Random(1)
    for turn in range(1, bench.rounds + 1):
        source, target = _turn(cloned, written, turn)
        for call in (*_clone_calls(source, turn), *_write_calls(target, places, bench.file_kib)):
            trace.call(call)
    return library.seconds_of(library.replay(bench, trace), "write", "sync") / bench.rounds


def _names():
    return [f"{folder}/{file}" for folder in range(FOLDERS) for file in range(FILES)]


def _clone_calls(source, target):
    """Made durable by an fsync; what is written, by a sync, so that the report tells them apart."""
    for folder in ("", *(f"/{number}" for number in range(FOLDERS))):
        yield f'mkdir("{library.ROOT}/{target}{folder}", 0755) = 0'
    for name in _names():
        yield f'openat(AT_FDCWD, "{library.ROOT}/{source}/{name}", O_RDONLY) = 3'
        yield f'openat(AT_FDCWD, "{library.ROOT}/{target}/{name}", O_WRONLY|O_CREAT, 0644) = 4'
        yield "ioctl(4, FICLONE, 3) = 0"
        yield "fsync(4) = 0" if name == _names()[-1] else "close(4) = 0"
        yield "close(3) = 0"


def _write_calls(target, places, kibibytes):
    for name in _names():
        yield f'openat(AT_FDCWD, "{library.ROOT}/{target}/{name}", O_WRONLY) = 3'
        yield f'pwrite64(3, ""..., 16, {places.randrange(max(1, kibibytes // 4)) * 4096}) = 16'
        yield "close(3) = 0"
    yield "sync() = 0"


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
