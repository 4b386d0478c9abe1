# SPDX-License-Identifier: Apache-2.0
"""Small plots as SVG: curves, and groups of horizontal bars."""

import html
import math

WIDTH = 720
COLOURS = ("#c0392b", "#2c6fbb", "#2e8b57", "#8e5ea2", "#b07d2b", "#5f6a6a", "#17a2a2")
COLOURS += ("#e377c2", "#1a1a1a", "#8bc34a", "#7b3f00", "#f39c12")
LEFT, RIGHT, TOP, BOTTOM = 74, 34, 34, 44
LEGEND_LINE = 18
CHARACTER = 7  # about as wide as one is
BARS_LEFT, BARS_RIGHT = 24, 70


def ticks(low, high, count=5):
    """Round numbers from at most `low` to at least `high`."""
    span = (high - low) or abs(high) or 1
    step = 10 ** math.floor(math.log10(span / count))
    step = next(step * factor for factor in (1, 2, 5, 10) if span / (step * factor) <= count)
    first = math.floor(low / step)
    last = math.ceil(high / step - 1e-9)
    return [round(step * number, 12) for number in range(first, last + 1)]


def number(value):
    """A figure with three digits."""
    if value == 0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))
    text = f"{value:,.{max(digits, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def curves(title, x_label, y_label, by_name, height=300):
    """`by_name`: a list of curves, each a list of points. A logarithmic axis where the values lie far apart."""
    points = [point for lines in by_name.values() for line in lines for point in line]
    if not points:
        return ""
    ys = [y for _, y in points]
    is_log = min(ys) > 0 and max(ys) / min(ys) > 50
    scale = math.log10 if is_log else float
    if is_log:
        y_ticks = [10.0**power for power in range(math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys))) + 1)]
    else:
        y_ticks = ticks(0, max(ys))
    x_ticks = ticks(min(x for x, _ in points), max(x for x, _ in points))
    plot_height = height - TOP - BOTTOM
    across = _axis(x_ticks[0], x_ticks[-1], LEFT, WIDTH - RIGHT)
    up = _axis(scale(y_ticks[0]), scale(y_ticks[-1]), TOP + plot_height, TOP)
    parts = [_text(8, 18, f"{title}, {y_label}" + (", logarithmic" if is_log else ""), "bold")]
    for value in y_ticks:
        y = up(scale(value))
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(_text(LEFT - 6, y + 4, number(value), anchor="end"))
    for value in x_ticks:
        parts.append(_text(across(value), TOP + plot_height + 16, number(value), anchor="middle"))
    parts.append(_text(WIDTH - RIGHT, TOP + plot_height + 32, x_label, anchor="end"))
    for index, lines in enumerate(by_name.values()):
        for line in lines:
            path = " ".join(f"{across(x):.1f},{up(scale(y)):.1f}" for x, y in line)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{_colour(index)}" stroke-width="2"/>')
    return _with_legend(parts, list(by_name), height)


def bars(title, rows):
    """`rows`: (label, value by name). All relative to the longest bar of their row; what is negative has none."""
    names = list(dict.fromkeys(name for _, values in rows for name in values))
    parts = [_text(8, 18, title, "bold")]
    y = TOP
    for label, values in rows:
        longest = max(*values.values(), 0) or 1
        parts.append(_text(8, y + 10, label))
        y += 16
        for name, value in values.items():
            length = max(value, 0) / longest * (WIDTH - BARS_LEFT - BARS_RIGHT)
            colour = _colour(names.index(name))
            parts.append(f'<rect x="{BARS_LEFT}" y="{y}" width="{max(length, 1):.1f}" height="11" fill="{colour}"/>')
            parts.append(_text(BARS_LEFT + length + 4, y + 10, number(value)))
            y += 14
        y += 10
    return _with_legend(parts, names, y)


def _axis(low, high, begin, end):
    span = (high - low) or 1
    return lambda value: begin + (value - low) / span * (end - begin)


def _colour(index):
    return COLOURS[index % len(COLOURS)]


def _text(x, y, text, weight="normal", anchor="start"):
    placed = f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">'
    return f"{placed}{html.escape(str(text))}</text>"


def _with_legend(parts, names, y):
    """The image with the names below, in as many lines as they need."""
    x = 8
    for index, name in enumerate(names):
        width = 34 + CHARACTER * len(name)
        if x > 8 and x + width > WIDTH:
            x, y = 8, y + LEGEND_LINE
        parts.append(f'<rect x="{x}" y="{y}" width="11" height="11" fill="{_colour(index)}"/>')
        parts.append(_text(x + 15, y + 10, name))
        x += width
    return _image(parts, y + LEGEND_LINE)


def _image(parts, height):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    return f'{head} font-family="sans-serif" font-size="12">{"".join(parts)}</svg>'
