# SPDX-License-Identifier: Apache-2.0
"""The plots of a report as files: SVG, and PNG where there is a program that makes it."""

import os

from evaluation import process, report

CONVERTER = "rsvg-convert"
FOLDER = "figures"


def write(results, directory):
    """Writes those that are not there as they should be. Returns why there are no PNGs, or None."""
    folder = os.path.join(directory, FOLDER)
    os.makedirs(folder, exist_ok=True)
    absent = process.missing([CONVERTER])
    for name in report.in_order(results):
        for stem, image in report.plots(results, name):
            path = os.path.join(folder, stem)
            if _renew(f"{path}.svg", image) or not os.path.exists(f"{path}.png"):
                if not absent:
                    process.run(CONVERTER, "--background-color", "white", "-o", f"{path}.png", f"{path}.svg")
    return f"no PNGs of the figures: {CONVERTER} is not installed (librsvg2-bin)" if absent else None


def _renew(path, text):
    """Whether it was another one."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return False
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return True
