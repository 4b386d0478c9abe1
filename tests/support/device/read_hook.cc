// SPDX-License-Identifier: Apache-2.0
#include "support/device/read_hook.h"

#include <utility>

#include "base/check.h"
#include "base/mutex.h"

namespace betr {
namespace {

Mutex mutex;
int reads_left ABSL_GUARDED_BY(mutex) = 0;
std::function<void()> hook ABSL_GUARDED_BY(mutex);

}  // namespace

ReadHook::ReadHook(int nth, std::function<void()> act) {
  const MutexLock lock(mutex);
  Check(hook == nullptr, "one at a time");
  reads_left = nth;
  hook = std::move(act);
}

ReadHook::~ReadHook() {
  const MutexLock lock(mutex);
  hook = nullptr;
}

void CountRead() {
  std::function<void()> act;
  {
    const MutexLock lock(mutex);
    if (hook == nullptr || --reads_left > 0) return;
    act = std::exchange(hook, nullptr);
  }
  act();
}

}  // namespace betr
