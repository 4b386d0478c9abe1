# SPDX-License-Identifier: Apache-2.0
"""Removal of whole trees by BETR_IOC_REMOVE, in a mount that is the working directory: for remove_tree_test.sh."""

import errno
import fcntl
import json
import mmap
import os
import struct
import subprocess
import threading

REMOVE = 0x4108BE06
STATS = 0xA000BE03


def remove(name, directory=".", flags=0, reserved=0):
    if isinstance(name, str):
        name = name.encode()
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.ioctl(descriptor, REMOVE, struct.pack("II256s", flags, reserved, name))
    finally:
        os.close(descriptor)


def refused(wanted, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except OSError as error:
        assert error.errno == wanted, (arguments, named, error)
        return
    raise AssertionError(f"{arguments} {named}: went well")


def write(path, content="content"):
    with open(path, "w", encoding="ascii") as file:
        file.write(content)


def content(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def make_tree(top, width=3, depth=3):
    os.makedirs(top)
    write(f"{top}/file")
    os.symlink("nowhere", f"{top}/link")
    os.mkfifo(f"{top}/fifo")
    if depth > 0:
        for number in range(width):
            make_tree(f"{top}/{number}", width, depth - 1)


def counters():
    descriptor = os.open(".", os.O_RDONLY)
    answer = bytearray(8192)
    fcntl.ioctl(descriptor, STATS, answer)
    os.close(descriptor)
    return json.loads(answer[: answer.index(0)])["counters"]


def everything_goes():
    os.mkdir("parent")
    make_tree("parent/tree")
    os.symlink("parent", "way")
    before = os.stat("parent")
    assert before.st_nlink == 3
    remove("tree", "parent")
    after = os.stat("parent")
    assert after.st_nlink == 2 and after.st_mtime_ns > before.st_mtime_ns, (before, after)
    assert os.listdir("parent") == []
    refused(errno.ENOENT, os.stat, "parent/tree/0/1/file")
    refused(errno.ENOENT, remove, "tree", "parent")
    # The name may be had again, by whatever.
    write("parent/tree")
    remove("tree", "parent")
    make_tree("parent/tree", 1, 1)
    remove("way")  # itself, not what it leads to
    assert os.listdir("parent/tree/0") != []
    remove("parent")
    refused(errno.ENOENT, os.stat, "parent")


def bad_arguments():
    make_tree("tree", 1, 1)
    for name in ("", ".", "..", "tree/0", "/tree", b"x" * 256):
        refused(errno.EINVAL, remove, name)
    refused(errno.EINVAL, remove, "tree", flags=1)
    refused(errno.EINVAL, remove, "tree", reserved=1)
    refused(errno.ENOTDIR, remove, "tree", "tree/file")
    refused(errno.ENOENT, remove, "nothing")
    assert content("tree/0/file") == "content"
    remove("tree")


def links_outside():
    make_tree("tree", 1, 1)
    os.link("tree/0/file", "tree/0/inside")
    os.link("tree/0/file", "outside")
    os.link("tree/file", "other")
    held = os.open("outside", os.O_RDONLY)
    assert os.stat("outside").st_nlink == 3 and os.stat("other").st_nlink == 2
    remove("tree")
    assert os.stat("outside").st_nlink == 1 and os.fstat(held).st_nlink == 1, os.stat("outside")
    assert os.stat("other").st_nlink == 1 and content("outside") == content("other") == "content"
    os.close(held)
    os.unlink("outside")
    os.unlink("other")


def make_links():
    make_tree("tree", 1, 1)
    os.link("tree/0/file", "outside")


def links_known_outside_only():
    """After make_links and a new mount."""
    held = os.open("outside", os.O_RDONLY)
    assert os.fstat(held).st_nlink == 2 and os.stat(".").st_nlink == 3
    remove("tree")
    assert os.stat(".").st_nlink == 2
    assert os.fstat(held).st_nlink == os.stat("outside").st_nlink == 1
    assert os.pread(held, 100, 0) == b"content"
    os.close(held)
    os.unlink("outside")


def open_files():
    make_tree("tree", 1, 2)
    os.link("tree/0/0/file", "outside")
    linked = os.open("tree/0/0/file", os.O_RDWR)
    file = os.open("tree/0/file", os.O_RDWR)
    os.write(file, b"written before")
    assert os.fstat(file).st_nlink == 1 and os.fstat(linked).st_nlink == 2
    remove("tree")
    assert os.fstat(file).st_nlink == 0 and os.fstat(linked).st_nlink == 1, os.fstat(file)
    os.write(file, b", written after")
    os.fsync(file)
    assert os.pread(file, 100, 0) == b"written before, written after"
    assert os.readlink(f"/proc/self/fd/{file}").endswith(" (deleted)")
    os.close(file)
    os.pwrite(linked, b"C", 0)
    os.close(linked)
    assert content("outside") == "Content"
    os.unlink("outside")


def mapped_pages():
    make_tree("tree", 1, 1)
    descriptor = os.open("tree/0/file", os.O_RDWR)
    os.ftruncate(descriptor, 1 << 20)
    with mmap.mmap(descriptor, 1 << 20) as memory:
        memory[5000:5003] = b"new"
        os.pwrite(descriptor, b"x" * 4096, 8192)
        remove("tree")
        memory[70000:70003] = b"too"
        memory.flush()
        os.fsync(descriptor)
        assert memory[5000:5003] == b"new" and memory[70000:70003] == b"too"
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        assert os.pread(descriptor, 3, 5000) == b"new" and os.pread(descriptor, 3, 70000) == b"too"
        assert os.pread(descriptor, 4096, 8192) == b"x" * 4096
    os.close(descriptor)
    # What is written and closed, and may be in the kernel's cache still.
    os.mkdir("tree")
    for number in range(100):
        write(f"tree/{number}", "x" * 10000)
    remove("tree")


def working_directory():
    make_tree("tree", 1, 3)
    home = os.open(".", os.O_RDONLY)
    held = os.open("tree/0/0/file", os.O_RDONLY)
    middle = os.open("tree/0", os.O_RDONLY)
    os.chdir("tree/0/0")
    os.stat("file")
    os.stat("0/file")
    descriptor = os.open(".", os.O_RDONLY)
    subprocess.run(["true"], check=True)
    fcntl.ioctl(home, REMOVE, struct.pack("II256s", 0, 0, b"tree"))
    for directory in (descriptor, middle):
        assert os.fstat(directory).st_nlink == 0, os.fstat(directory)
        assert os.listdir(directory) == [], os.listdir(directory)
    refused(errno.ENOENT, os.getcwd)
    for call in (os.stat, os.mkdir, os.listdir, write, os.chdir):
        refused(errno.ENOENT, call, "0")
    for name in ("file", "link", "0/file", "0/0/file", "../file", "../0/file"):
        refused(errno.ENOENT, os.stat, name, follow_symlinks=False)
    refused(errno.ENOENT, os.stat, "0", dir_fd=middle)
    refused(errno.ENOENT, os.mkdir, "new", dir_fd=middle)
    refused(errno.ENOENT, os.symlink, "target", "new")
    refused(errno.ENOENT, os.link, f"/proc/self/fd/{home}/new", "new")
    refused(errno.ENOENT, remove, "0")
    os.fchdir(home)
    assert os.pread(held, 100, 0) == b"content"
    for each in (held, middle, descriptor, home):
        os.close(each)


def names_are_forgotten():
    """A tree of the same names takes the place: nothing of the old one shows."""
    for number in range(5):
        make_tree("tree", 2, 2)
        write("tree/0/1/file", f"round {number}")
        os.setxattr("tree/0", "user.round", str(number).encode())
        assert content("tree/0/1/file") == f"round {number}"
        assert os.getxattr("tree/0", "user.round") == str(number).encode()
        refused(errno.ENOENT, os.stat, f"tree/new{number + 1}")
        os.mkdir(f"tree/new{number}")
        assert len(os.listdir("tree")) == 6
        remove("tree")
        refused(errno.ENOENT, os.stat, "tree")


def beside_others():
    """Files are made, opened and renamed in a tree while it goes, over and over; nobody meets another error."""
    allowed = {errno.ENOENT, errno.ESTALE, errno.EEXIST}
    failed = []
    is_over = threading.Event()

    def busy(who):
        while not is_over.is_set():
            try:
                os.makedirs(f"tree/{who}", exist_ok=True)
                write(f"tree/{who}/file", "some" * 3000)
                content(f"tree/{who}/file")
                os.rename(f"tree/{who}/file", f"tree/{who}/renamed")
                os.listdir("tree")
            except OSError as error:
                if error.errno not in allowed:
                    failed.append(error)
                    return

    threads = [threading.Thread(target=busy, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(100):
        try:
            remove("tree")
        except OSError as error:
            assert error.errno == errno.ENOENT, error
    is_over.set()
    for thread in threads:
        thread.join()
    assert not failed, failed
    os.makedirs("tree", exist_ok=True)
    remove("tree")


def the_clone_stays():
    make_tree("tree")
    subprocess.run(["betrcp", "--clone", "tree", "copy"], check=True)
    write("copy/0/file", "changed")
    before = sorted(os.walk("copy"))
    remove("tree")
    assert sorted(os.walk("copy")) == before and len(before) == 40
    assert content("copy/0/file") == "changed" and content("copy/1/2/0/file") == "content"
    remove("copy")


def as_user(call, *arguments, groups=(), **named):
    """Whatever it raises is the end of the test."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups(list(groups))
            os.setgid(1234)
            os.setuid(1234)
            call(*arguments, **named)
            os._exit(0)
        except BaseException as error:  # pylint: disable=broad-exception-caught
            print(call, arguments, named, error, flush=True)
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def own(top, *keep):
    """Gives the tree to user 1234, but for some."""
    for directory, directories, files in os.walk(top):
        for path in (directory, *(os.path.join(directory, name) for name in (*directories, *files))):
            if path not in keep:
                os.chown(path, 1234, 1234, follow_symlinks=False)


def rights_of_an_owner():
    os.mkdir("drop")
    os.chmod("drop", 0o777)
    for parent in ("drop", "."):
        make_tree(f"{parent}/tree")
        own(f"{parent}/tree")
    # Other people's files are no hindrance, as they are none to rm; directories are, empty or not.
    os.chown("drop/tree/0/1/file", 0, 0)
    for foreign in ("drop/tree/2", "drop/tree/0/1/2", "drop/tree"):
        os.chown(foreign, 0, 0)
        as_user(refused, errno.EPERM, remove, "tree", "drop")
        os.chown(foreign, 1234, 1234)
        os.chmod(foreign, 0o500)
        as_user(refused, errno.EACCES, remove, "tree", "drop")
        os.chmod(foreign, 0o700)
    as_user(refused, errno.EACCES, remove, "tree")
    assert len(list(os.walk("drop/tree"))) == 40
    as_user(remove, "tree", "drop")
    refused(errno.ENOENT, os.stat, "drop/tree")
    remove("tree")
    remove("drop")


def rights_to_the_name():
    os.mkdir("drop")
    os.chmod("drop", 0o1777)
    write("drop/file")
    os.mkdir("drop/mine")
    os.chown("drop/mine", 1234, 1234)
    as_user(refused, errno.EPERM, remove, "file", "drop")
    as_user(remove, "mine", "drop")
    os.chown("drop", 1234, 0)
    as_user(remove, "file", "drop")
    os.chown("drop", 0, 5678)
    os.chmod("drop", 0o775)
    for _ in range(2):
        write("drop/file")
        as_user(refused, errno.EACCES, remove, "file", "drop")
        as_user(remove, "file", "drop", groups=(5678,))
        refused(errno.ENOENT, os.stat, "drop/file")
    # A name is not told to who may not look for it.
    os.chmod("drop", 0o776)
    as_user(refused, errno.EACCES, remove, "nothing", "drop")
    write("drop/file")
    as_user(refused, errno.EACCES, remove, "file", "drop")
    remove("drop")


def mounts_are_in_the_way():
    make_tree("tree", 1, 2)
    make_tree("tree2", 1, 0)
    os.mkdir("elsewhere")
    for path in ("tree/0/0", "tree"):
        subprocess.run(["mount", "-t", "tmpfs", "none", path], check=True)
        write(f"{path}/precious")
        refused(errno.EBUSY, remove, "tree")
        assert content(f"{path}/precious") == "content"
        subprocess.run(["umount", path], check=True)
    subprocess.run(["mount", "--bind", "tree/0", "elsewhere"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", "elsewhere/0"], check=True)
    refused(errno.EBUSY, remove, "tree")
    remove("tree2")
    subprocess.run(["umount", "elsewhere/0", "elsewhere"], check=True)
    remove("tree")
    remove("elsewhere")


def mounted_elsewhere():
    """What another namespace has mounted in the tree is unmounted there, and keeps what it has."""
    make_tree("tree", 1, 1)
    os.mkdir("kept")
    write("kept/file")
    script = """
mount --make-rprivate / && mount --bind kept tree/0 && [ -e tree/0/file ] && echo mounted && read -r answer
! grep -q tree/0 /proc/self/mountinfo && [ ! -e tree ] && cat kept/file
"""
    command = ["unshare", "-m", "bash", "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "mounted\n"
        remove("tree")
        assert other.communicate("removed\n", timeout=60)[0] == "content"
    remove("kept")


def read_only():
    refused(errno.EROFS, remove, "tree")
    assert content("tree/0/file") == "content"


def costs():
    """What is handed to the store is the same for a large tree as for a small one."""
    for files in (10, 3000):
        os.mkdir("tree")
        for number in range(files):
            write(f"tree/{number:04}")
        subprocess.run(["betrcp", "--clone", "tree", "copy"], check=True)
        directory = os.open("tree", os.O_RDONLY)
        os.fsync(directory)
        os.close(directory)
        for name in ("tree", "copy"):
            before = counters()
            remove(name)
            after = counters()
            for counter, most in (("bytes_batches", 300), ("nodes_touched", 30)):
                assert after[counter] - before[counter] <= most, (files, name, counter, before, after)
