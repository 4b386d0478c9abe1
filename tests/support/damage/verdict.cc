// SPDX-License-Identifier: Apache-2.0
#include "support/damage/verdict.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "base/escape.h"

namespace betr::test {
namespace {

constexpr std::string_view kNewKey = "~new";
constexpr std::string_view kNewValue = "written to a damaged image";

// What was seen of one tree.
struct Seen {
  std::map<std::string, std::string> scanned;
  bool complete = false;                                     // else only what lies before the last key
  std::map<std::string, std::optional<std::string>> points;  // read one by one
};

class Reading {
 public:
  Reading(const Subject& subject, size_t oldest) : subject_(subject), oldest_(oldest) {}

  void ReadAll(const Store& store) {
    for (const TreeInfo& tree : store.Trees()) ReadTree(store, tree);
  }

  void Error(const absl::Status& status) {
    if (first_error_.empty()) first_error_ = std::string(status.message());
    const std::string wrong = WhatIsWrongWith(status);
    if (!wrong.empty() && wrong_.empty()) wrong_ = wrong;
  }

  Verdict Judge() const {
    if (!wrong_.empty()) return {Verdict::Kind::kWrong, wrong_};
    std::string difference;
    for (size_t i = subject_.states.size(); i-- > oldest_;) {
      difference = Difference(subject_.states[i]);
      if (difference.empty()) {
        return {first_error_.empty() ? Verdict::Kind::kRight : Verdict::Kind::kErrors, first_error_};
      }
    }
    return {Verdict::Kind::kWrong, difference};
  }

 private:
  void ReadTree(const Store& store, const TreeInfo& tree) {
    Seen& seen = seen_[tree.name];
    const auto cursor = store.NewCursor(tree.id);
    if (!cursor.ok()) {
      Error(cursor.status());
    } else {
      for ((*cursor)->SeekToFirst(); (*cursor)->Valid(); (*cursor)->Next()) {
        seen.scanned.emplace((*cursor)->Key(), (*cursor)->Value());
      }
      seen.complete = (*cursor)->status().ok();
      if (!seen.complete) Error((*cursor)->status());
    }
    const auto known = subject_.states.back().find(tree.name);
    if (known == subject_.states.back().end()) return;
    // Where the scan was whole a few samples will do.
    size_t step = 0;
    for (const auto& [key, value] : known->second) {
      if (!seen.complete || step++ % 16 == 0) ReadPoint(store, tree.id, key, seen);
    }
  }

  void ReadPoint(const Store& store, TreeId tree, const std::string& key, Seen& seen) {
    auto value = store.Get(tree, key);
    if (value.ok()) {
      seen.points[key] = *std::move(value);
    } else {
      Error(value.status());
    }
  }

  std::string Difference(const Contents& expected) const {
    for (const auto& [name, entries] : expected) {
      if (!seen_.contains(name)) return absl::StrCat("tree ", name, " is not there");
    }
    for (const auto& [name, seen] : seen_) {
      const auto tree = expected.find(name);
      if (tree == expected.end()) return absl::StrCat("tree ", name, " should not be there");
      const std::string difference = Difference(seen, tree->second);
      if (!difference.empty()) return absl::StrCat("tree ", name, ": ", difference);
    }
    return "";
  }

  static std::string Difference(const Seen& seen, const std::map<std::string, std::string>& expected) {
    auto next = expected.begin();
    for (const auto& [key, value] : seen.scanned) {
      if (key == kNewKey && value == kNewValue) continue;
      if (next == expected.end() || next->first != key) {
        return absl::StrCat("the scan shows ", Escape(key), " instead of ",
                            next == expected.end() ? "the end" : Escape(next->first));
      }
      if (next->second != value) return absl::StrCat(Escape(key), " has another value");
      ++next;
    }
    if (seen.complete && next != expected.end()) return absl::StrCat("the scan leaves out ", Escape(next->first));
    for (const auto& [key, value] : seen.points) {
      const auto entry = expected.find(key);
      if (entry == expected.end() ? value.has_value() : value != entry->second) {
        return absl::StrCat(Escape(key), value ? " has another value" : " is not found");
      }
    }
    return "";
  }

  const Subject& subject_;
  const size_t oldest_;
  std::map<std::string, Seen> seen_;
  std::string first_error_;
  std::string wrong_;
};

Verdict Refused(const absl::Status& status) {
  const std::string wrong = WhatIsWrongWith(status);
  return wrong.empty() ? Verdict{Verdict::Kind::kRefused, std::string(status.message())}
                       : Verdict{Verdict::Kind::kWrong, wrong};
}

}  // namespace

std::string WhatIsWrongWith(const absl::Status& status) {
  static constexpr std::array<std::string_view, 7> kStructures = {"superblock", "slot",   "node", "catalog",
                                                                  "log",        "extent", "table"};
  const std::string message(status.message());
  const bool is_other_image = absl::IsInvalidArgument(status) && message.find("not a betr image") != std::string::npos;
  // After something could not be read that a change needed.
  const bool is_stopped = absl::IsFailedPrecondition(status) && message.starts_with("the store became read-only: ");
  if (!absl::IsDataLoss(status) && !absl::IsUnimplemented(status) && !is_other_image && !is_stopped) {
    return "an error of another kind: " + status.ToString();
  }
  const bool names_structure = std::any_of(kStructures.begin(), kStructures.end(), [&](std::string_view structure) {
    return message.find(structure) != std::string::npos;
  });
  const bool names_place = message.find_first_of("0123456789") != std::string::npos;
  return is_other_image || (names_structure && names_place) ? "" : "an error without a place: " + message;
}

Verdict ReadDamaged(const Subject& subject, const PageMap& damaged, size_t oldest) {
  MemoryDevice device(subject.size, damaged);
  const auto store = OpenSubject(device, true);
  if (!store.ok()) return Refused(store.status());
  Reading reading(subject, oldest);
  reading.ReadAll(**store);
  return reading.Judge();
}

Verdict WriteDamaged(const Subject& subject, const PageMap& damaged, size_t oldest) {
  MemoryDevice device(subject.size, damaged);
  {
    const auto store = OpenSubject(device, false);
    if (!store.ok()) return Refused(store.status());
    Reading reading(subject, oldest);
    for (const TreeInfo& tree : (*store)->Trees()) {
      if (tree.snapshot) continue;
      if (const absl::Status put = (*store)->Put(tree.id, kNewKey, kNewValue); !put.ok()) return Refused(put);
      static_cast<void>((*store)->Compact(tree.id));
    }
    static_cast<void>((*store)->Checkpoint());
    reading.ReadAll(**store);
    const Verdict open = reading.Judge();
    if (open.kind == Verdict::Kind::kWrong) return open;
    static_cast<void>((*store)->Close());
  }
  return ReadDamaged(subject, device.Pages(), oldest);
}

}  // namespace betr::test
