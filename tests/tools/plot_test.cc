// SPDX-License-Identifier: Apache-2.0
#include "plot.h"

#include <catch2/catch.hpp>

#include "betrreplay_plot.h"

namespace betr::tools {
namespace {

using Catch::Matchers::Contains;
using Points = std::vector<std::pair<double, double>>;

TEST_CASE("axes have round marks that reach over the largest value") {
  CHECK(AxisMarks(6) == std::vector<double>{0, 1, 2, 3, 4, 5, 6});
  CHECK(AxisMarks(7) == std::vector<double>{0, 2, 4, 6, 8});
  CHECK(AxisMarks(0.3) == std::vector<double>{0, 0.05, 0.1, 0.15000000000000002, 0.2, 0.25, 0.30000000000000004});
  CHECK(AxisMarks(1234) == std::vector<double>{0, 500, 1000, 1500});
  CHECK(AxisMarks(0) == std::vector<double>{0, 1});
  for (double most = 1e-9; most < 1e15; most *= 1.7) {
    const std::vector<double> marks = AxisMarks(most);
    INFO(most);
    CHECK((marks.size() >= 2 && marks.size() <= 7));
    CHECK(marks.back() >= most * (1 - 1e-6));
    CHECK(marks.back() <= most * 2);
  }
}

TEST_CASE("rates are steps; what shrinks has none") {
  CHECK(RatesOf({{0, 0}, {2, 10}, {2, 11}, {4, 11}, {5, 3}}) == Points{{0, 5}, {2, 5}, {2, 0}, {4, 0}, {4, 0}, {5, 0}});
  CHECK(RatesOf({{1, 1}}).empty());
}

TEST_CASE("a plot has a panel for what is known, with unit, marks and lines") {
  replay::RunResult result;
  for (int i = 0; i <= 10; ++i) {
    result.series.push_back({.time = std::chrono::seconds(i),
                             .operations = static_cast<uint64_t>(i) * 100,
                             .written = MiB(1) * static_cast<uint64_t>(i),
                             .device_written = MiB(2) * static_cast<uint64_t>(i),
                             .modelled_seconds = i * 0.5});
  }
  const std::string without = FormatReplayPlot("t <&> \x01", result);
  CHECK_THAT(without, Contains("t &#60;&#38;&#62; ?") && Contains("operations per second"));
  CHECK_THAT(without, Contains("MB written per second") && !Contains("to the device") && !Contains("busy"));
  result.device.emplace();
  result.device->modelled_seconds = 5;
  const std::string svg = FormatReplayPlot("title", result);
  CHECK_THAT(svg,
             Contains("to the device") && Contains("by the programs") && Contains("seconds that the disk was busy"));
  CHECK_THAT(svg, Contains(">seconds of the replay<") && Contains(">100<") && Contains(">10<"));
  // The busy seconds grow from the lower left corner of their panel to its upper right one.
  CHECK_THAT(svg, Contains("points=\"90.0,740.0 169.0,723.0 "));
  CHECK_THAT(svg, Contains("880.0,570.0 \""));
  CHECK(svg.starts_with("<svg xmlns="));
  CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("a plot of nothing is a picture, too") {
  CHECK_THAT(FormatReplayPlot("nothing", replay::RunResult{}), Contains("operations per second"));
}

TEST_CASE("where a plot cannot be written it is said why") {
  const auto message = [](const std::string& path) {
    return std::string(WriteReplayPlot(path, "title", replay::RunResult{}).message());
  };
  CHECK(message("/dev/full") == "/dev/full: cannot be written: No space left on device");
  CHECK(message("/none/plot.svg") == "/none/plot.svg: cannot be written: No such file or directory");
}

}  // namespace
}  // namespace betr::tools
