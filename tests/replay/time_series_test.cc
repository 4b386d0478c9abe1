// SPDX-License-Identifier: Apache-2.0
#include "replay/time_series.h"

#include <catch2/catch.hpp>

namespace betr::replay {
namespace {

TEST_CASE("samples of a replay are bounded and evenly spread, whatever its length") {
  TimeSeries series;
  constexpr std::chrono::milliseconds kStep{1};
  std::chrono::nanoseconds now{0};
  for (int i = 0; i < 1'000'000; ++i, now += kStep) {
    if (series.IsDue(now)) series.Add({.time = now, .operations = static_cast<uint64_t>(i)});
    REQUIRE(series.samples().size() <= TimeSeries::kMostSamples);
  }
  const std::vector<TimeSample>& samples = series.samples();
  CHECK(samples.size() > TimeSeries::kMostSamples / 4);
  CHECK(samples.front().time.count() == 0);
  const auto longest = 4 * now / static_cast<int64_t>(samples.size());
  for (size_t i = 1; i < samples.size(); ++i) {
    CHECK(samples[i].time - samples[i - 1].time <= longest);
    CHECK(samples[i].operations == static_cast<uint64_t>(samples[i].time / kStep));
  }
  CHECK(now - samples.back().time <= longest);
}

}  // namespace
}  // namespace betr::replay
