# SPDX-License-Identifier: Apache-2.0
"""What the library does without a mount: traces for betrreplay, and a large file for betrcp.

library.py MEBIBYTES: an archive with one file of content that does not compress, to stdout.
"""

import json
import os
import random
import sys
import tarfile

ROOT = "/mnt/w"  # where a trace's files are
LARGE = "large"


class Trace:
    """Calls as strace prints them, which go to a file at once, and what is there before."""

    def __init__(self, work):
        self.path = os.path.join(work, "library.strace")
        self.manifest = [_entry(ROOT, "d", 0)]
        self._file = open(self.path, "w", encoding="ascii")  # closed by `replay`

    def call(self, text, process=1):
        self._file.write(f"{process} {text}\n")

    def close(self):
        self._file.close()

    def directory(self, name):
        """That is there before."""
        self.manifest.append(_entry(f"{ROOT}/{name}", "d", 0))

    def file(self, name, size):
        self.manifest.append(_entry(f"{ROOT}/{name}", "f", size))

    def tree(self, top, archive):
        """The directories and files of an archive are there before, below `top`."""
        self.directory(top)
        known = {""}
        with tarfile.open(archive) as members:
            for member in members:
                if not member.isreg():
                    continue
                parts = member.name.split("/")
                for depth in range(1, len(parts)):
                    folder = "/".join(parts[:depth])
                    if folder not in known:
                        known.add(folder)
                        self.directory(f"{top}/{folder}")
                self.file(f"{top}/{member.name}", member.size)


def _entry(path, kind, size):
    """A line of a manifest (betrreplay(1))."""
    plain = set(range(0o41, 0o177)) - {0o134}
    name = "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in os.fsencode(path))
    return f"{name}\t{kind}\t{'0755' if kind == 'd' else '0644'}\t{size}\t-"


def replay(bench, trace, *options, made=()):
    """Makes the file system anew, with the options `made`, and what is there before, and does the calls from a cold
    start; the report, of which `seconds` has the final sync."""
    trace.close()
    manifest, converted = (os.path.join(bench.setting.work, f"library.{name}") for name in ("manifest", "trace"))
    with open(manifest, "w", encoding="ascii") as file:
        file.write("\n".join(sorted(trace.manifest)) + "\n")
    if os.path.exists(converted):
        os.remove(converted)
    tool = os.path.join(bench.setting.bin, "betrreplay")
    bench.run(tool, "-q", "--root", ROOT, "--manifest", manifest, "--convert", converted, trace.path)
    bench.setting.disk.clear()
    bench.system.make(*made)
    cache = f"{bench.setting.cache_mib}M"
    return json.loads(bench.run(tool, "--json", "-i", bench.setting.device, "--cache", cache, *options, converted))


def seconds_of(report, *kinds):
    """How long the operations of these kinds took."""
    return sum(entry["seconds"] for entry in report["operations"] if entry["kind"] in kinds)


def write_archive(mebibytes, out):
    content = bytearray(random.Random(1).randbytes(1 << 20))
    header = tarfile.TarInfo(LARGE)
    header.size = mebibytes << 20
    out.write(header.tobuf())
    for number in range(mebibytes):
        content[:8] = number.to_bytes(8, "little")
        out.write(content)
    out.write(bytes(2 * tarfile.BLOCKSIZE))


if __name__ == "__main__":
    with open(sys.stdout.fileno(), "wb", closefd=False) as stdout:
        write_archive(int(sys.argv[1]), stdout)
