// SPDX-License-Identifier: Apache-2.0
#include "store/option_times.h"

#include <algorithm>
#include <chrono>

namespace betr::store {
namespace {

constexpr std::chrono::hours kLongest{24 * 365 * 100};

template <class Duration>
Duration Countable(Duration time) {
  return std::clamp(time, Duration(0), Duration(kLongest));
}

}  // namespace

StoreOptions WithCountableTimes(StoreOptions options) {
  options.checkpoint_period = Countable(options.checkpoint_period);
  options.settle_time = Countable(options.settle_time);
  options.read_patience = Countable(options.read_patience);
  return options;
}

}  // namespace betr::store
