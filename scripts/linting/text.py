# SPDX-License-Identifier: Apache-2.0
"""Checks that look at lines alone. Each yields (check, line number, message)."""

import re

MAX_FILE_LINES = 400
MAX_COLUMNS = 120
SPDX = "SPDX-License-Identifier: Apache-2.0"

# Spelt so that they do not find themselves.
BANNED = [
    (re.compile(r"\b(T[O]DO|FIX[M]E|X[X]X|HAC[K])\b"), "a promise of work: do it, or open an issue"),
    (re.compile(r"^\s*#\s*if\s+0\b"), "dead code"),
    (re.compile(r"(?<![\w.~-])/(?:work|home|farm)/"), "a path of somebody's machine"),
]


def check_length(file):
    if file.is_code and len(file.lines) > MAX_FILE_LINES:
        yield "file-length", len(file.lines), f"{len(file.lines)} lines, at most {MAX_FILE_LINES}"


def check_columns(file):
    if not file.is_code:
        return
    for number, line in enumerate(file.lines, 1):
        if len(line) > MAX_COLUMNS:
            yield "line-length", number, f"{len(line)} columns, at most {MAX_COLUMNS}"


def check_licence(file):
    if not file.is_code and file.suffix != ".in":
        return
    first = 1 if file.text.startswith("#!") else 0
    if len(file.lines) <= first or SPDX not in file.lines[first]:
        yield "licence", first + 1, f"wants `{SPDX}`"


def check_pragma_once(file):
    if file.suffix == ".h" and "#pragma once" not in file.lines:
        yield "pragma-once", 1, "a header wants `#pragma once`"


def check_banned(file):
    if not file.is_text:
        return
    for number, line in enumerate(file.lines, 1):
        for pattern, why in BANNED:
            if match := pattern.search(line):
                yield "banned-word", number, f"`{match.group(0).strip()}`: {why}"


def check_whitespace(file):
    if not file.is_text:
        return
    for number, line in enumerate(file.lines, 1):
        if line != line.rstrip():
            yield "whitespace", number, "white space at the end of the line"
    if file.text and not file.text.endswith("\n"):
        yield "whitespace", len(file.lines), "no newline at the end of the file"


CHECKS = [check_length, check_columns, check_licence, check_pragma_once, check_banned, check_whitespace]
