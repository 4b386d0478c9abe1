# SPDX-License-Identifier: Apache-2.0
"""Braces around one short statement: an `if`, `for` or `while` whose statement fits on its line stands there without.

Everything else has braces: a statement that does not fit, one of several branches, and what declares or is itself
an `if` or a loop. `python3 scripts/linting/braces.py FILE...` mends what the check finds.
"""

import re
import sys

MAX_COLUMNS = 120

_HEAD = re.compile(r"^(\s*)(if|for|while) (constexpr )?\(.*\) \{$")
# Statements that keep their braces. The macros declare variables.
_KEEPS = re.compile(r"(if|for|while|do|switch|case|using|struct|BETR_ASSIGN_OR_RETURN|INFO|CAPTURE|UNSCOPED_INFO)\b|//")
_BARE = re.compile(r"\s*(if|for|while) (constexpr )?\(.*\)$")
_ELSE = re.compile(r"\s*(\} )?else\b")


def _is_balanced(text):
    """Whether all brackets outside of literals that are closed here were opened here, and the other way round."""
    text = re.sub(r'"(?:\\.|[^"\\])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\])+\'', "", text)
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return False
    return depth == 0


def _joined(lines, at):
    """The line that lines[at : at + 3] should be; None if they are right."""
    head = _HEAD.match(lines[at])
    if head is None or at + 2 >= len(lines) or not _is_balanced(lines[at][:-2]):
        return None
    indent, statement = head.group(1), lines[at + 1].strip()
    if lines[at + 2] != indent + "}" or not statement.endswith(";") or statement.count(";") != 1:
        return None
    if _KEEPS.match(statement) or not _is_balanced(statement):
        return None
    if (at > 0 and lines[at - 1].strip().endswith("else")) or (at + 3 < len(lines) and _ELSE.match(lines[at + 3])):
        return None
    joined = f"{lines[at][:-2]} {statement}"
    return joined if len(joined) <= MAX_COLUMNS else None


def check_braces(file):
    if not file.is_cpp:
        return
    for at in range(len(file.lines)):
        if _joined(file.lines, at) is not None:
            yield "braces", at + 1, "the statement fits on this line, without braces"
        elif _BARE.match(file.lines[at]) and _is_balanced(file.lines[at]):
            yield "braces", at + 1, "the statement does not stand on this line, so it needs braces"


def mend(lines):
    at = 0
    while at < len(lines):
        joined = _joined(lines, at)
        if joined is not None:
            lines[at : at + 3] = [joined]
        at += 1


CHECKS = [check_braces]

if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as source:
            code = source.read().split("\n")
        mend(code)
        with open(path, "w", encoding="utf-8") as source:
            source.write("\n".join(code))
