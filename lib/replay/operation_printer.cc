// SPDX-License-Identifier: Apache-2.0
#include "replay/operation_printer.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>

#include "base/escape.h"
#include "replay/manifest.h"
#include "replay/symbols.h"

namespace betr::replay {
namespace {

std::string_view NameOf(Variant variant) {
  static constexpr std::array<std::string_view, 8> kNames{"",          "data",      "hole",    "end",
                                                          "writeback", "existence", "unnamed", "acl"};
  return kNames.at(static_cast<size_t>(variant));
}

std::string PathText(const Place& place, const NameSpace& space) {
  if (place.parent != NodeNumber{} && space.Has(place.parent)) {
    return EscapePath(space.PathOf(place) + (place.rest.empty() ? "" : "/" + place.rest));
  }
  const bool has_path =
      space.Has(place.node) && space.Get(place.node).type == FileType::kDirectory && space.Get(place.node).names > 0;
  return has_path ? EscapePath(space.PathOf(place.node)) : "";
}

std::string TimeText(const TimeChange& change) {
  if (change.kind == TimeChange::Kind::kNow) return "now";
  return fmt::format("{}.{:09}", change.time.seconds, change.time.nanoseconds);
}

// Gathers ` name=value`, without what has its usual value.
class Fields {
 public:
  explicit Fields(std::string* text) : out_(*text) {}

  void Number(std::string_view name, uint64_t value) {
    if (value != 0) Put(name, fmt::format("{}", value));
  }
  void Hex(std::string_view name, uint64_t value) {
    if (value != 0) Put(name, fmt::format("{:#x}", value));
  }
  void Text(std::string_view name, std::string_view value) {
    if (!value.empty()) Put(name, value);
  }
  void Put(std::string_view name, std::string_view value) {
    fmt::format_to(std::back_inserter(out_), " {}={}", name, value);
  }
  void Word(std::string_view word, bool is_there) {
    if (is_there) fmt::format_to(std::back_inserter(out_), " {}", word);
  }

 private:
  std::string& out_;
};

void PutSubject(const Operation& operation, const NameSpace& space, Fields* fields) {
  const std::string path = PathText(operation.place, space);
  fields->Word(path, !path.empty());
  fields->Text("to", PathText(operation.to, space));
  fields->Number("node", operation.place.node.value);
  fields->Number("to_node", operation.to.node.value);
  fields->Number("file", operation.file.value);
  fields->Number("to_file", operation.to_file.value);
}

void PutDetails(const Operation& operation, Fields* fields) {
  fields->Word(NameOf(operation.variant), operation.variant != Variant::kNone);
  fields->Hex("flags", operation.flags);
  if (operation.mode != 0) fields->Put("mode", fmt::format("{:04o}", operation.mode));
  if (operation.type != FileType::kRegular) fields->Number("type", static_cast<uint64_t>(operation.type));
  fields->Hex("device", operation.device);
  if (operation.uid.has_value()) fields->Put("uid", fmt::format("{}", *operation.uid));
  if (operation.gid.has_value()) fields->Put("gid", fmt::format("{}", *operation.gid));
  fields->Number("offset", operation.offset);
  fields->Number("to_offset", operation.to_offset);
  fields->Number("length", operation.length);
  if (operation.accessed.kind != TimeChange::Kind::kOmit) fields->Put("accessed", TimeText(operation.accessed));
  if (operation.modified.kind != TimeChange::Kind::kOmit) fields->Put("modified", TimeText(operation.modified));
  fields->Text("text", Escape(operation.text));
  fields->Text("value", Escape(operation.value));
  fields->Word("probe", operation.is_probe);
  fields->Word("position", operation.is_at_position);
  fields->Word("growing", operation.is_growing);
}

std::string EndOf(const Operation& operation) {
  if (operation.expected_error != 0) return std::string(ErrnoName(operation.expected_error));
  std::string text = fmt::format("{}", operation.expected_count.value_or(0));
  if (operation.expected_attributes.has_value()) {
    const FileAttributes& seen = *operation.expected_attributes;
    text += fmt::format(" type={} mode={:04o} size={}", static_cast<int>(seen.type), seen.permissions, seen.size);
  }
  return text;
}

}  // namespace

std::string FormatOperation(const Operation& operation, const NameSpace& space) {
  std::string text = fmt::format("{} {} {}", operation.line, operation.thread, NameOf(operation.kind));
  Fields fields(&text);
  PutSubject(operation, space, &fields);
  PutDetails(operation, &fields);
  return text + " = " + EndOf(operation);
}

std::string FormatProcessEvent(const ProcessEvent& event) {
  const std::string text = fmt::format("{} {} ", event.line, event.thread);
  switch (event.kind) {
    case ProcessEvent::Kind::kFork:
      return text + fmt::format("begins thread={}", event.other);
    case ProcessEvent::Kind::kJoin:
      return text + fmt::format("waited thread={}", event.other);
    case ProcessEvent::Kind::kEnd:
      break;
  }
  return text + "ends";
}

}  // namespace betr::replay
