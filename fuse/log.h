// SPDX-License-Identifier: Apache-2.0
// The log of a running mount. Goes to stderr while somebody watches, and to the system log from a daemon. Thread-safe.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <string_view>

namespace betr::fuse {

enum class LogLevel : uint8_t { kError, kWarning, kInfo, kDebug };
enum class LogTarget : uint8_t { kStderr, kSyslog };

class Log {
 public:
  Log(LogTarget target, LogLevel level) : level_(level) { SetTarget(target); }

  void SetTarget(LogTarget target);
  bool Wants(LogLevel level) const { return level <= level_; }
  void Write(LogLevel level, std::string_view text) const;

  void Error(std::string_view what, const absl::Status& status) const;
  void Info(std::string_view text) const { Write(LogLevel::kInfo, text); }

 private:
  LogTarget target_ = LogTarget::kStderr;
  LogLevel level_;
};

}  // namespace betr::fuse
