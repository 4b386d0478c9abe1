// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/escape.h"
#include "base/size_text.h"

namespace betr::tools {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kSilence = std::chrono::seconds(1);
constexpr nanoseconds kPeriod = std::chrono::milliseconds(200);

double Seconds(nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

Progress::Progress(const Tool& tool, std::string_view unit)
    : io_(tool.io()), is_shown_(io_.is_err_terminal && !tool.quiet()), unit_(unit) {
  Begin("");
}

void Progress::Begin(std::string_view phase) {
  Clear();
  phase_ = phase;
  total_count_ = 0;
  total_bytes_ = Bytes{0};
  fraction_ = nullptr;
  begun_ = io_.clock.Monotonic();
  next_ = begun_ + kSilence;
}

void Progress::SetTotal(uint64_t count, Bytes bytes) {
  total_count_ = count;
  total_bytes_ = bytes;
}

void Progress::SetFraction(std::function<double()> fraction) { fraction_ = std::move(fraction); }

void Progress::Update(uint64_t count, Bytes bytes, std::string_view current) {
  if (!is_shown_) return;
  const nanoseconds now = io_.clock.Monotonic();
  if (now < next_) return;
  next_ = now + kPeriod;
  std::string line = Line(count, bytes, now - begun_);
  if (!current.empty()) line += "  " + Escape(current);
  Show(std::move(line));
}

void Progress::Clear() {
  if (!has_line_) return;
  io_.err << "\r\033[K" << std::flush;
  has_line_ = false;
}

double Progress::Fraction(uint64_t count, Bytes bytes) const {
  if (fraction_) return fraction_();
  if (total_bytes_.value > 0) return static_cast<double>(bytes.value) / static_cast<double>(total_bytes_.value);
  if (total_count_ > 0) return static_cast<double>(count) / static_cast<double>(total_count_);
  return 0;
}

std::string Progress::Line(uint64_t count, Bytes bytes, nanoseconds elapsed) const {
  const double seconds = Seconds(elapsed);
  std::string line = phase_.empty() ? "" : phase_ + ": ";
  if (!unit_.empty()) {
    line +=
        total_count_ > 0 ? fmt::format("{}/{} {}, ", count, total_count_, unit_) : fmt::format("{} {}, ", count, unit_);
  }
  if (bytes.value > 0 || unit_.empty()) {
    const Bytes rate{static_cast<uint64_t>(static_cast<double>(bytes.value) / seconds)};
    line += fmt::format("{}, {}/s", FormatSize(bytes), FormatSize(rate));
  } else {
    line += fmt::format("{:.0f}/s", static_cast<double>(count) / seconds);
  }
  const double fraction = std::min(Fraction(count, bytes), 1.0);
  if (fraction > 0) {
    constexpr double kLongest = 1e18;  // in nanoseconds, which an int64_t can hold
    const double rest = std::min(static_cast<double>(elapsed.count()) * (1 / fraction - 1), kLongest);
    const nanoseconds left{static_cast<int64_t>(rest)};
    line += fmt::format(", {:.0f} %, {} left", fraction * 100, FormatDuration(left));
  }
  return line;
}

void Progress::Show(std::string line) {
  if (line.size() >= io_.columns) line.resize(io_.columns - 1);
  io_.err << '\r' << line << "\033[K" << std::flush;
  has_line_ = true;
}

std::string FormatDuration(nanoseconds duration) {
  const double seconds = Seconds(duration);
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 0.1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace betr::tools
