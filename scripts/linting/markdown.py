# SPDX-License-Identifier: Apache-2.0
"""Links in Markdown: files that are linked exist, headings that are linked exist."""

import os
import re

_LINK = re.compile(r"\[[^\]\[]*\]\(([^()\s]+)\)")
_OUTSIDE = re.compile(r"^[a-z]+:")


def _prose(lines):
    """Yields (number, line) outside fenced code, with inline code blanked."""
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, re.sub(r"`[^`]*`", "", line)


def _anchors(file):
    """The anchors that a forge makes of the headings."""
    anchors = set()
    fenced = False
    for line in file.lines:
        fenced ^= line.lstrip().startswith("```")
        if fenced or not line.startswith("#"):
            continue
        title = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip())
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        anchor, count = slug, 0
        while anchor in anchors:
            count += 1
            anchor = f"{slug}-{count}"
        anchors.add(anchor)
    return anchors


def check_links(file, by_path):
    if file.suffix != ".md":
        return
    folders = {os.path.dirname(path) for path in by_path}
    for number, line in _prose(file.lines):
        for target in _LINK.findall(line):
            if _OUTSIDE.match(target):
                continue
            path, _, anchor = target.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(file.path), path)) if path else file.path
            if full not in by_path and not any(folder == full or folder.startswith(full + "/") for folder in folders):
                yield "link", number, f"{target}: no such file"
            elif anchor and full in by_path and anchor not in _anchors(by_path[full]):
                yield "link", number, f"{target}: no such heading"
