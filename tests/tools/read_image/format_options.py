# SPDX-License-Identifier: Apache-2.0
"""betr_format_options of include/betr/c.h."""

import ctypes
from ctypes import c_char_p, c_size_t, c_uint64


class FormatOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("node_size", c_uint64), ("basement_size", c_uint64), ("log_size", c_uint64)]
    _fields_ += [("fanout", c_uint64), ("compression", c_char_p), ("label", c_char_p), ("uuid", c_char_p)]
    _fields_ += [("reserve", c_uint64)]


def format_options(node_size, basement_size, fanout, compression):
    sizes = (int(node_size), int(basement_size), 1 << 20, int(fanout))
    return ctypes.byref(FormatOptions(ctypes.sizeof(FormatOptions), *sizes, compression.encode()))
