// SPDX-License-Identifier: Apache-2.0
// Draws lines over time: a self-contained SVG with panels one below the other, all over the same time. Axes have round
// numbers. Titles say the unit. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace betr::tools {

// A line: a point for each time, ordered by time.
struct PlotLine {
  std::string label;
  std::vector<std::pair<double, double>> points;  // seconds, value
};

struct PlotPanel {
  std::string title;            // what, and in which unit
  std::vector<PlotLine> lines;  // at most 4; values are not negative
};

std::string FormatPlot(std::string_view title, const std::vector<PlotPanel>& panels);

// Returns the marks of an axis from 0 to at least `most`: at most six steps of 1, 2 or 5 times a power of ten.
std::vector<double> AxisMarks(double most);

// Turns samples of a growing count into rates: for each piece between two times, how much the count grew per second.
// Returns the points of a line with steps.
std::vector<std::pair<double, double>> RatesOf(const std::vector<std::pair<double, double>>& counts);

}  // namespace betr::tools
