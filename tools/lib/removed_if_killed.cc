// SPDX-License-Identifier: Apache-2.0
#include "removed_if_killed.h"

#include <unistd.h>

#include <atomic>
#include <utility>

namespace betr::tools {
namespace {

// A signal handler may touch this, since it is lock-free.
std::atomic<const char*> doomed{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free);

// The handler is for one time. So the signal does what it usually does as soon as this returns.
void Remove(int signal) {
  if (const char* const path = doomed.exchange(nullptr)) unlink(path);
  raise(signal);
}

}  // namespace

RemovedIfKilled::RemovedIfKilled() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kSignals) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, &mask_);
}

void RemovedIfKilled::Arm(std::string path) {
  path_ = std::move(path);
  if (!path_.empty()) HandleSignals();
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

void RemovedIfKilled::HandleSignals() {
  doomed = path_.c_str();
  struct sigaction action {};
  action.sa_handler = Remove;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &actions_[i]);
    if (actions_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
  is_armed_ = true;
}

RemovedIfKilled::~RemovedIfKilled() {
  if (is_armed_) {
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &actions_[i], nullptr);
    doomed = nullptr;
  }
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

}  // namespace betr::tools
