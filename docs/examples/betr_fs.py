#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A binding of libbetr's file system in C (include/betr/c_filesystem.h), as far as its demonstration needs it: the
files of an image without a mount.

usage: betr_fs.py NEW-IMAGE, with the path of libbetr.so in BETR_LIBRARY if the loader does not find it
"""

import ctypes
import os
import stat
import sys
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint32
from ctypes import c_uint64, c_void_p, sizeof

CREATE, EXCLUSIVE, TRUNCATE = 1, 2, 4


class Time(Structure):
    _fields_ = [("seconds", c_int64), ("nanoseconds", c_uint32)]


class Attributes(Structure):
    _fields_ = [("struct_size", c_size_t), ("inode_number", c_uint64), ("mode", c_uint32), ("links", c_uint32)]
    _fields_ += [("uid", c_uint32), ("gid", c_uint32), ("device", c_uint64), ("size", c_uint64), ("blocks", c_uint64)]
    _fields_ += [("accessed", Time), ("modified", Time), ("changed", Time), ("born", Time)]


class Difference(Structure):
    _fields_ = [("struct_size", c_size_t), ("path", c_char_p), ("before", POINTER(Attributes))]
    _fields_ += [("after", POINTER(Attributes)), ("content", c_bool), ("xattrs", c_bool)]


VISIT_NAME = CFUNCTYPE(c_bool, c_void_p, c_char_p, POINTER(Attributes))
VISIT_DIFFERENCE = CFUNCTYPE(c_bool, c_void_p, POINTER(Difference))

_library = ctypes.CDLL(os.environ.get("BETR_LIBRARY", "libbetr.so"))
_error_message = CFUNCTYPE(c_char_p)(("betr_error_message", _library))
_error_errno = CFUNCTYPE(c_int)(("betr_error_errno", _library))


def _check(code, _function, _arguments):
    if code != 0:
        raise OSError(_error_errno(), _error_message().decode())


def _declare(name, *arguments):
    function = getattr(_library, f"betr_{name}")
    function.argtypes, function.errcheck = arguments, _check
    return function


_create_image = _declare("fs_create_image", c_char_p, c_uint64, c_void_p, c_void_p)
_open_image = _declare("fs_open_image", c_char_p, c_void_p, POINTER(c_void_p))
_close = _declare("fs_close", c_void_p)
_sync = _declare("fs_sync", c_void_p)
_stat = _declare("fs_stat", c_void_p, c_char_p, POINTER(Attributes))
_make_directories = _declare("fs_make_directories", c_void_p, c_char_p, c_uint32)
_clone = _declare("fs_clone", c_void_p, c_char_p, c_char_p)
_remove_tree = _declare("fs_remove_tree", c_void_p, c_char_p)
_for_each_name = _declare("fs_for_each_name", c_void_p, c_char_p, c_char_p, VISIT_NAME, c_void_p)
_for_each_difference = _declare("fs_for_each_difference", c_void_p, *(c_char_p,) * 2, VISIT_DIFFERENCE, c_void_p)
_open = _declare("fs_open", c_void_p, c_char_p, c_uint, c_void_p, POINTER(c_void_p))
_read = _declare("file_read", c_void_p, c_uint64, c_void_p, c_size_t, POINTER(c_size_t))
_write = _declare("file_write", c_void_p, c_uint64, c_char_p, c_size_t)


class Handle:
    """Frees what it holds. In any order: what is open keeps its file system."""

    def __init__(self, kind, make, *arguments):
        self.pointer = c_void_p()
        self.free = getattr(_library, f"betr_{kind}_free")
        self.free.argtypes, self.free.restype = (c_void_p,), None
        make(*arguments, byref(self.pointer))

    def __del__(self):
        self.free(self.pointer)


class File:
    def __init__(self, fs, path, flags):
        self.handle = Handle("file", _open, fs, os.fsencode(path), flags, None)

    def write(self, offset, data):
        _write(self.handle.pointer, offset, data, len(data))

    def read(self, offset, size):
        buffer, done = ctypes.create_string_buffer(size), c_size_t()
        _read(self.handle.pointer, offset, buffer, size, byref(done))
        return buffer.raw[: done.value]


class FileSystem:
    """The files of an image, by functions that are called as those of the module os are."""

    def __init__(self, path):
        self.handle = Handle("fs", _open_image, os.fsencode(path), None)
        self.fs = self.handle.pointer

    def open(self, path, flags=0):
        return File(self.fs, path, flags)

    def stat(self, path):
        attributes = Attributes(struct_size=sizeof(Attributes))
        _stat(self.fs, os.fsencode(path), byref(attributes))
        return attributes

    def makedirs(self, path):
        _make_directories(self.fs, os.fsencode(path), 0o755)

    def clone(self, source, target):
        """A copy of a directory with everything below, in the time of one update."""
        _clone(self.fs, os.fsencode(source), os.fsencode(target))

    def rmtree(self, path):
        _remove_tree(self.fs, os.fsencode(path))

    def listdir(self, path):
        names = []
        visit = VISIT_NAME(lambda _, name, attributes: names.append(os.fsdecode(name)) or True)
        _for_each_name(self.fs, os.fsencode(path), None, visit, None)
        return names

    def differences(self, before, after):
        """[(path, was there, is there)] of what differs between two trees, without a look at what they share."""
        found = []

        def visit(_user, pointer):
            difference = pointer.contents
            found.append((os.fsdecode(difference.path), bool(difference.before), bool(difference.after)))
            return True

        _for_each_difference(self.fs, os.fsencode(before), os.fsencode(after), VISIT_DIFFERENCE(visit), None)
        return found

    def sync(self):
        _sync(self.fs)

    def close(self):
        _close(self.fs)


def main(path):
    _create_image(os.fsencode(path), 1 << 30, None, None)
    fs = FileSystem(path)
    fs.makedirs("project/src")
    for number in range(100):
        fs.open(f"project/src/{number:02}.c", CREATE | EXCLUSIVE).write(0, b"int main(void) { return %d; }\n" % number)
    fs.clone("project", "sandbox")
    fs.open("sandbox/src/07.c", TRUNCATE).write(0, b"#error\n")
    fs.open("sandbox/new", CREATE)
    fs.sync()
    for difference in fs.differences("project", "sandbox"):
        print(difference)
    print(fs.open("project/src/07.c").read(0, 100), fs.open("sandbox/src/07.c").read(0, 100))
    print(stat.filemode(fs.stat("sandbox").mode), len(fs.listdir("sandbox/src")), "files")
    try:
        fs.open("sandbox/src/100.c")
    except FileNotFoundError as error:
        print(error.strerror)
    fs.rmtree("sandbox")
    print(fs.listdir("/"))
    fs.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
