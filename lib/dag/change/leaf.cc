// SPDX-License-Identifier: Apache-2.0
// Applies messages that arrive at a leaf. Basements that a message touches are merged with it; the others stay as they
// are.
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "dag/change/arrive.h"
#include "dag/change/basement_writer.h"
#include "dag/partition_reader.h"

namespace betr::dag {
namespace {

class LeafMerge {
 public:
  LeafMerge(Edit& edit, Node& leaf, const Partition& news, PartitionReader reader)
      : edit_(edit), leaf_(leaf), news_(news), reader_(std::move(reader)), writer_(edit, merged_) {}

  absl::Status Run() {
    for (size_t i = 0; i < leaf_.basements.size(); ++i) {
      const Bound from = i == 0 ? leaf_.bounds.lo : leaf_.basements[i].clip.lo;
      const Bound to = i + 1 < leaf_.basements.size() ? leaf_.basements[i + 1].clip.lo : leaf_.bounds.hi;
      BETR_RETURN_IF_ERROR(Region({from, to}, &leaf_.basements[i]));
    }
    if (leaf_.basements.empty()) BETR_RETURN_IF_ERROR(Region(leaf_.bounds, nullptr));
    writer_.Cut(leaf_.bounds.hi);
    Check(!reader_.Valid(), "what arrives at a leaf lies inside its bounds");
    leaf_.basements = std::move(merged_);
    return absl::OkStatus();
  }

 private:
  // Applies the messages for a region: a basement and the gap behind it. A region that no message touches keeps its
  // basement.
  absl::Status Region(const Range& region, const BlockView* basement) {
    const bool has_points = reader_.Valid() && !region.hi.Before(reader_.Key());
    const size_t erase = FirstGotoAfter(news_.gotos, region.lo);
    const bool erased = erase < news_.gotos.size() && news_.gotos[erase].link.range.lo < region.hi;
    if (!has_points && !erased) {
      writer_.Cut(region.lo);
      if (basement != nullptr) merged_.push_back(*basement);
      writer_.Cut(region.hi);
      return absl::OkStatus();
    }
    writer_.Start(region.lo);
    std::optional<ViewReader> old;
    const bool all_erased = erased && basement != nullptr && news_.gotos[erase].link.range.Covers(basement->clip);
    if (basement != nullptr && !all_erased) {
      BETR_ASSIGN_OR_RETURN(old, ViewReader::Open(*basement));
      old->SeekForward(basement->clip.lo);
    }
    return MergeRegion(region, old ? &*old : nullptr);
  }

  absl::Status MergeRegion(const Range& region, ViewReader* old) {
    const auto has_old = [&] { return old != nullptr && old->Valid(); };
    const auto has_new = [&] { return reader_.Valid() && !region.hi.Before(reader_.Key()); };
    while (has_old() || has_new()) {
      const int order = !has_old() ? 1 : !has_new() ? -1 : old->Key().compare(reader_.Key());
      if (order < 0) {
        if (news_.Covering(old->Key()) == nullptr) writer_.Add(old->Key(), old->At(0).value);
        old->Next();
        continue;
      }
      BETR_RETURN_IF_ERROR(WriteNew(order == 0 && news_.Covering(old->Key()) == nullptr ? old : nullptr));
      if (order == 0) old->Next();
      reader_.Next();
    }
    return absl::OkStatus();
  }

  // Applies the messages of the current key to its old value, if there is one. Fails if one of them is an upsert of a
  // function that is not known: a leaf can only hold values, so such messages stay above.
  absl::Status WriteNew(const ViewReader* old) {
    const std::vector<Message>& messages = reader_.Messages();
    if (messages.size() == 1 && messages[0].kind == MessageKind::kPut) {
      writer_.Add(reader_.Key(), messages[0].value);
      return absl::OkStatus();
    }
    ValueBuilder value;
    for (size_t i = messages.size(); i > 0 && !value.Done(); --i) value.Add(messages[i - 1]);
    if (!value.Done() && old != nullptr) value.Add(old->At(0));
    BETR_ASSIGN_OR_RETURN(const auto result, value.Resolve(edit_.context().functions, reader_.Key()));
    if (result) writer_.Add(reader_.Key(), *result);
    return absl::OkStatus();
  }

  Edit& edit_;
  Node& leaf_;
  const Partition& news_;
  PartitionReader reader_;
  std::vector<BlockView> merged_;
  BasementWriter writer_;
};

}  // namespace

absl::Status ArriveAtLeaf(Edit& edit, Node& leaf, const Partition& news) {
  for (const Goto& message : news.gotos) Check(message.Erases(), "a goto with a target never reaches a leaf");
  BETR_ASSIGN_OR_RETURN(PartitionReader reader, PartitionReader::Open(news, edit.context().functions));
  return LeafMerge(edit, leaf, news, std::move(reader)).Run();
}

}  // namespace betr::dag
