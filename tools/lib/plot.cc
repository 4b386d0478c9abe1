// SPDX-License-Identifier: Apache-2.0
#include "plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace betr::tools {
namespace {

constexpr double kWidth = 900;
constexpr double kPanelHeight = 170;
constexpr double kPanelDistance = 250;
constexpr double kLeft = 90;
constexpr double kRight = 20;
constexpr double kTop = 70;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr std::array<std::string_view, 4> kColours{"#1f77b4", "#d62728", "#2ca02c", "#9467bd"};

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '<' || c == '>' || c == '&' || c == '"' || byte < 0x20 || byte >= 0x7f) {
      // A byte that XML cannot carry becomes a question mark.
      escaped += byte < 0x20 || byte >= 0x7f ? "?" : fmt::format("&#{};", static_cast<int>(byte));
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

// Without needless zeros: 0.05, 20, 1500.
std::string NumberText(double value) { return fmt::format("{:.10g}", value); }

class Picture {
 public:
  explicit Picture(double height) {
    Add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
        R"(font-family="sans-serif" font-size="12">)",
        kWidth, height);
    Add(R"(<rect width="100%" height="100%" fill="white"/>)");
  }

  void Line(double x1, double y1, double x2, double y2, std::string_view colour) {
    Add(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}"/>)", x1, y1, x2, y2, colour);
  }
  void Text(double x, double y, std::string_view anchor, std::string_view text, std::string_view more = "") {
    Add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}>{}</text>)", x, y, anchor, more, EscapeXml(text));
  }
  void Polyline(const std::vector<std::pair<double, double>>& points, std::string_view colour) {
    std::string text;
    for (const auto& [x, y] : points) fmt::format_to(std::back_inserter(text), "{:.1f},{:.1f} ", x, y);
    Add(R"(<polyline fill="none" stroke="{}" stroke-width="1.5" points="{}"/>)", colour, text);
  }
  std::string Finish() {
    Add("</svg>");
    return std::move(text_);
  }

 private:
  template <class... Values>
  void Add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_.push_back('\n');
  }

  std::string text_;
};

// Where values are in a panel.
struct Frame {
  double top;
  double most_seconds;
  double most_value;

  double X(double seconds) const { return kLeft + kPlotWidth * seconds / most_seconds; }
  double Y(double value) const { return top + kPanelHeight * (1 - value / most_value); }
};

template <class Part>
double MostOf(const std::vector<PlotLine>& lines, const Part& part) {
  double most = 0;
  for (const PlotLine& line : lines) {
    for (const auto& point : line.points) most = std::max(most, part(point));
  }
  return most;
}

void DrawAxes(const Frame& frame, const std::vector<double>& times, const std::vector<double>& values,
              Picture* picture) {
  for (const double value : values) {
    picture->Line(kLeft, frame.Y(value), kWidth - kRight, frame.Y(value), value == 0 ? "#000000" : "#dddddd");
    picture->Text(kLeft - 8, frame.Y(value) + 4, "end", NumberText(value));
  }
  const double bottom = frame.top + kPanelHeight;
  for (const double time : times) {
    picture->Line(frame.X(time), bottom, frame.X(time), bottom + 5, "#000000");
    picture->Text(frame.X(time), bottom + 19, time == times.back() && time > 0 ? "end" : "middle", NumberText(time));
  }
  picture->Line(kLeft, frame.top, kLeft, bottom, "#000000");
  picture->Text(kLeft + kPlotWidth / 2, bottom + 36, "middle", "seconds of the replay");
}

void DrawPanel(const PlotPanel& panel, double top, double most_seconds, Picture* picture) {
  const std::vector<double> times = AxisMarks(most_seconds);
  const std::vector<double> values = AxisMarks(MostOf(panel.lines, [](const auto& point) { return point.second; }));
  const Frame frame{.top = top, .most_seconds = times.back(), .most_value = values.back()};
  picture->Text(kLeft, top - 10, "start", panel.title, R"( font-weight="bold")");
  DrawAxes(frame, times, values, picture);
  double legend = kWidth - kRight;
  for (size_t i = panel.lines.size(); i-- > 0;) {
    const PlotLine& line = panel.lines[i];
    const std::string_view colour = kColours.at(i % kColours.size());
    std::vector<std::pair<double, double>> points;
    points.reserve(line.points.size());
    for (const auto& [seconds, value] : line.points) points.emplace_back(frame.X(seconds), frame.Y(value));
    picture->Polyline(points, colour);
    if (panel.lines.size() == 1) continue;
    picture->Text(legend, top - 10, "end", line.label, fmt::format(R"( fill="{}")", colour));
    constexpr double kLetter = 8;
    legend -= kLetter * static_cast<double>(line.label.size() + 2);
  }
}

}  // namespace

std::vector<double> AxisMarks(double most) {
  if (!(most > 0) || !std::isfinite(most)) return {0, 1};
  constexpr double kMostSteps = 6;
  const double power = std::pow(10, std::floor(std::log10(most / kMostSteps)));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * power;
    if (most / step <= kMostSteps) break;
  }
  const auto steps = static_cast<size_t>(std::max(1.0, std::ceil(most / step * (1 - 1e-9))));
  std::vector<double> marks;
  for (size_t i = 0; i <= steps; ++i) marks.push_back(step * static_cast<double>(i));
  return marks;
}

std::vector<std::pair<double, double>> RatesOf(const std::vector<std::pair<double, double>>& counts) {
  std::vector<std::pair<double, double>> rates;
  for (size_t i = 1; i < counts.size(); ++i) {
    const double length = counts[i].first - counts[i - 1].first;
    if (!(length > 0)) continue;
    const double rate = std::max(0.0, (counts[i].second - counts[i - 1].second) / length);
    rates.emplace_back(counts[i - 1].first, rate);
    rates.emplace_back(counts[i].first, rate);
  }
  return rates;
}

std::string FormatPlot(std::string_view title, const std::vector<PlotPanel>& panels) {
  Picture picture(kTop + kPanelDistance * static_cast<double>(panels.size()));
  picture.Text(kLeft, 28, "start", title, R"( font-size="15")");
  double most_seconds = 0;
  for (const PlotPanel& panel : panels) {
    most_seconds = std::max(most_seconds, MostOf(panel.lines, [](const auto& point) { return point.first; }));
  }
  double top = kTop;
  for (const PlotPanel& panel : panels) {
    DrawPanel(panel, top, most_seconds, &picture);
    top += kPanelDistance;
  }
  return picture.Finish();
}

}  // namespace betr::tools
