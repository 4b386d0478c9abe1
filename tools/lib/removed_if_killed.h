// SPDX-License-Identifier: Apache-2.0
// Removes a file if SIGINT, SIGTERM or SIGHUP ends the program before the file is complete. A signal that is ignored
// stays ignored. Only one object may exist at a time.
#pragma once

#include <csignal>
#include <iterator>
#include <string>

namespace betr::tools {

class RemovedIfKilled {
 public:
  // Blocks the signals until Arm, so that none comes between making the file and Arm.
  RemovedIfKilled();
  // Restores the signals as they were before.
  ~RemovedIfKilled();
  RemovedIfKilled(const RemovedIfKilled&) = delete;
  RemovedIfKilled& operator=(const RemovedIfKilled&) = delete;

  // Names the file to remove. An empty path means that there is no file that anybody sees. Requires: the file is there,
  // and this program made it.
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
