// SPDX-License-Identifier: Apache-2.0
// Images that somebody has made who means harm: all checksums are good, and what lies under them contradicts itself.
// Contents may be wrong then, and errors come. Nothing ends the program, and fsck.betr -y leaves nothing to be found.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/damage/abuse.h"
#include "support/damage/forge_files.h"
#include "support/damage/forger.h"
#include "support/damage/scattered.h"
#include "support/damage/subject.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using Abuse = void (*)(MemoryDevice&, Random&);

// Each on the image as it is.
void DoAll(const MemoryDevice& device, Random& random) {
  for (const Abuse abuse : {AbuseStore, AbuseFiles, AbuseChecker}) {
    MemoryDevice copy(device.Size(), device.Pages());
    abuse(copy, random);
  }
  if (random.OneIn(8)) {
    MemoryDevice copy(device.Size(), device.Pages());
    AbuseTools(copy, random);
  }
}

template <class Forge>
void ForEachSeed(double cases, const Forge& forge) {
  const uint64_t count = std::max<uint64_t>(1, static_cast<uint64_t>(cases * TestScale()));
  for (uint64_t seed = TestSeed(); seed < TestSeed() + count; ++seed) {
    Random random(seed);
    forge(seed, random);
  }
}

TEST_CASE("forged structures give errors, and nothing worse", "[damage]") {
  const std::vector<Subject> subjects{ClosedStore(),     CrashedStore(), BulkStore(),
                                      FileSystemImage(), WideStore(),    ScatteredStore()};
  uint64_t written = 0;
  ForEachSeed(60, [&](uint64_t seed, Random& random) {
    const Subject& subject = random.Pick(subjects);
    MemoryDevice device(subject.size, subject.image);
    Forgery forgery(device);
    Forger forger(forgery, random);
    std::string what = subject.name + ": ";
    for (uint64_t n = 1 + random.Uniform(3); n > 0; --n) what += forger.Forge();
    if (random.OneIn(2)) forgery.CountReferences();
    INFO("seed " << seed << ", " << what);
    if (!forgery.Write(device).ok()) return;
    ++written;
    DoAll(device, random);
  });
  CHECK(written > 0);
}

TEST_CASE("forged records of a file system give errors, and nothing worse", "[damage][fs]") {
  const Subject subject = FileSystemImage();
  ForEachSeed(40, [&](uint64_t seed, Random& random) {
    MemoryDevice device(subject.size, subject.image);
    const std::string what = ForgeFiles(device, random);
    INFO("seed " << seed << ", " << what);
    DoAll(device, random);
  });
}

}  // namespace
}  // namespace betr::test
