#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: overlay.py DIRECTORY SEED COUNT

Does so many random operations on names and files below the directory, and prints what came of each: ok, or the errno.
Operations and outcomes depend on nothing but the seed and what the directory shows. No file gets a second name:
docs/posix.md says what overlays make of these.
"""

import os
import random
import shutil
import sys


def names():
    directories, files = [], []
    for top, below, others in os.walk("."):
        below.sort()
        directories += [os.path.join(top, name) for name in below]
        files += [os.path.join(top, name) for name in sorted(others)]
    return directories, files


def append(path, size):
    with open(path, "ab") as file:
        file.write(b"x" * size)


def operate(number, choice):
    """One operation on names that were there a while ago."""
    directories, files = operate.names
    directory, file = choice.choice(directories), choice.choice(files)
    new = os.path.join(directory, f"new{number}")
    operations = [
        lambda: os.unlink(file),
        lambda: append(file, choice.randrange(5000)),
        lambda: os.rename(file, new),
        lambda: os.mkdir(new),
        lambda: shutil.rmtree(directory) if number % 5 == 0 else os.rmdir(directory),
        lambda: os.rename(directory, os.path.join(choice.choice(directories), f"moved{number}")),
        lambda: os.chmod(file, choice.choice([0o600, 0o644, 0o755])),
        lambda: os.symlink(file, new),
        lambda: os.truncate(file, choice.randrange(9000)),
    ]
    choice.choice(operations)()


def main():
    os.chdir(sys.argv[1])
    choice = random.Random(int(sys.argv[2]))
    for number in range(int(sys.argv[3])):
        if number % 50 == 0:
            operate.names = names()
        try:
            operate(number, choice)
            print(number, "ok")
        except OSError as error:
            print(number, error.errno)


main()
