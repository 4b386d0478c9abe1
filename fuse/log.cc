// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <fmt/format.h>
#include <syslog.h>

#include <array>
#include <cstdio>

namespace betr::fuse {
namespace {

constexpr const char* kProgram = "mount.betr";
constexpr std::array kPriorities = {LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};

}  // namespace

void Log::SetTarget(LogTarget target) {
  target_ = target;
  if (target == LogTarget::kSyslog) openlog(kProgram, LOG_PID, LOG_DAEMON);
}

void Log::Write(LogLevel level, std::string_view text) const {
  if (!Wants(level)) return;
  if (target_ == LogTarget::kSyslog) {
    syslog(kPriorities.at(static_cast<size_t>(level)), "%.*s", static_cast<int>(text.size()), text.data());
  } else {
    fmt::print(stderr, "{}: {}\n", kProgram, text);
  }
}

void Log::Error(std::string_view what, const absl::Status& status) const {
  Write(LogLevel::kError, fmt::format("{}: {}", what, std::string(status.message())));
}

}  // namespace betr::fuse
