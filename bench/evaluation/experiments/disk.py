# SPDX-License-Identifier: Apache-2.0
"""fio on the bare disk: whether the emulated one is what it claims to be, or what a real one can do."""

import json

from evaluation import process

NAME = "disk"
TITLE = "The disk without a file system (fio, direct I/O)"
ON_AGED = False
SIZES = {"reads": (300, 3000), "mebibytes": (512, 8192), "appends": (300, 3000)}

# What a 7200 rpm disk of the papers' kind does.
EXPECTED = {
    "random reads of 4 KiB": 77,
    "sequential reads of 1 MiB": 123,
    "sequential writes of 1 MiB": 125,
    "random writes of 4 KiB": 74,
    "appends of 4 KiB, fdatasync each": 116,
}


def disk_mib(sizes):
    return sizes.mebibytes


def run_bare(bench):
    reads, appends = f"--number_ios={bench.reads}", f"--number_ios={bench.appends}"
    span = f"--size={bench.mebibytes}M"
    random_reads = _fio(bench, "read", "--rw=randread", "--bs=4k", "--norandommap", reads)
    bench.record("random reads of 4 KiB", random_reads["iops"], "/s", "more")
    sequential = _fio(bench, "read", "--rw=read", "--bs=1M", span)
    bench.record("sequential reads of 1 MiB", sequential["bw_bytes"] / 1e6, "MB/s", "more")
    sequential = _fio(bench, "write", "--rw=write", "--bs=1M", span, "--end_fsync=1")
    bench.record("sequential writes of 1 MiB", sequential["bw_bytes"] / 1e6, "MB/s", "more")
    options = ["--rw=randwrite", "--bs=4k", "--norandommap", reads, "--fdatasync=1"]
    bench.record("random writes of 4 KiB", _fio(bench, "write", *options)["iops"], "/s", "more")
    options = ["--rw=write", "--bs=4k", appends, "--fdatasync=1"]
    bench.record("appends of 4 KiB, fdatasync each", _fio(bench, "write", *options)["iops"], "/s", "more")


def _fio(bench, direction, *options):
    command = ["fio", "--name=disk", f"--filename={bench.setting.device}", "--direct=1", "--ioengine=psync"]
    told = process.run(*command, "--randseed=7", "--output-format=json", *options)
    # Warnings may stand before it.
    return json.loads(told[told.index("{") :])["jobs"][0][direction]
