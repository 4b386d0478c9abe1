// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <ctime>

#include "base/check.h"

namespace betr {
namespace {

class MachineClock final : public Clock {
 public:
  std::chrono::nanoseconds Now() override { return std::chrono::system_clock::now().time_since_epoch(); }
  std::chrono::nanoseconds Monotonic() override { return std::chrono::steady_clock::now().time_since_epoch(); }
};

}  // namespace

Clock& SystemClock() {
  static MachineClock clock;
  return clock;
}

void ManualClock::Advance(std::chrono::nanoseconds step) {
  Check(step.count() >= 0, "time goes forward");
  now_ += step.count();
  monotonic_ += step.count();
}

std::string FormatTime(std::chrono::nanoseconds time) {
  return FormatTime(std::chrono::floor<std::chrono::seconds>(time));
}

std::string FormatTime(std::chrono::seconds time) {
  const std::time_t seconds = time.count();
  std::tm parts{};
  char text[64];
  if (gmtime_r(&seconds, &parts) == nullptr) return "(no such time)";
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}

}  // namespace betr
