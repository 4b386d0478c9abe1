# SPDX-License-Identifier: Apache-2.0
"""What a report says of the machine and of the versions of everything."""

import datetime
import os
import subprocess

PACKAGES = ("fio", "e2fsprogs", "xfsprogs", "btrfs-progs", "zfsutils-linux", "nilfs-tools", "fuse2fs", "git", "rsync")
PACKAGES += ("tar", "grep", "dovecot-imapd")


def describe(root):
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "betr": _told("git", "-C", root, "describe", "--always", "--dirty"),
        "kernel": os.uname().release,
        "processors": f"{os.cpu_count()} x {_first('/proc/cpuinfo', 'model name')}",
        "memory": f"{int(_first('/proc/meminfo', 'MemTotal').split()[0]) >> 20} GiB",
        "load average": load_average(),
        "packages": {name: version for name in PACKAGES if (version := _package(name))},
    }


def available_mib():
    """Memory that could be had, for pages too."""
    return int(_first("/proc/meminfo", "MemAvailable").split()[0]) >> 10


def load_average():
    return " ".join(f"{value:.1f}" for value in os.getloadavg())


def _first(path, key):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(key):
                return line.split(":", 1)[1].strip()
    return "0"


def _package(name):
    return _told("dpkg-query", "-W", "-f", "${Version}", name)


def _told(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
