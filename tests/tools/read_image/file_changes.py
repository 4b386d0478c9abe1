# SPDX-License-Identifier: Apache-2.0
"""Changes files in a new image and on the host in the same way, at random, and ends without a close.

usage: file_changes.py IMAGE DIRECTORY SEED NODE-SIZE BASEMENT-SIZE FANOUT COMPRESSION STEPS LOGGED

Before the last LOGGED steps, the image is closed and opened again.
"""

import ctypes
import os
import random
import shutil
import stat
import subprocess
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

import betr
import betr_fs
from format_options import format_options

NO_THREADS = 8
SET_PERMISSIONS, SET_SIZE = 1, 8


class NewFile(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("mode", c_uint32), ("uid", c_uint32), ("gid", c_uint32)]
    _fields_ += [("device", c_uint64), ("target", c_char_p)]


declare = betr_fs._declare
create_image = declare("fs_create_image", c_char_p, c_uint64, c_void_p, c_void_p)
open_image = declare("fs_open_image", c_char_p, c_void_p, POINTER(c_void_p))
make = declare("fs_make", c_void_p, c_char_p, POINTER(NewFile))
link = declare("fs_link", c_void_p, c_char_p, c_char_p)
unlink = declare("fs_unlink", c_void_p, c_char_p)
rename = declare("fs_rename", c_void_p, c_char_p, c_char_p, c_int)
change = declare("file_change", c_void_p, POINTER(betr_fs.Attributes), c_uint)
set_xattr = declare("file_set_xattr", c_void_p, c_char_p, c_char_p, c_size_t, c_int)


class Both:
    """Paths are relative, to the image's root and to a directory of the host."""

    def __init__(self, image, host):
        self.image, self.host = image, host
        os.mkdir(host)
        self.open()

    def open(self):
        opening = betr.OpenOptions(struct_size=ctypes.sizeof(betr.OpenOptions), flags=NO_THREADS)
        self.fs = betr_fs.FileSystem.__new__(betr_fs.FileSystem)
        self.fs.handle = betr_fs.Handle("fs", open_image, os.fsencode(self.image), byref(opening))
        self.fs.fs = self.fs.handle.pointer

    def here(self, path):
        return os.path.join(self.host, path)

    def some(self, *kinds):
        """The path of something that is of one of these kinds, or None."""
        found = []
        for top, directories, files in os.walk(self.host):
            paths = [os.path.relpath(os.path.join(top, name), self.host) for name in directories + files]
            found += [path for path in paths if stat.S_IFMT(os.lstat(self.here(path)).st_mode) in kinds]
        return random.choice(found) if found else None

    def absent(self):
        while True:
            above = self.some(stat.S_IFDIR) if random.random() < 0.8 else None
            path = os.path.join(above or "", random.choice(["x", "y", "a long name"]) + str(random.randrange(30)))
            if not os.path.lexists(self.here(path)):
                return path

    def create(self):
        path = self.absent()
        self.fs.open(path, betr_fs.CREATE | betr_fs.EXCLUSIVE)
        with open(self.here(path), "xb"):
            self.write(path)

    def write(self, path=None):
        path = path or self.some(stat.S_IFREG)
        if path:
            at = random.choice([0, 0, 100, 4000, 4096, 10000, 1 << 21])
            data = random.randbytes(random.choice([1, 50, 5000])) + bytes(random.choice([0, 100, 9000]))
            self.fs.open(path).write(at, data)
            with open(self.here(path), "r+b") as file:
                file.seek(at)
                file.write(data)

    def change(self, which, **attributes):
        path = self.some(stat.S_IFREG)
        if path:
            file = self.fs.open(path)
            values = betr_fs.Attributes(struct_size=ctypes.sizeof(betr_fs.Attributes), **attributes)
            change(file.handle.pointer, byref(values), which)
        return path

    def truncate(self):
        size = random.choice([0, 10, 4096, 5000, 20000])
        path = self.change(SET_SIZE, size=size)
        if path:
            os.truncate(self.here(path), size)

    def chmod(self):
        mode = 0o600 | random.randrange(0o7777)
        path = self.change(SET_PERMISSIONS, mode=mode)
        if path:
            os.chmod(self.here(path), mode)

    def make_directory(self):
        path = self.absent()
        self.fs.makedirs(path)
        os.mkdir(self.here(path))

    def make_symlink(self):
        path, target = self.absent(), "../" * random.randrange(4) + "somewhere"
        what = NewFile(ctypes.sizeof(NewFile), stat.S_IFLNK | 0o777, target=target.encode())
        make(self.fs.fs, os.fsencode(path), byref(what))
        os.symlink(target, self.here(path))

    def link(self):
        path, to = self.some(stat.S_IFREG), self.absent()
        if path:
            link(self.fs.fs, os.fsencode(path), os.fsencode(to))
            os.link(self.here(path), self.here(to))

    def unlink(self):
        path = self.some(stat.S_IFREG)
        if path:
            unlink(self.fs.fs, os.fsencode(path))
            os.unlink(self.here(path))

    def clone(self):
        path, to = self.some(stat.S_IFDIR, stat.S_IFREG), self.absent()
        if path and sum(len(files) for _, _, files in os.walk(self.host)) < 300:
            self.fs.clone(path, to)
            copy = self.host + ".copy"  # of what was there before, even if it is copied into itself
            subprocess.run(["cp", "-a", self.here(path), copy], check=True)
            os.rename(copy, self.here(to))

    def rename(self):
        path, to = self.some(stat.S_IFDIR, stat.S_IFREG, stat.S_IFLNK), self.absent()
        if path and not to.startswith(path + "/"):
            rename(self.fs.fs, os.fsencode(path), os.fsencode(to), 0)
            os.rename(self.here(path), self.here(to))

    def replace(self):
        path, to = self.some(stat.S_IFREG), self.some(stat.S_IFREG)
        if path:
            rename(self.fs.fs, os.fsencode(path), os.fsencode(to), 0)
            os.rename(self.here(path), self.here(to))

    def remove_tree(self):
        path = self.some(stat.S_IFDIR)
        if path and random.random() < 0.3:
            self.fs.rmtree(path)
            shutil.rmtree(self.here(path))

    def set_xattr(self):
        path = self.some(stat.S_IFREG, stat.S_IFDIR)
        name, value = random.choice(["user.a", "user.b", "user.large"]), random.randbytes(10)
        value *= 200 if name == "user.large" else 1
        if path and self.host_takes(path, name, value):
            file = self.fs.open(path)
            set_xattr(file.handle.pointer, name.encode(), value, len(value), 0)

    def host_takes(self, path, name, value):
        """Not every host has such xattrs."""
        try:
            os.setxattr(self.here(path), name, value)
        except OSError:
            return False
        return True


def main(image, host, seed, node_size, basement_size, fanout, compression, steps, logged):
    random.seed(int(seed))
    options = format_options(node_size, basement_size, fanout, compression)
    create_image(os.fsencode(image), 64 << 20, options, None)
    both = Both(image, host)
    kinds = [both.create] * 12 + [both.write] * 8 + [both.truncate] * 3 + [both.chmod] * 2 + [both.make_directory] * 4
    kinds += [both.make_symlink, both.replace] + [both.link] * 4 + [both.unlink] * 3 + [both.clone] * 3
    kinds += [both.rename] * 3 + [both.remove_tree] * 2 + [both.set_xattr] * 3
    for step in range(int(steps)):
        if step == int(steps) - int(logged):
            both.fs.close()
            both.open()
        random.choice(kinds)()
    both.fs.sync()
    os._exit(0)


main(*sys.argv[1:])
