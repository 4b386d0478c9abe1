# SPDX-License-Identifier: Apache-2.0
"""What is told of differences in a mount that is the working directory: for differences_test.sh."""

import errno
import fcntl
import json
import mmap
import os
import shutil
import stat
import subprocess
import sys
import threading
import time

from compare_ioctl import (
    CONTENT,
    MOST,
    XATTRS,
    answer,
    begin,
    begin_with,
    compared,
    opened,
    paths_of,
    refused,
    rest,
    source,
)
from compared_trees import betrcp, copy, make_trees, write

__all__ = ["make_trees"]  # the script makes them, too


def agrees_with_betrcp():
    run = subprocess.run(["betrcp", "--diff", "--json", "-l", "tree", "copy"], check=True, capture_output=True)
    told = json.loads(run.stdout)
    records = compared("tree", "copy")
    assert [entry["path"] for entry in told["differences"]] == paths_of(records)
    by_path = {record[0].decode(): record for record in records}
    _, differs, before, after = by_path["link"]
    assert differs == CONTENT and stat.S_ISLNK(before[0]) and after[5] == len("elsewhere"), by_path["link"]
    _, differs, before, after = by_path["xattr"]
    assert differs == XATTRS and before == after, by_path["xattr"]
    found = os.stat("copy/mode")
    _, differs, before, after = by_path["mode"]
    nanoseconds = found.st_mtime_ns
    wanted = (found.st_mode, found.st_uid, found.st_gid, nanoseconds % 10**9, nanoseconds // 10**9, found.st_size, 0)
    assert differs == 0 and after == wanted and before[0] != after[0], by_path["mode"]
    assert by_path["gone"][3] == (0,) * 7 and "gone/below" not in by_path
    assert max(len(path) for path in by_path) == 4095 - len("copy/")
    assert len(records) > 10_000, len(records)


def counts_what_was_just_written():
    os.mkdir("fresh")
    write("fresh/written", "a" * 10_000)
    write("fresh/mapped", "a" * 10_000)
    copy("fresh", "fresh2")
    for name in ("written", "mapped"):
        assert compared("fresh", "fresh2") == []
        with open(f"fresh2/{name}", "r+b", buffering=0) as file:
            if name == "written":
                file.write(b"b")
            else:
                with mmap.mmap(file.fileno(), 0) as mapped:
                    mapped[5_000] = ord("b")
                    assert "mapped" in paths_of(compared("fresh", "fresh2"))
            record = {path: differs for path, differs, _, _ in compared("fresh", "fresh2")}
            assert record[name.encode()] & CONTENT, (name, record)
        copy("fresh", "fresh2")


def mistakes():
    tree, other = opened("tree"), opened("copy")
    number = source(other)
    refused(errno.EINVAL, answer, tree)
    refused(errno.EINVAL, begin_with, tree, number, flags=1)
    refused(errno.EINVAL, begin_with, tree, number, reserved=1)
    refused(errno.EBADF, begin_with, tree, number ^ 1)
    refused(errno.EBADF, begin_with, tree, 0)
    refused(errno.EINVAL, answer, tree)
    os.close(other)
    refused(errno.EBADF, begin_with, tree, number)
    # Another size is another call.
    for command in (0x4018BE09, 0x4008BE09, 0x8010BE09, 0xBFE8BE0A, 0x8008BE0A):
        refused(errno.ENOTTY, fcntl.ioctl, tree, command, bytearray(0x4000 - 8))
    os.mkdir("unlinked")
    removed = opened("unlinked")
    os.rmdir("unlinked")
    refused(errno.ENOENT, begin_with, tree, source(removed))
    refused(errno.ENOENT, begin_with, removed, source(tree))
    write("unlinked", "as it was")
    removed = opened("unlinked")
    os.unlink("unlinked")
    write("other", "as it is")
    file = opened("other")
    begin_with(removed, source(file))
    ((path, differs, before, after),) = rest(removed)
    assert (path, differs & CONTENT, before[5], after[5]) == (b"", CONTENT, 9, 8)
    begin_with(file, source(tree))
    ((path, differs, before, after),) = rest(file)
    assert stat.S_ISREG(before[0]) and stat.S_ISDIR(after[0]) and path == b""
    for descriptor in (tree, removed, file):
        os.close(descriptor)


def belongs_to_an_open_file():
    expected = paths_of(compared("tree", "copy"))
    first = begin("tree", "copy")
    same, other = os.dup(first), opened("tree")
    told, _ = answer(first)
    more, _ = answer(same)
    refused(errno.EINVAL, answer, other)
    os.close(first)
    assert paths_of(told + more + rest(same)) == expected
    assert answer(same) == ([], True)
    # The next one takes its place.
    file = opened("copy")
    begin_with(same, source(file))
    answer(same)
    begin_with(same, source(file))
    assert paths_of(rest(same)) == expected
    for descriptor in (same, other, file):
        os.close(descriptor)
    # What is left in the middle is nobody's.
    for _ in range(3 * MOST):
        descriptor = begin("tree", "copy")
        answer(descriptor)
        os.close(descriptor)


def many_ask_at_once():
    expected = sorted(paths_of(compared("tree", "copy")))
    descriptor = begin("tree", "copy")
    found = []

    def ask():
        found.extend(paths_of(rest(descriptor)))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == expected
    os.close(descriptor)


def many_begin_and_close_at_once():
    """Whatever comes of it: the server has to survive."""
    shared = begin("tree", "copy")
    end = time.monotonic() + 2

    def use(descriptor_of):
        while time.monotonic() < end:
            try:
                descriptor = descriptor_of()
                answer(descriptor)
                if descriptor != shared:
                    os.close(descriptor)
            except OSError as error:
                assert error.errno in (errno.EINVAL, errno.EBUSY), error

    def begin_anew():
        file = opened("copy")
        begin_with(shared, source(file))
        os.close(file)
        return shared

    uses = [lambda: shared, begin_anew, lambda: begin("tree", "copy"), lambda: begin("copy", "tree")]
    threads = [threading.Thread(target=use, args=(one,)) for one in uses]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.close(shared)


def is_of_one_instant():
    copy("copy", "last")
    expected = compared("tree", "last")
    descriptor = begin("tree", "last")
    some, _ = answer(descriptor)
    for i in range(1, 20):
        write(f"last/many/file-{10 * i + 1}", "too late")
    os.rename("last/many", "last/fewer")
    betrcp("--remove", "last/fewer")
    os.sync()
    assert some + rest(descriptor) == expected
    betrcp("--remove", "last")
    begin_with(descriptor, source(descriptor))
    assert rest(descriptor) == []
    os.close(descriptor)


def as_user(user, call, *arguments):
    """What comes of a call in a process of somebody else's."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            call(*arguments)
        except BaseException as error:
            print(error, file=sys.stderr)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def give(top, user):
    for directory, directories, files in os.walk(top):
        os.chown(directory, user, user)
        for name in files:
            os.chown(os.path.join(directory, name), user, user, follow_symlinks=False)


def who_may():
    os.makedirs("own/sub/deep")
    for name in ("file", "sub/file", "sub/deep/file"):
        write("own/" + name)
    os.symlink("nowhere", "own/link")
    give("own", 1234)
    copy("own", "own2")
    write("own2/sub/file", "changed")
    as_user(1234, lambda: paths_of(compared("own", "own2")) == ["sub/file"] or os.abort())
    # Not even that there is no difference is for others.
    as_user(1235, refused, errno.EPERM, compared, "own", "own2")
    as_user(1235, refused, errno.EPERM, compared, "own", "own")
    as_user(1234, refused, errno.EPERM, compared, "own", "tree")
    as_user(1234, refused, errno.EPERM, compared, "tree", "own")
    for name in ("own2/sub/deep/theirs", "own/sub/deep/theirs"):
        write(name)
        as_user(1234, refused, errno.EPERM, compared, "own", "own2")
        os.unlink(name)
    for name, mode in (("sub/deep", 0o300), ("sub", 0o600), ("sub/deep/file", 0o200), ("file", 0o044)):
        was = os.stat("own2/" + name).st_mode
        os.chmod("own2/" + name, mode)
        as_user(1234, refused, errno.EACCES, compared, "own", "own2")
        as_user(1234, refused, errno.EACCES, compared, "own2", "own")
        os.chmod("own2/" + name, was)
    as_user(1234, compared, "own", "own2")
    # A descriptor is not a right.
    handed = begin("own", "own2")
    as_user(1234, refused, errno.EPERM, answer, handed)
    assert "sub/file" in paths_of(rest(handed))
    handed, other = opened("tree"), opened("copy")
    as_user(1234, refused, errno.EPERM, begin_with, handed, source(other))
    refused(errno.EINVAL, answer, handed)
    shutil.rmtree("own")
    shutil.rmtree("own2")


def outlives_its_mount(server):
    """Threads that ask and begin while the mount ends."""
    server = int(server)
    descriptor = begin("tree", "copy")
    errors = []

    def use(anew):
        try:
            while True:
                answer(descriptor)
                if anew:
                    begin_with(descriptor, source(descriptor))
                    another = begin("tree", "copy")
                    answer(another)
                    os.close(another)
        except OSError as error:
            errors.append(error.errno)

    threads = [threading.Thread(target=use, args=(anew,)) for anew in (False, True, True)]
    for thread in threads:
        thread.start()
    os.kill(server, 15)
    for thread in threads:
        thread.join()
    assert set(errors) <= {errno.ENOTCONN, errno.ECONNABORTED}, errors


def is_bounded():
    descriptors = [begin("tree", "copy") for _ in range(MOST)]
    begun = time.monotonic()
    for descriptor in descriptors:
        answer(descriptor)
    further, file = opened("tree"), opened("copy")
    if time.monotonic() - begun < 5:
        refused(errno.EBUSY, begin_with, further, source(file))
    time.sleep(11)
    answer(descriptors[0])
    begin_with(further, source(file))
    assert rest(descriptors[0])
    refused(errno.ETIMEDOUT, answer, descriptors[1])
    begin_with(descriptors[1], source(file))
    assert rest(descriptors[1]) and rest(further)


def is_given_up_for_space():
    """On an image that gets full."""
    os.mkdir("tree")
    for i in range(2_000):
        write(f"tree/{i}")
    os.mkdir("empty")
    betrcp("--clone", "empty", "none")
    for i in range(2_000):
        write(f"none/{i}")
    descriptor = begin("none", "empty")
    answer(descriptor)
    time.sleep(12)
    some, is_last = answer(descriptor)
    assert some and not is_last
    with open("all", "wb") as file:
        while (space := os.statvfs(".")).f_bavail > space.f_blocks / 12:
            file.write(os.urandom(1_000_000))
            os.fsync(file.fileno())
    time.sleep(13)
    refused(errno.ETIMEDOUT, answer, descriptor)
    os.unlink("all")
