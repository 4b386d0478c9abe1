# SPDX-License-Identifier: Apache-2.0
"""No include upwards. The layers and what each may see are read from cmake/BetrLayers.cmake.

A public header belongs to the layer that implements it: the one with a file of the same name. Public headers
include public headers only. The tests of a layer see that layer and below, and the support of the same.
"""

import os
import re

_INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
_SET = re.compile(r"^set\((\w+)([^)]*)\)", re.MULTILINE)
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
            parts = path.split("/")
            if len(parts) == 3 and parts[0] == "lib" and path.endswith((".cc", ".h")):
                stem = os.path.splitext(parts[2])[0]
                if f"include/betr/{stem}.h" in by_path:
                    self._of_public[f"betr/{stem}.h"] = parts[1]

    def of_file(self, path):
        """The layer whose rules a file follows, or None."""
        parts = path.split("/")
        folder = parts[1:-1]
        if parts[0] == "lib" and folder:
            return folder[0]
        if parts[0] == "include":
            return self._of_public.get("/".join(parts[1:]))
        if parts[0] == "tests" and folder:
            if folder[0] == "support":
                return folder[1] if len(folder) > 1 else "base"
            return folder[0]
        return None

    def of_include(self, target):
        """The layer that an include reaches, or None if it is none of ours."""
        if target in self._of_public:
            return self._of_public[target]
        parts = target.split("/")
        if parts[0] == "support" and len(parts) > 2:
            return parts[1]
        return parts[0] if len(parts) > 1 and parts[0] in (*self.names, *_PROGRAMS) else None

    def visible(self, layer):
        return self._visible.get(layer)


def check_includes(file, layers):
    if not file.is_cpp:
        return
    visible = layers.visible(layers.of_file(file.path))
    for number, line in enumerate(file.lines, 1):
        match = _INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        reached = layers.of_include(target)
        if file.path.startswith("include/") and reached and not target.startswith("betr/"):
            yield "include", number, f"a public header includes {target}, which is not installed"
        elif reached and visible is not None and reached not in visible:
            yield "include", number, f"{target} is of {reached}, which {layers.of_file(file.path)} must not know"
