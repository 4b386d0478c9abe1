# SPDX-License-Identifier: Apache-2.0
"""The files of the repository, and what each check needs to know of them."""

import functools
import os
import subprocess

CODE_SUFFIXES = (".cc", ".c", ".h", ".py", ".sh", ".cmake")
TEXT_SUFFIXES = CODE_SUFFIXES + (".md", ".json", ".in", ".txt", ".1", ".5", ".8", ".yml", ".yaml")


class File:
    """One file. `path` is relative to the root, with slashes."""

    def __init__(self, root, path):
        self.path = path
        self.suffix = os.path.splitext(path)[1]
        self._full_path = os.path.join(root, path)

    @functools.cached_property
    def bytes(self):
        with open(self._full_path, "rb") as file:
            return file.read()

    @functools.cached_property
    def text(self):
        return self.bytes.decode("utf-8", errors="replace")

    @functools.cached_property
    def lines(self):
        return self.text.splitlines()

    @property
    def is_script(self):
        return self.suffix == "" and self.bytes.startswith(b"#!")

    @property
    def is_cpp(self):
        return self.suffix in (".cc", ".c", ".h")

    @property
    def is_code(self):
        name = os.path.basename(self.path)
        return self.suffix in CODE_SUFFIXES or name == "CMakeLists.txt" or self.is_script

    @property
    def is_text(self):
        return self.suffix in TEXT_SUFFIXES or self.is_code


def list_files(root):
    """All files that are tracked or could be: not ignored, not deleted. Without git, all but build/."""
    command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if os.path.exists(os.path.join(root, ".git")):
        listing = subprocess.run(command, check=True, capture_output=True).stdout.decode()
        paths = [path for path in listing.split("\0") if path]
    else:
        paths = []
        for folder, folders, names in os.walk(root):
            if folder == root and "build" in folders:
                folders.remove("build")
            paths += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    existing = [path for path in sorted(set(paths)) if os.path.isfile(os.path.join(root, path))]
    return [File(root, path) for path in existing]
