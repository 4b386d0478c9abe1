// SPDX-License-Identifier: Apache-2.0
// Text as strace prints it, or nearly so (trace_fuzz has converted traces). Whatever it is, each line is used or
// counted, and what is inferred and interpreted from it makes sense: it can be converted, and read again by a reader
// that trusts nothing; and its text becomes it again.
#include <algorithm>
#include <sstream>
#include <utility>

#include "base/check.h"
#include "fuzz/fuzz.h"
#include "replay/converted/trace_reader.h"
#include "replay/interpret/initial_state.h"
#include "replay/run.h"
#include "support/replay/conversion.h"
#include "support/replay/sample_trace.h"

namespace betr::replay {
namespace {

std::string RandomTrace(Random& random) {
  std::string text;
  for (const std::string& line : random.OneIn(2) ? SampleTrace() : DamagedTrace(random)) {
    if (random.OneIn(16)) continue;
    for (uint64_t n = random.OneIn(16) ? 2 : 1; n > 0; --n) text += line + '\n';
  }
  return text;
}

// The lines dealt out to two files, as of two threads.
std::pair<std::string, std::string> Divide(std::string_view text) {
  std::pair<std::string, std::string> halves;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    (end % 3 == 0 ? halves.first : halves.second) += text.substr(0, end);
    text.remove_prefix(end);
  }
  return halves;
}

void ReadAgain(const std::string& converted) {
  const auto reader = TraceReader::Open(std::make_unique<std::istringstream>(converted), "converted");
  Check(reader.ok(), "what was converted can be read");
  NameSpace space((*reader)->root());
  Check(LoadManifest((*reader)->initial(), &space).ok(), "what is inferred is a state");
  class NoSink final : public OperationSink {
    void Perform(const Operation&) override {}
  } sink;
  const absl::Status read = (*reader)->Read(&space, &sink, [](uint64_t) {}).status();
  Check(read.ok(), read.ToString());
}

void Replay(const std::vector<std::string>& paths) {
  RunOptions options;
  options.traces = paths;
  options.root = "/w";
  const auto no_progress = [](uint64_t, Bytes, Bytes) {};
  const absl::StatusOr<Manifest> initial = InferManifest(options, no_progress);
  // Files without times, or bytes that look as if they were compressed.
  if (!initial.ok()) return;
  std::ostringstream converted;
  const absl::StatusOr<TraceOutcome> outcome = ConvertTrace(options, *initial, &converted, no_progress);
  Check(outcome.ok(), outcome.status().ToString());
  const StreamCounts& stream = outcome->stream;
  Check(stream.lines >= stream.exits + stream.signals + stream.notes + stream.unparsed, "a line is counted once");
  ReadAgain(converted.str());
  const absl::StatusOr<std::string> text = Converted(converted.str());
  Check(text.ok(), text.status().ToString());
  const absl::StatusOr<std::string> back = Converted(*text);
  Check(back.ok(), back.status().ToString());
  Check(*back == converted.str(), "text becomes the trace that it is of");
}

}  // namespace
}  // namespace betr::replay

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace betr::replay;  // NOLINT(google-build-using-namespace)
  betr::layout::FuzzInput input(data, size);
  const bool are_several = input.Number(1) % 4 == 0;
  const std::string text = betr::layout::FuzzedText(input, RandomTrace);
  if (are_several) {
    const auto [one, other] = Divide(text);
    const MemoryFile first(one);
    const MemoryFile second(other);
    Replay({first.path(), second.path()});
  } else {
    const MemoryFile file(text);
    Replay({file.path()});
  }
  return 0;
}
