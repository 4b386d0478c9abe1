// SPDX-License-Identifier: Apache-2.0
// The main function of every test executable: Catch2's own, with the options of seed.h.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>

#include "support/seed.h"
#include "support/skip.h"

namespace betr {
namespace {

constexpr uint64_t kDefaultSeed = 20220414;
constexpr int kSkipped = 77;  // as for CTest's SKIP_RETURN_CODE

struct TestOptions {
  std::string program;
  uint64_t seed = kDefaultSeed;
  double scale = 1;
  bool list = false;
  // What has been run.
  size_t cases = 0;
  bool is_skipped = false;

  std::string Arguments() const { return "--betr-seed " + std::to_string(seed) + " --betr-scale " + ScaleText(); }

 private:
  std::string ScaleText() const {
    std::ostringstream text;
    text << scale;
    return text.str();
  }
};

TestOptions& Options() {
  static TestOptions options;
  return options;
}

bool ParseSeed(const std::string& text, uint64_t* seed) {
  if (text == "random") {
    *seed = std::random_device()();
    return true;
  }
  char* end = nullptr;
  *seed = std::strtoull(text.c_str(), &end, 0);
  return !text.empty() && *end == '\0';
}

bool ParseScale(const std::string& text, double* scale) {
  char* end = nullptr;
  *scale = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && *scale > 0;
}

// Errors: false, after a message, if a variable is set to nonsense.
bool ReadEnvironment(TestOptions* options) {
  const char* seed = std::getenv("BETR_TEST_SEED");    // NOLINT(concurrency-mt-unsafe): there is one thread yet
  const char* scale = std::getenv("BETR_TEST_SCALE");  // NOLINT(concurrency-mt-unsafe)
  const bool ok =
      (seed == nullptr || ParseSeed(seed, &options->seed)) && (scale == nullptr || ParseScale(scale, &options->scale));
  if (!ok) std::cerr << "BETR_TEST_SEED is a number or `random`, BETR_TEST_SCALE a positive number\n";
  return ok;
}

Catch::clara::Parser CommandLine(const Catch::clara::Parser& catch_line, TestOptions* options) {
  using Catch::clara::Opt;
  using Catch::clara::ParseResultType;
  using Catch::clara::ParserResult;
  const auto result = [](bool ok, const char* error) {
    return ok ? ParserResult::ok(ParseResultType::Matched) : ParserResult::runtimeError(error);
  };
  const auto set_seed = [=](const std::string& text) {
    return result(ParseSeed(text, &options->seed), "--betr-seed wants a number or `random`");
  };
  const auto set_scale = [=](const std::string& text) {
    return result(ParseScale(text, &options->scale), "--betr-scale wants a positive number");
  };
  return catch_line | Opt(set_seed, "number|random")["--betr-seed"]("where random tests start from") |
         Opt(set_scale, "factor")["--betr-scale"]("how much random tests do, relative to 1") |
         Opt(options->list)["--betr-list"]("list all test cases as tags<TAB>name");
}

int ListTestCases(const Catch::Config& config) {
  for (const Catch::TestCase& test : Catch::getAllTestCasesSorted(config)) {
    std::cout << test.tagsAsString() << '\t' << test.name << '\n';
  }
  return EXIT_SUCCESS;
}

// A test's name as an argument for the shell and for Catch, to which brackets and commas mean something.
std::string Quoted(const std::string& name) {
  std::string quoted = "'";
  for (const char c : name) {
    if (c == '\'') {
      quoted += "'\\''";
      continue;
    }
    if (std::string_view("[],\\").find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// Says how to repeat a run, and each failure of it.
class ReplayListener : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override { std::cerr << Options().Arguments() << std::endl; }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    ++Options().cases;
    if (stats.totals.assertions.failed == 0) return;
    std::cerr << "replay: " << Options().program << ' ' << Quoted(stats.testInfo.name) << ' ' << Options().Arguments()
              << std::endl;
  }
};

CATCH_REGISTER_LISTENER(ReplayListener)

}  // namespace

uint64_t TestSeed() { return Options().seed; }

double TestScale() { return Options().scale; }

void MarkSkipped() { Options().is_skipped = true; }

}  // namespace betr

int main(int argc, char** argv) {
  betr::TestOptions& options = betr::Options();
  options.program = argv[0];
  if (!betr::ReadEnvironment(&options)) return EXIT_FAILURE;
  Catch::Session session;
  session.cli(betr::CommandLine(session.cli(), &options));
  if (const int error = session.applyCommandLine(argc, argv); error != 0) return error;
  if (options.list) return betr::ListTestCases(session.config());
  // Catch's code is how many have failed, which may be kSkipped.
  if (session.run() != 0) return EXIT_FAILURE;
  return options.is_skipped && options.cases == 1 ? betr::kSkipped : EXIT_SUCCESS;
}
