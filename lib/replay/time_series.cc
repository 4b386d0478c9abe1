// SPDX-License-Identifier: Apache-2.0
#include "replay/time_series.h"

#include "base/check.h"

namespace betr::replay {

void TimeSeries::Add(const TimeSample& sample) {
  Check(samples_.empty() || sample.time >= samples_.back().time, "samples come in the order of time");
  if (samples_.size() == kMostSamples) {
    size_t kept = 0;
    for (size_t i = 0; i < samples_.size(); i += 2) samples_[kept++] = samples_[i];
    samples_.resize(kept);
    interval_ *= 2;
  }
  samples_.push_back(sample);
  next_ = sample.time + interval_;
}

}  // namespace betr::replay
