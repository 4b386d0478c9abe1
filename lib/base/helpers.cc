// SPDX-License-Identifier: Apache-2.0
#include "base/helpers.h"

#include <system_error>

namespace betr {

Helpers::Helpers(unsigned threads) {
  try {
    for (unsigned i = 0; i < threads; ++i) {
      threads_.emplace_back([this] { Help(); });
    }
  } catch (const std::system_error&) {
    // The threads that were started will do.
  }
}

Helpers::~Helpers() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    wake_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
}

void Helpers::Loop::Work() {
  for (size_t i = next++; i < count; i = next++) round(i);
}

void Helpers::ForEach(size_t count, absl::FunctionRef<void(size_t)> round) {
  Loop loop{round, count};
  if (threads_.empty() || count < 2) return loop.Work();
  {
    const MutexLock lock(mutex_);
    if (loop_ == nullptr) {
      loop_ = &loop;
      wake_.NotifyAll();
    }
  }
  loop.Work();
  MutexLock lock(mutex_);
  if (loop_ == &loop) loop_ = nullptr;
  while (loop.helping > 0) finished_.Wait(lock);
}

Helpers::Loop* Helpers::Join() {
  MutexLock lock(mutex_);
  while (!stopping_ && (loop_ == nullptr || loop_->AllBegun())) wake_.Wait(lock);
  if (stopping_) return nullptr;
  ++loop_->helping;
  return loop_;
}

void Helpers::Leave(Loop& loop) {
  const MutexLock lock(mutex_);
  if (--loop.helping == 0) finished_.NotifyAll();
}

void Helpers::Help() {
  while (Loop* const loop = Join()) {
    loop->Work();
    Leave(*loop);
  }
}

}  // namespace betr
