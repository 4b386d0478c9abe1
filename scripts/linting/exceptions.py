# SPDX-License-Identifier: Apache-2.0
"""scripts/lint-exceptions: one `check path reason` per line. An exception that nothing needs is itself reported."""

import os

PATH = "scripts/lint-exceptions"


class Exceptions:
    def __init__(self, root):
        self._unused = {}  # (check, path) -> line
        self._known = set()
        self.malformed = []
        full_path = os.path.join(root, PATH)
        lines = open(full_path, encoding="utf-8").read().splitlines() if os.path.exists(full_path) else []
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            words = line.split(maxsplit=2)
            if len(words) < 3:
                self.malformed.append((PATH, number, "exception", "wants `check path reason`"))
                continue
            self._known.add((words[0], words[1]))
            self._unused[(words[0], words[1])] = number

    def covers(self, check, path):
        self._unused.pop((check, path), None)
        return (check, path) in self._known

    def complaints(self):
        unused = [
            (PATH, number, "exception", f"{check} {path}: no longer needed")
            for (check, path), number in self._unused.items()
        ]
        return self.malformed + unused
