# SPDX-License-Identifier: Apache-2.0
"""No include upwards. The layers and what each may see are read from cmake/BetrLayers.cmake.

A public header belongs to the layer that implements it: the one with a file of the same name. Public headers
include public headers only. They may be included from all that lies above; other headers only from where their layer is
named. The tests of a layer see that layer, its parts and what these see, and the support of the
same.
"""

import os
import re

_INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
_SET = re.compile(r"^set\(([\w/]+)([^)]*)\)", re.MULTILINE)
_PROGRAMS = ("tools", "fuse", "bench")


class Layers:
    def __init__(self, files):
        by_path = {file.path: file for file in files}
        definitions = by_path.get("cmake/BetrLayers.cmake")
        values = {name: value.split() for name, value in _SET.findall(definitions.text if definitions else "")}
        self.names = values.get("BETR_LAYERS", [])
        self._visible = {name: {name, *values.get(f"BETR_LAYER_DEPS_{name}", [])} for name in self.names}
        self._of_public = {}
        for path in by_path:
            folder, name = os.path.split(path)
            stem, extension = os.path.splitext(name)
            if folder.startswith("lib/") and extension in (".cc", ".h") and f"include/betr/{stem}.h" in by_path:
                self._of_public[f"betr/{stem}.h"] = folder[len("lib/"):]

    def of_file(self, path):
        """The layer whose rules a file follows, or None."""
        folder = os.path.dirname(path)
        if folder.startswith("lib/"):
            return folder[len("lib/"):]
        if folder.startswith("include/"):
            return self._of_public.get(path[len("include/"):])
        return None

    def of_include(self, target):
        """The layer that an include reaches, or None if it is none of ours."""
        if target in self._of_public:
            return self._of_public[target]
        folder = os.path.dirname(target)
        if folder.startswith("support/"):
            return folder[len("support/"):]
        return folder if folder in (*self.names, *_PROGRAMS) else None

    def is_seen_from(self, path, target):
        """Whether a file may include something of a layer."""
        parts = path.split("/")[:-1]
        if parts[0] == "tests" and len(parts) > 1:
            layer = parts[1] if parts[1] != "support" else parts[2] if len(parts) > 2 else "base"
            seen = self._reach(name for name in self.names if name == layer or name.startswith(f"{layer}/"))
        else:
            layer = self.of_file(path)
            seen = self._reach([layer]) if target.startswith("betr/") else self._visible.get(layer)
        return layer not in self.names or self.of_include(target) in seen

    def _reach(self, layers):
        """Layers and all below them."""
        seen = set()
        found = set(layers)
        while found:
            seen |= found
            found = set().union(*(self._visible.get(name, ()) for name in found)) - seen
        return seen


def check_includes(file, layers):
    if not file.is_cpp:
        return
    for number, line in enumerate(file.lines, 1):
        match = _INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        reached = layers.of_include(target)
        if file.path.startswith("include/") and reached and not target.startswith("betr/"):
            yield "include", number, f"a public header includes {target}, which is not installed"
        elif reached and not layers.is_seen_from(file.path, target):
            yield "include", number, f"{target} is of {reached}, which {os.path.dirname(file.path)} must not know"
