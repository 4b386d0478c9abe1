# SPDX-License-Identifier: Apache-2.0
"""The length of functions, measured by braces: from the line where the head begins to the closing brace.

What stands inside a function, lambdas and local classes too, is part of it. Comments, strings and preprocessor lines
are blanked first, so that their braces do not count.
"""

import ast
import re

MAX_FUNCTION_LINES = 70

_BLANKED = re.compile(
    r"""//[^\n]*                                      # a comment
      | /\*.*?\*/
      | R"(?P<delimiter>[^()\s\\]{0,16})\(.*?\)(?P=delimiter)"   # a raw string
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'           # a character, not the separator in 1'000
      | ^[ \t]*\#(?:\\\n|[^\n])*                      # a directive, with its continuation lines
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_GROUP = re.compile(r"\((?!\))[^()]*\)|\(\s+\)")
_TEMPLATE = re.compile(r"<[^<>]*>")
# A class may carry macros with arguments in front of its name, but nothing in parentheses after it.
_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum)\b(\s+\w+\(\))*[^()]*$|\bextern\s*$")
_LABEL = re.compile(r"^\s*(public|protected|private)\s*:(?!:)")


def blank(source):
    """The source with comments, strings and directives as spaces, lines kept."""
    return _BLANKED.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), source)


def _replace_all(pattern, replacement, text):
    """Also what appears only after an inner match is gone."""
    while (replaced := pattern.sub(replacement, text)) != text:
        text = replaced
    return text


def _opens_function(head):
    """Whether a `{` after `head`, in a namespace or a class, begins a function's body."""
    outline = _replace_all(_TEMPLATE, "", _replace_all(_GROUP, "()", head))
    return ")" in outline and not _SCOPE.search(outline)


def _name(head):
    before = head.split("(", 1)[0].split()
    return before[-1].lstrip("*&") if before else "(unnamed)"


def cpp_functions(source):
    """Yields (name, first line, last line) of each function that is not inside another."""
    text = blank(source)
    scopes = []  # of each open brace: whether it is a function's or inside one
    head_start = 0  # where the declaration began that we are in
    current = None  # (name, first line) of the open function
    previous = None  # of the braces closed last, if the declaration may go on: `Foo() : a_{1} {`
    line_of = _line_counter(text)
    for match in re.finditer(r"[{};]", text):
        position, symbol = match.start(), match.group(0)
        inside = bool(scopes) and scopes[-1]
        if symbol == "{":
            head = _LABEL.sub(" ", text[head_start:position])
            if not inside and _opens_function(head) or (previous and head.strip()[:1] in ("", ",")):
                first = head_start + len(text[head_start:position]) - len(text[head_start:position].lstrip())
                current = previous or (_name(head.strip()), line_of(first))
                inside = True
            scopes.append(inside)
        elif symbol == "}" and scopes:
            was_inside = scopes.pop()
            if was_inside and not (scopes and scopes[-1]):
                following = text[position + 1 : position + 200].lstrip()[:1]
                previous = current if following in (",", "{") else None
                if previous is None:
                    yield current[0], current[1], line_of(position)
        elif not inside:
            previous = None
        head_start = position + 1


def _line_counter(text):
    starts = [0] + [match.end() for match in re.finditer("\n", text)]

    def line_of(position):
        low, high = 0, len(starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if starts[middle] <= position else (low, middle)
        return low + 1

    return line_of


def python_functions(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno


def check_functions(file):
    if file.is_cpp:
        functions = cpp_functions(file.text)
    elif file.suffix == ".py" or (file.is_script and "python" in file.lines[0]):
        functions = python_functions(file.text)
    else:
        return
    for name, first, last in functions:
        length = last - first + 1
        if length > MAX_FUNCTION_LINES:
            yield "function-length", first, f"{name} has {length} lines, at most {MAX_FUNCTION_LINES}"


CHECKS = [check_functions]
