// SPDX-License-Identifier: Apache-2.0
// A file that is removed if SIGINT, SIGTERM or SIGHUP ends the program before it is complete. A signal that is ignored
// stays so. One at a time.
#pragma once

#include <csignal>
#include <iterator>
#include <string>

namespace betr::tools {

class RemovedIfKilled {
 public:
  // The signals wait from here on until Arm, so that none comes between the making of the file and that.
  RemovedIfKilled();
  // From here on everything is as it was before.
  ~RemovedIfKilled();
  RemovedIfKilled(const RemovedIfKilled&) = delete;
  RemovedIfKilled& operator=(const RemovedIfKilled&) = delete;

  // Requires: the file is there, and this program made it. An empty path: there is none that anybody sees.
  void Arm(std::string path);

 private:
  void HandleSignals();

  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

  std::string path_;
  bool is_armed_ = false;
  sigset_t mask_{};                                  // before
  struct sigaction actions_[std::size(kSignals)]{};  // before
};

}  // namespace betr::tools
