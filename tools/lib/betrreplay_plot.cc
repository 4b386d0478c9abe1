// SPDX-License-Identifier: Apache-2.0
#include "betrreplay_plot.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "plot.h"
#include "write_error.h"

namespace betr::tools {
namespace {

using replay::TimeSample;

constexpr double kMegabyte = 1e6;

template <class Part>
std::vector<std::pair<double, double>> CountsOf(const std::vector<TimeSample>& series, const Part& part) {
  std::vector<std::pair<double, double>> counts;
  counts.reserve(series.size());
  for (const TimeSample& sample : series) {
    counts.emplace_back(std::chrono::duration<double>(sample.time).count(), static_cast<double>(part(sample)));
  }
  return counts;
}

double Megabytes(Bytes bytes) { return static_cast<double>(bytes.value) / kMegabyte; }

}  // namespace

std::string FormatReplayPlot(std::string_view title, const replay::RunResult& result) {
  const std::vector<TimeSample>& series = result.series;
  std::vector<PlotPanel> panels;
  panels.push_back({.title = "operations per second", .lines = {}});
  panels.back().lines.push_back(
      {.label = "all", .points = RatesOf(CountsOf(series, [](const TimeSample& at) { return at.operations; }))});
  panels.push_back({.title = "MB written per second", .lines = {}});
  std::vector<PlotLine>& written = panels.back().lines;
  written.push_back({.label = "by the programs",
                     .points = RatesOf(CountsOf(series, [](const TimeSample& at) { return Megabytes(at.written); }))});
  if (result.device.has_value()) {
    written.push_back({.label = "to the device", .points = RatesOf(CountsOf(series, [](const TimeSample& at) {
                                                   return Megabytes(at.device_written);
                                                 }))});
  }
  if (result.device.has_value() && result.device->modelled_seconds.has_value()) {
    panels.push_back({.title = "seconds that the disk was busy, by its model", .lines = {}});
    panels.back().lines.push_back(
        {.label = "busy", .points = CountsOf(series, [](const TimeSample& at) { return at.modelled_seconds; })});
  }
  return FormatPlot(title, panels);
}

absl::Status TryReplayPlot(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status before = std::filesystem::status(path, error);
  // Opening a pipe and closing it again would end it for its reader.
  if (path.empty() || std::filesystem::is_other(before)) return absl::OkStatus();
  errno = 0;
  const std::ofstream file(path, std::ios::binary | std::ios::app);
  if (!file) return WriteError(path, errno);
  // Through a link to nothing, what it names was made.
  if (!std::filesystem::exists(before)) std::filesystem::remove(std::filesystem::canonical(path, error), error);
  return absl::OkStatus();
}

absl::Status WriteReplayPlot(const std::string& path, std::string_view title, const replay::RunResult& result) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << FormatReplayPlot(title, result);
  file.close();
  return file ? absl::OkStatus() : WriteError(path, errno);
}

}  // namespace betr::tools
