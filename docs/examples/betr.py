#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A binding of libbetr's C interface (include/betr/c.h) in plain Python, as far as its demonstration needs it.

usage: betr.py NEW-IMAGE, with the path of libbetr.so in BETR_LIBRARY if the loader does not find it
"""

import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_size_t, c_uint16, c_uint64, c_void_p

AT, PAST = 0, 1
APPLY = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p)


class UpsertFunction(ctypes.Structure):
    _fields_ = [("number", c_uint16), ("name", c_char_p), ("apply", APPLY)]
    _fields_ += [("compose", c_void_p), ("release", c_void_p), ("user", c_void_p)]


class OpenOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("flags", c_uint64), ("cache_size", c_uint64), ("log_memory", c_uint64)]
    _fields_ += [("checkpoint_period_s", c_int64), ("settle_time_ms", c_int64), ("read_patience_ms", c_int64)]
    _fields_ += [("program", c_char_p), ("functions", POINTER(UpsertFunction)), ("function_count", c_size_t)]
    _fields_ += [("on_unreadable", c_void_p), ("on_unreadable_user", c_void_p)]


class Error(Exception):
    """The message of a call that failed; `code` is its betr_code."""

    def __init__(self, code):
        super().__init__(f"{_code_name(code).decode()}: {_error_message().decode()}")
        self.code = code


def _check(code, _function, _arguments):
    if code != 0:
        raise Error(code)


_library = ctypes.CDLL(os.environ.get("BETR_LIBRARY", "libbetr.so"))
_code_name = ctypes.CFUNCTYPE(c_char_p, c_int)(("betr_code_name", _library))
_error_message = ctypes.CFUNCTYPE(c_char_p)(("betr_error_message", _library))
_BYTES = (c_char_p, c_size_t)
_RESULT = (POINTER(c_void_p),)
_SHOWN = (c_void_p, POINTER(c_size_t))


def _declare(name, *arguments, returns=c_int):
    function = getattr(_library, f"betr_{name}")
    function.argtypes, function.restype = arguments, returns
    if returns is c_int:
        function.errcheck = _check
    return function


_create_image = _declare("create_image", c_char_p, c_uint64, c_void_p)
_open_image = _declare("open_image", c_char_p, POINTER(OpenOptions), *_RESULT)
_close = _declare("close", c_void_p)
_create_tree = _declare("create_tree", c_void_p, *_BYTES, c_char_p, POINTER(c_uint64))
_put = _declare("put", c_void_p, c_uint64, *_BYTES, *_BYTES)
_erase = _declare("erase", c_void_p, c_uint64, *_BYTES)
_upsert = _declare("upsert", c_void_p, c_uint64, *_BYTES, c_uint16, *_BYTES)
_clone = _declare("clone_prefix", c_void_p, c_uint64, *_BYTES, c_uint64, *_BYTES)
_get = _declare("get", c_void_p, c_void_p, c_uint64, *_BYTES, *_RESULT, POINTER(c_size_t))
_new_difference = _declare("new_difference", c_void_p, c_void_p, *(c_uint64, *_BYTES) * 2, *_RESULT)
_seek_to_first = _declare("difference_seek_to_first", c_void_p)
_next = _declare("difference_next", c_void_p)
_valid = _declare("difference_valid", c_void_p, returns=ctypes.c_bool)
_shown = [_declare(f"difference_{what}", *_SHOWN, returns=c_void_p) for what in ("key", "before", "after")]
_result_set = _declare("result_set", c_void_p, *_BYTES)
_free = _declare("free", c_void_p, returns=None)


class Handle:
    """Frees what it holds. In any order: whatever reads a store keeps it alive."""

    def __init__(self, kind, make, *arguments):
        self.pointer = c_void_p()
        self.free = _declare(f"{kind}_free", c_void_p, returns=None)
        make(*arguments, byref(self.pointer))

    def __del__(self):
        self.free(self.pointer)


def _number(data, size):
    """A number as text; 0 for any other bytes, and for none, as an upsert function copes with everything."""
    text = ctypes.string_at(data, size) if data else b""
    return int(text) if text.isdigit() else 0


def _add(_user, old, old_size, delta, delta_size, result):
    total = b"%d" % (_number(old, old_size) + _number(delta, delta_size))
    _result_set(result, total, len(total))


ADD = UpsertFunction(number=1, name=b"example.add", apply=APPLY(_add))  # lives as long as any store


class Tree:
    """A tree as a mapping of bytes to bytes, in a store that is made for it."""

    def __init__(self, path, name):
        options = OpenOptions(struct_size=ctypes.sizeof(OpenOptions), functions=ctypes.pointer(ADD), function_count=1)
        self.store = Handle("store", _open_image, os.fsencode(path), byref(options))
        identity = c_uint64()
        _create_tree(self.store.pointer, name, len(name), None, byref(identity))
        self.place = (self.store.pointer, identity)

    def __setitem__(self, key, value):
        _put(*self.place, key, len(key), value, len(value))

    def __delitem__(self, key):
        _erase(*self.place, key, len(key))

    def __getitem__(self, key):
        value, size = c_void_p(), c_size_t()
        _get(self.store.pointer, None, self.place[1], key, len(key), byref(value), byref(size))
        if value.value is None:
            raise KeyError(key)
        try:
            return ctypes.string_at(value, size.value)
        finally:
            _free(value)

    def add(self, key, number):
        """Adds to the number that is stored, which is not read for that."""
        delta = b"%d" % number
        _upsert(*self.place, key, len(key), ADD.number, delta, len(delta))

    def clone(self, source, target):
        _clone(*self.place, source, len(source), self.place[1], target, len(target))

    def difference(self, before, after):
        """Yields (key, value before, value after) where two prefixes differ; None where there is no such key."""
        sides = (self.place[1], before, len(before), self.place[1], after, len(after))
        difference = Handle("difference", _new_difference, self.store.pointer, None, *sides)
        _seek_to_first(difference.pointer)
        while _valid(difference.pointer):
            size = c_size_t()
            found = [(show(difference.pointer, byref(size)), size.value) for show in _shown]
            yield tuple(None if data is None else ctypes.string_at(data, length) for data, length in found)
            _next(difference.pointer)

    def close(self):
        _close(self.store.pointer)


def main(path):
    _create_image(os.fsencode(path), 1 << 30, None)
    tree = Tree(path, b"mail")
    for number in range(1000):
        tree[b"inbox/%03d" % number] = b"letter %d" % number
    tree.clone(b"inbox/", b"archive/")
    tree[b"inbox/007"] = b"with a zero \0 byte"
    tree[b"inbox/new"] = b""
    del tree[b"inbox/500"]
    for _ in range(10):
        tree.add(b"inbox/read", 3)
    for key, before, after in tree.difference(b"archive/", b"inbox/"):
        print(key, before, after)
    tree.close()
    try:
        tree[b"late"] = b""
    except Error as error:
        print(error)
    print(tree[b"archive/007"], "can still be read")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
