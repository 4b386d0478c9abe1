// SPDX-License-Identifier: Apache-2.0
// One line on the terminal that says how far something is, how fast it goes, and how long it will take. It is not shown
// in the first second, when stderr is not a terminal, or with -q. It goes when the object does.
//
// One thread. Cost of Update: a look at the clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tool.h"

namespace betr::tools {

class Progress {
 public:
  // `unit`: what is counted, in the plural: "files", "nodes". Empty: nothing is counted but bytes.
  Progress(const Tool& tool, std::string_view unit);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins a phase: "import". Measures time anew.
  void Begin(std::string_view phase);
  // Says how much there will be, as far as that is known; 0 is unknown. Without both, no remaining time is shown.
  void SetTotal(uint64_t count, Bytes bytes);
  // The same if something else knows how far it is. `fraction` is called when a line is drawn. It returns 0 (unknown)
  // to 1.
  void SetFraction(std::function<double()> fraction);
  // Says how much is done now, and what is being worked on (may be empty).
  void Update(uint64_t count, Bytes bytes, std::string_view current = "");
  // Takes the line off the terminal, for other output.
  void Clear();
  // Whether anybody can see it. If not, there is no need to find a total.
  bool IsShown() const { return is_shown_; }

 private:
  std::string Line(uint64_t count, Bytes bytes, std::chrono::nanoseconds elapsed) const;
  double Fraction(uint64_t count, Bytes bytes) const;
  void Show(std::string line);

  ToolIo& io_;
  const bool is_shown_;
  const std::string unit_;
  std::string phase_;
  uint64_t total_count_ = 0;
  Bytes total_bytes_{0};
  std::function<double()> fraction_;
  std::chrono::nanoseconds begun_{0};
  std::chrono::nanoseconds next_{0};
  bool has_line_ = false;
};

// "0.3 s", "12 s", "3:05", "2:10:00"; also "41 ms" and "180 us".
std::string FormatDuration(std::chrono::nanoseconds duration);

}  // namespace betr::tools
