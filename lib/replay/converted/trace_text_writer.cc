// SPDX-License-Identifier: Apache-2.0
#include "replay/converted/trace_text_writer.h"

#include <fmt/format.h>

#include <string>

#include "replay/converted/operation_text.h"
#include "replay/trace/trace_text.h"

namespace betr::replay {
namespace {

// A trace may lead so deep that its paths are far longer than itself.
constexpr int kMostDepth = 256;

bool IsDirectoryWithPath(NodeNumber node, const NameSpace& space) {
  if (!space.Has(node) || space.Get(node).type != FileType::kDirectory) return false;
  for (int depth = 0; depth < kMostDepth; ++depth) {
    if (node == space.top()) return true;
    node = space.Get(node).names > 0 ? space.Get(node).parent : NodeNumber{};
    if (!space.Has(node)) return false;
  }
  return false;
}

// Empty if it has none.
std::string PathText(const Place& place, const NameSpace& space) {
  if (IsDirectoryWithPath(place.parent, space)) {
    return EscapePath(space.PathOf(place) + (place.rest.empty() ? "" : "/" + place.rest));
  }
  return IsDirectoryWithPath(place.node, space) ? EscapePath(space.PathOf(place.node)) : "";
}

}  // namespace

TraceTextWriter::TraceTextWriter(std::ostream* out, std::string_view root, const Manifest& initial,
                                 const NameSpace* space)
    : out_(*out), space_(*space) {
  out_ << fmt::format("{}{}\n{} {}\n", kTextMagic, kTextVersion, kRootWord, EscapePath(root));
  AddLines(kInitialWord, initial);
}

void TraceTextWriter::AddLines(std::string_view word, const Manifest& manifest) {
  for (const ManifestEntry& entry : manifest.entries) out_ << word << ' ' << FormatManifestEntry(entry) << '\n';
}

void TraceTextWriter::Perform(const Operation& operation) {
  out_ << FormatRecord(operation);
  const std::string path = PathText(operation.place, space_);
  const std::string to = PathText(operation.to, space_);
  if (!path.empty() || !to.empty()) out_ << " # " << path;
  if (!to.empty()) out_ << " -> " << to;
  out_ << '\n';
}

void TraceTextWriter::Follow(const ProcessEvent& event) { out_ << FormatRecord(event) << '\n'; }

absl::Status TraceTextWriter::Finish(const TraceOutcome& outcome) {
  AddLines(kFinalWord, outcome.expected);
  for (const std::string& path : outcome.unknown_modes) out_ << kUnknownModeWord << ' ' << EscapePath(path) << '\n';
  for (const std::string& line : FormatOutcome(outcome)) out_ << line << '\n';
  out_ << kEndWord << '\n';
  out_.flush();
  return out_ ? absl::OkStatus() : absl::UnavailableError("writing failed");
}

}  // namespace betr::replay
