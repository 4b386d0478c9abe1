# SPDX-License-Identifier: Apache-2.0
"""usage: replaced.py DIRECTORY SECONDS

Programs use a name while others replace it or remove it. Each gets what has the name then, and never an error that
another file system would not give.
"""

import collections
import errno
import multiprocessing
import os
import sys
import time

directory, seconds = sys.argv[1], float(sys.argv[2])
name = f"{directory}/name"
ATTRIBUTE = "user.large"
VALUE = b"v" * 3000  # lies outside the record
CREATES = os.O_CREAT | os.O_RDWR


def make(path):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))


def make_with_attribute(path):
    make(path)
    os.setxattr(path, ATTRIBUTE, VALUE)


def replace(number, maker):
    own = f"{directory}/own{number}"
    maker(own)
    os.rename(own, name)


def opened(flags):
    return lambda: os.close(os.open(name, flags, 0o644))


def check_value():
    assert os.getxattr(name, ATTRIBUTE) == VALUE


def use_what_is_open():
    descriptor = os.open(name, os.O_RDONLY)
    try:
        os.fchmod(descriptor, 0o600)
        assert os.fstat(descriptor).st_size == os.lseek(descriptor, 0, os.SEEK_END)
    finally:
        os.close(descriptor)


# Names of uses, each with what is done, and whether the file that has the name must have the attribute.
USES = {
    "open": (opened(os.O_RDONLY), make),
    "open and use": (use_what_is_open, make),
    "open to truncate": (opened(os.O_WRONLY | os.O_TRUNC), make),
    "open or create": (opened(CREATES), make),
    "open or create, truncate": (opened(CREATES | os.O_TRUNC), make),
    "truncate": (lambda: os.truncate(name, 0), make),
    "chmod": (lambda: os.chmod(name, 0o644), make),
    "setxattr": (lambda: os.setxattr(name, "user.small", b"1"), make),
    "setxattr, large": (lambda: os.setxattr(name, ATTRIBUTE, VALUE), make),
    "getxattr, large": (check_value, make_with_attribute),
}


def repeat(which, action, report, tolerated=()):
    """Until the time is over; reports under that name how often it was done, and the errors."""
    errors = collections.Counter()
    done = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            action()
            done += 1
        except OSError as error:
            if error.errno not in tolerated:
                errors[errno.errorcode[error.errno]] += 1
    report.put((which, done, dict(errors)))


def run(what, others, use, tolerated=()):
    report = multiprocessing.Queue()
    roles = [(f"other {number}", other, report, (errno.ENOENT,)) for number, other in enumerate(others)]
    roles += [("use", use, report, tolerated)] * 2
    processes = [multiprocessing.Process(target=repeat, args=role) for role in roles]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0, f"{what}: a process failed"
    results = [report.get() for _ in processes]  # those who failed have sent none
    errors = [found for _, _, found in results if found]
    assert not errors, f"{what}: {errors}"
    done = collections.Counter()
    for which, count, _ in results:
        done[which] += count
    assert all(done.values()), f"{what}: one of them was never done: {done}"


for use_name, (use, maker) in USES.items():
    maker(name)
    replacers = [lambda number=number, maker=maker: replace(number, maker) for number in range(2)]
    run(f"{use_name} while it is replaced", replacers, use)
    if maker is make:
        remover = [lambda: os.unlink(name), lambda: replace(0, make)]
        run(f"{use_name} while it is removed", remover, use, () if "create" in use_name else (errno.ENOENT,))
    if os.path.exists(name):
        os.unlink(name)
