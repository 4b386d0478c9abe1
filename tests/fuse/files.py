#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What programs expect of a Linux file system, tried in a directory of a mounted image: files.py [--dense] DIRECTORY.

Each method of Files is a case with a directory of its own. Run on any file system to compare.
"""

import ctypes
import errno
import fcntl
import mmap
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from xattrs import XattrCases  # noqa: E402

LIBC = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, AT_SYMLINK_FOLLOW = -100, 0x400
RENAME_NOREPLACE, RENAME_EXCHANGE, RENAME_WHITEOUT = 1, 2, 4
FALLOC_KEEP_SIZE, FALLOC_PUNCH_HOLE, FALLOC_ZERO_RANGE, FALLOC_COLLAPSE = 1, 2, 16, 8
BLOCK = 4096


def renameat2(source, target, flags):
    if LIBC.renameat2(AT_FDCWD, os.fsencode(source), AT_FDCWD, os.fsencode(target), flags) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")


def name_it(fd, name):
    if LIBC.linkat(AT_FDCWD, b"/proc/self/fd/%d" % fd, AT_FDCWD, os.fsencode(name), AT_SYMLINK_FOLLOW) != 0:
        raise OSError(ctypes.get_errno(), "linkat")


def fallocate(fd, mode, offset, length):
    if LIBC.fallocate(fd, mode, ctypes.c_long(offset), ctypes.c_long(length)) != 0:
        raise OSError(ctypes.get_errno(), "fallocate")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


class Files(XattrCases, unittest.TestCase):
    root = "."
    dense = False  # holes count as data, as the kernel has it for file systems that cannot tell

    def setUp(self):
        self.directory = tempfile.mkdtemp(dir=self.root)
        os.chdir(self.directory)

    def tearDown(self):
        os.chdir("/")
        shutil.rmtree(self.directory)

    def fails(self, error, call, *arguments, **named):
        with self.assertRaises(OSError) as caught:
            call(*arguments, **named)
        self.assertEqual(errno.errorcode[caught.exception.errno], errno.errorcode[error])

    def test_every_type_of_file(self):
        write("file", b"content")
        os.mkdir("directory", 0o750)
        os.symlink("file", "symlink")
        os.mkfifo("fifo", 0o600)
        with socket.socket(socket.AF_UNIX) as sock:
            sock.bind("socket")
        modes = {name: stat.S_IFMT(os.lstat(name).st_mode) for name in os.listdir()}
        expected = {
            "file": stat.S_IFREG,
            "directory": stat.S_IFDIR,
            "symlink": stat.S_IFLNK,
            "fifo": stat.S_IFIFO,
            "socket": stat.S_IFSOCK,
        }
        if os.geteuid() == 0:
            os.mknod("device", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
            expected["device"] = stat.S_IFCHR
            modes["device"] = stat.S_IFMT(os.stat("device").st_mode)
            self.assertEqual(os.stat("device").st_rdev, os.makedev(1, 3))
            write("device", b"into nothing")
        self.assertEqual(modes, expected)
        self.assertEqual(os.readlink("symlink"), "file")
        self.assertEqual(read("symlink"), b"content")

    def test_names_of_any_bytes(self):
        names = [b"\xff\xfe", b" ", b"new\nline", b"\\", "größe".encode(), b"x" * 255]
        for name in names:
            write(name, name)
        self.assertEqual(sorted(os.listdir(b".")), sorted(names))
        for name in names:
            self.assertEqual(read(name), name)
        self.fails(errno.ENAMETOOLONG, write, b"y" * 256, b"")
        self.fails(errno.ENAMETOOLONG, os.mkdir, b"y" * 256)

    def test_opening(self):
        os.close(os.open("file", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        self.fails(errno.EEXIST, os.open, "file", os.O_CREAT | os.O_EXCL)
        write("file", b"12345678")
        fd = os.open("file", os.O_WRONLY | os.O_APPEND)
        os.write(fd, b"9")
        os.lseek(fd, 0, os.SEEK_SET)
        os.write(fd, b"0")
        os.close(fd)
        self.assertEqual(read("file"), b"1234567890")
        os.close(os.open("file", os.O_WRONLY | os.O_TRUNC))
        self.assertEqual(os.stat("file").st_size, 0)
        os.symlink("file", "link")
        self.fails(errno.ELOOP, os.open, "link", os.O_RDONLY | os.O_NOFOLLOW)
        self.fails(errno.ENOTDIR, os.open, "file/below", os.O_RDONLY)
        self.fails(errno.ENOENT, os.open, "absent", os.O_RDONLY)

    def test_rename_and_its_flags(self):
        write("a", b"a")
        write("b", b"b")
        self.fails(errno.EEXIST, renameat2, "a", "b", RENAME_NOREPLACE)
        renameat2("a", "b", RENAME_EXCHANGE)
        self.assertEqual((read("a"), read("b")), (b"b", b"a"))
        renameat2("a", "c", RENAME_NOREPLACE)
        self.assertFalse(os.path.exists("a"))
        self.fails(errno.EINVAL, renameat2, "b", "c", RENAME_EXCHANGE | RENAME_WHITEOUT)
        renameat2("b", "left", RENAME_WHITEOUT)
        left = os.lstat("b")
        self.assertTrue(stat.S_ISCHR(left.st_mode))
        self.assertEqual((left.st_rdev, stat.S_IMODE(left.st_mode), left.st_uid), (0, 0, os.getuid()))
        self.assertEqual(read("left"), b"a")
        os.makedirs("d/e")
        self.fails(errno.EINVAL, os.rename, "d", "d/e/f")
        write("d/e/file", b"deep")
        inode = os.stat("d/e/file").st_ino
        os.rename("d", "moved")
        self.assertEqual(os.stat("moved/e/file").st_ino, inode)
        self.assertEqual(read("moved/e/file"), b"deep")
        self.fails(errno.ENOTEMPTY, os.rmdir, "moved")
        os.mkdir("empty")
        os.rename("moved", "empty")
        self.assertEqual(os.listdir("empty"), ["e"])

    def test_hard_links(self):
        write("a", b"one")
        os.link("a", "b")
        self.assertEqual(os.stat("a").st_nlink, 2)
        self.assertEqual(os.stat("a").st_ino, os.stat("b").st_ino)
        write("b", b"two")
        self.assertEqual(read("a"), b"two")
        os.unlink("a")
        self.assertEqual(os.stat("b").st_nlink, 1)
        self.fails(errno.EEXIST, os.link, "b", "b")

    def test_open_files_outlive_their_names(self):
        fd = os.open("file", os.O_CREAT | os.O_RDWR)
        os.write(fd, b"still here")
        os.unlink("file")
        self.assertFalse(os.path.exists("file"))
        self.assertEqual(os.fstat(fd).st_nlink, 0)
        os.pwrite(fd, b"S", 0)
        self.assertEqual(os.pread(fd, 100, 0), b"Still here")
        write("file", b"another one")
        self.assertEqual(os.pread(fd, 100, 0), b"Still here")
        os.close(fd)
        self.assertEqual(read("file"), b"another one")

    def test_files_without_a_name(self):
        fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o640)
        os.write(fd, b"no name yet")
        self.assertEqual(os.fstat(fd).st_nlink, 0)
        self.assertEqual(os.listdir(), [])
        name_it(fd, "named")
        os.close(fd)
        self.assertEqual(read("named"), b"no name yet")
        self.assertEqual(os.stat("named").st_nlink, 1)
        os.close(os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o600))

    def test_sparse_files(self):
        fd = os.open("file", os.O_CREAT | os.O_RDWR)
        os.pwrite(fd, b"x", 10 * BLOCK)
        self.assertEqual(os.lseek(fd, 0, os.SEEK_DATA), 0 if self.dense else 10 * BLOCK)
        self.assertEqual(os.lseek(fd, 0, os.SEEK_HOLE), 10 * BLOCK + 1 if self.dense else 0)
        self.assertEqual(os.lseek(fd, 10 * BLOCK, os.SEEK_HOLE), 10 * BLOCK + 1)
        self.fails(errno.ENXIO, os.lseek, fd, 20 * BLOCK, os.SEEK_DATA)
        self.assertEqual(os.pread(fd, BLOCK, 5 * BLOCK), bytes(BLOCK))
        os.ftruncate(fd, 5)
        os.ftruncate(fd, BLOCK)
        self.assertEqual(os.pread(fd, 2 * BLOCK, 0), bytes(BLOCK))
        self.fails(errno.EFBIG, os.truncate, "file", 1 << 62)
        os.ftruncate(fd, 8 * BLOCK)
        with mmap.mmap(fd, 8 * BLOCK) as pages:
            pages[6 * BLOCK] = 1
            self.assertEqual(os.lseek(fd, 2 * BLOCK, os.SEEK_DATA), 2 * BLOCK if self.dense else 6 * BLOCK)
        os.close(fd)

    def test_fallocate(self):
        write("file", b"x" * (4 * BLOCK))
        fd = os.open("file", os.O_RDWR)
        fallocate(fd, 0, 0, 6 * BLOCK)
        self.assertEqual(os.fstat(fd).st_size, 6 * BLOCK)
        fallocate(fd, FALLOC_KEEP_SIZE, 0, 9 * BLOCK)
        self.assertEqual(os.fstat(fd).st_size, 6 * BLOCK)
        fallocate(fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, BLOCK, BLOCK)
        fallocate(fd, FALLOC_ZERO_RANGE, 2 * BLOCK + 1, 2)
        expected = b"x" * BLOCK + bytes(BLOCK) + b"x" + bytes(2) + b"x" * (2 * BLOCK - 3) + bytes(2 * BLOCK)
        self.assertEqual(os.pread(fd, 8 * BLOCK, 0), expected)
        self.assertEqual(os.lseek(fd, BLOCK, os.SEEK_DATA), BLOCK if self.dense else 2 * BLOCK)
        self.fails(errno.EOPNOTSUPP, fallocate, fd, FALLOC_COLLAPSE, 0, BLOCK)
        for mode in 0, FALLOC_KEEP_SIZE:
            os.utime(fd, (1, 1))
            fallocate(fd, mode, 0, 1)
            self.assertGreater(os.fstat(fd).st_mtime, 1)
        os.close(fd)

    def test_umask(self):
        old = os.umask(0o027)
        try:
            os.mkdir("directory")
            os.close(os.open("file", os.O_CREAT, 0o666))
            os.mkfifo("fifo")
        finally:
            os.umask(old)
        self.assertEqual(stat.S_IMODE(os.stat("directory").st_mode), 0o750)
        self.assertEqual(stat.S_IMODE(os.stat("file").st_mode), 0o640)
        self.assertEqual(stat.S_IMODE(os.stat("fifo").st_mode), 0o640)

    def test_set_id_bits(self):
        if os.geteuid() != 0:
            self.skipTest("not root")
        write("file", b"x" * 100)
        os.chown("file", 1234, 1234)
        os.chmod(".", 0o777)
        changes = {
            "write": "fd = os.open('file', os.O_WRONLY | os.O_APPEND); os.write(fd, b'x')",
            "truncate": "os.truncate('file', 5)",
            "open": "os.open('file', os.O_WRONLY | os.O_TRUNC)",
        }
        for name, code in changes.items():
            os.chmod("file", 0o6755)
            code = f"import os; os.setgid(1234); os.setuid(1234); {code}"
            subprocess.run([sys.executable, "-c", code], check=True, cwd=".")
            self.assertEqual(oct(stat.S_IMODE(os.stat("file").st_mode)), "0o755", name)
        os.chmod("file", 0o6755)
        with open("file", "ab") as file:
            file.write(b"by root")
        self.assertEqual(stat.S_IMODE(os.stat("file").st_mode), 0o6755)
        os.chown("file", 1235, -1)
        self.assertEqual(stat.S_IMODE(os.stat("file").st_mode), 0o755)

    def test_memory_maps(self):
        write("file", b"a" * (3 * BLOCK))
        fd = os.open("file", os.O_RDWR)
        with mmap.mmap(fd, 3 * BLOCK) as shared:
            shared[BLOCK : BLOCK + 4] = b"wxyz"
            shared.flush()
            self.assertEqual(os.pread(fd, 4, BLOCK), b"wxyz")
            os.pwrite(fd, b"1234", 2 * BLOCK)
            self.assertEqual(shared[2 * BLOCK : 2 * BLOCK + 4], b"1234")
            shared[0:1] = b"b"
        with mmap.mmap(fd, 3 * BLOCK, flags=mmap.MAP_PRIVATE) as private:
            private[0:1] = b"c"
        os.close(fd)
        self.assertEqual(read("file")[:2], b"ba")

    def test_direct_io(self):
        fd = os.open("file", os.O_CREAT | os.O_RDWR | os.O_DIRECT)
        with mmap.mmap(-1, 4 * BLOCK) as buffer:
            buffer[:] = b"d" * (4 * BLOCK)
            self.assertEqual(os.writev(fd, [buffer]), 4 * BLOCK)
            buffer[:] = bytes(4 * BLOCK)
            self.assertEqual(os.preadv(fd, [buffer], 0), 4 * BLOCK)
            self.assertEqual(buffer[:], b"d" * (4 * BLOCK))
        os.close(fd)

    def test_times(self):
        write("file", b"")
        os.utime("file", ns=(1_000_000_001, -5_000_000_007))
        self.assertEqual(os.stat("file").st_atime_ns, 1_000_000_001)
        self.assertEqual(os.stat("file").st_mtime_ns, -5_000_000_007)
        before = os.stat(".").st_mtime_ns
        write("another", b"")
        self.assertGreater(os.stat(".").st_mtime_ns, before)
        born = subprocess.run(["stat", "-c", "%W", "file"], check=True, capture_output=True, text=True).stdout
        self.assertGreater(int(born), 1_000_000_000)

    def test_times_of_a_touched_file(self):
        write("file", b"")
        os.utime("file")
        status = os.stat("file")
        self.assertEqual(status.st_atime_ns, status.st_mtime_ns)
        self.assertEqual(status.st_ctime_ns, status.st_mtime_ns)

    def test_a_running_program_is_not_emptied(self):
        shutil.copy("/bin/sleep", "program")
        size = os.stat("program").st_size
        with subprocess.Popen(["./program", "60"]) as process:
            try:
                with self.assertRaises(OSError) as refused:
                    os.open("program", os.O_RDONLY | os.O_TRUNC)
                self.assertEqual(refused.exception.errno, errno.ETXTBSY)
                self.assertEqual(os.stat("program").st_size, size)
                self.assertEqual(len(read("program")), size)
            finally:
                process.kill()

    def test_listing_while_the_directory_changes(self):
        stay = {f"stay{i:04}" for i in range(2000)}
        for name in stay:
            write(name, b"")
        for i in range(1000):
            write(f"go{i:04}", b"")
        seen = []
        with os.scandir(".") as entries:
            for number, entry in enumerate(entries):
                seen.append(entry.name)
                if number < 1000:
                    write(f"come{number:04}", b"")
                    os.unlink(f"go{number:04}")
        self.assertEqual(len(seen), len(set(seen)))
        self.assertLessEqual(stay, set(seen))
        left = set(os.listdir())
        self.assertEqual(len(left), 3000)
        self.assertFalse([name for name in left if name.startswith("go")])

    def test_listings_beside_each_other(self):
        stay = {f"{'stay' * 20}{i:04}" for i in range(1500)}
        for name in stay:
            write(name, b"")
        for i in range(3):
            self.assertEqual(set(os.listdir()) - stay, {f"come{j}" for j in range(i)})
            with os.scandir(".") as first:
                seen = [next(first).name]
                write(f"come{i}", b"")
                with os.scandir(".") as second:
                    next(second)
                    seen += [entry.name for entry in first]
            self.assertLessEqual(stay, set(seen))
            self.assertEqual(len(seen), len(set(seen)))

    def test_removing_while_listing(self):
        os.mkdir("many")
        for i in range(5000):
            write(f"many/{i}", b"")
        shutil.rmtree("many")
        self.assertFalse(os.path.exists("many"))

    def test_locks(self):
        write("file", b"12345678")
        first, second = os.open("file", os.O_RDWR), os.open("file", os.O_RDWR)
        fcntl.flock(first, fcntl.LOCK_EX)
        self.fails(errno.EAGAIN, fcntl.flock, second, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(first, fcntl.LOCK_UN)
        fcntl.lockf(first, fcntl.LOCK_EX, 4)
        code = "import fcntl,os,sys\nfd=os.open('file',os.O_RDWR)\n"
        code += "try: fcntl.lockf(fd,fcntl.LOCK_EX|fcntl.LOCK_NB,4)\nexcept OSError: sys.exit(7)\n"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], check=False).returncode, 7)
        os.close(first)
        os.close(second)

    def test_unknown_ioctl(self):
        write("file", b"")
        fd = os.open("file", os.O_RDONLY)
        self.fails(errno.ENOTTY, fcntl.ioctl, fd, 0x5401, bytes(64))
        os.close(fd)

    def test_copy_file_range(self):
        data = os.urandom(5 << 20) + b"tail"
        write("a", data)
        subprocess.run(["cp", "a", "b"], check=True)
        self.assertEqual(read("b"), data)
        write("b", b"changed")
        self.assertEqual(read("a"), data)
        source, target = os.open("a", os.O_RDONLY), os.open("c", os.O_CREAT | os.O_RDWR)
        self.assertEqual(os.copy_file_range(source, target, 1000, 77, 5), 1000)
        self.assertEqual(os.pread(target, 2000, 0), bytes(5) + data[77:1077])
        os.close(source)
        os.close(target)

    def test_space(self):
        space = os.statvfs(".")
        self.assertEqual(space.f_namemax, 255)
        self.assertGreater(space.f_bavail, 0)
        self.assertLessEqual(space.f_bavail, space.f_bfree)
        self.assertLessEqual(space.f_bfree, space.f_blocks)


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv if argument != "--dense"]
    Files.dense = len(arguments) < len(sys.argv)
    Files.root = os.path.abspath(arguments[1])
    unittest.main(argv=arguments[:1] + arguments[2:])
