// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without a fuzzer: on the files of a corpus, and on so many inputs made from a seed. With
// --write, writes the first of these inputs into a folder: a seed corpus for libFuzzer.
//   node_runs COUNT [--seed N|random] [--write FOLDER] [FILE]...
// Without --seed, BETR_TEST_SEED in the environment is the seed, as scripts/test --seed sets it, else 1.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "base/random.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr uint64_t kWritten = 64;

// Mostly a sound structure with a few changes, now and then any bytes (fuzz.h).
std::string MakeInput(betr::Random& random) {
  std::string input = random.String(random.Uniform(3));
  if (random.OneIn(16)) return input + std::string(1, '\0') + random.String(random.Uniform(300));
  input += '\1' + random.String(4);
  for (uint64_t changes = random.Uniform(6); changes > 0; --changes) input += random.String(4);
  return input;
}

uint64_t SeedOf(const std::string& text) {
  return text == "random" ? std::random_device()() : std::strtoull(text.c_str(), nullptr, 10);
}

uint64_t DefaultSeed() {
  const char* seed = std::getenv("BETR_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): there is one thread
  return seed == nullptr ? 1 : SeedOf(seed);
}

void Run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

void Write(const std::string& folder, uint64_t number, const std::string& input) {
  if (!folder.empty() && number < kWritten) {
    std::ofstream(folder + "/seed-" + std::to_string(number), std::ios::binary) << input;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  uint64_t count = 0;
  uint64_t seed = DefaultSeed();
  std::string folder;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i == 0) {
      count = std::strtoull(arguments[i].c_str(), nullptr, 10);
    } else if (arguments[i] == "--seed" && i + 1 < arguments.size()) {
      seed = SeedOf(arguments[++i]);
    } else if (arguments[i] == "--write" && i + 1 < arguments.size()) {
      folder = arguments[++i];
      std::filesystem::create_directories(folder);
    } else {
      std::ifstream file(arguments[i], std::ios::binary);
      Run({std::istreambuf_iterator<char>(file), {}});
    }
  }
  std::cout << "seed " << seed << std::endl;  // also if the target aborts
  betr::Random random(seed);
  for (uint64_t i = 0; i < count; ++i) {
    const std::string input = MakeInput(random);
    Write(folder, i, input);
    Run(input);
  }
  std::cout << count << " executions\n";
  return 0;
}
