// SPDX-License-Identifier: Apache-2.0
#include "store/offline/log_losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/status.h"
#include "store/batch_codec.h"
#include "store/log/log_scan.h"

namespace betr::store {
namespace {

class Search {
 public:
  Search(Inspection& image, uint64_t end) : image_(image), area_(image.log_area()), end_(end) {}

  absl::StatusOr<std::vector<LostRange>> Run() {
    const LogPosition start = image_.log_start().position;
    last_ = image_.log_start().lsn;
    const absl::Status sound =
        Follow(start, end_, [&](const LogRecord& record) { last_ = std::max(last_, record.lsn); }).status();
    BETR_RETURN_IF_ERROR(sound);
    std::string block(kBlockSize.value, '\0');
    for (uint64_t sequence = end_; sequence < start.sequence + area_.Blocks();) {
      BETR_RETURN_IF_ERROR(ReadLogBlocks(image_.device(), area_, sequence, block));
      const std::optional<FrameHeader> header = LoadFrameHeader(block);
      if (!header || header->salt != image_.log_salt() || header->position.sequence != sequence) {
        ++sequence;
        continue;
      }
      announced_ = std::max(announced_, Lsn{header->first_lsn.value + header->record_count - 1});
      BETR_ASSIGN_OR_RETURN(const uint64_t behind, Follow(header->position, start.sequence + area_.Blocks(),
                                                          [&](const LogRecord& record) { Visit(record); }));
      sequence = std::max(sequence + 1, behind);
    }
    Skip(announced_.Next());
    if (!unlisted_.empty()) {
      const std::string why = fmt::format("{} and later ones: not listed, after {} changes", unlisted_, kMaxLostRanges);
      lost_.push_back({"", Range::All(), true, why, true});
    }
    return std::move(lost_);
  }

 private:
  // Visits the records of the frames that follow each other from a position on. Returns the number of the block where
  // they end.
  absl::StatusOr<uint64_t> Follow(const LogPosition& from, uint64_t end,
                                  absl::FunctionRef<void(const LogRecord&)> visit) {
    LogScanner scanner(image_.device(), area_, image_.log_salt(), from);
    while (scanner.position().sequence < end) {
      const absl::StatusOr<bool> has_frame = scanner.Next();
      if (!has_frame.ok() && !absl::IsDataLoss(has_frame.status())) return has_frame.status();
      if (!has_frame.ok() || !*has_frame) break;
      scanner
          .ForEachRecord([&](const LogRecord& record) {
            visit(record);
            return absl::OkStatus();
          })
          .IgnoreError();  // malformed records are found to be missing below
    }
    return scanner.position().sequence;
  }

  void Visit(const LogRecord& record) {
    if (record.lsn <= last_) return;
    Skip(record.lsn);
    last_ = record.lsn;
    const absl::StatusOr<std::vector<Op>> ops = DecodeBatch(record.payload);
    why_ = fmt::format("log record {}", record.lsn.value);
    if (!ops.ok()) {
      Add("", Range::All(), fmt::format("{}: {}", why_, std::string(ops.status().message())));
      return;
    }
    for (const Op& op : *ops) Visit(op);
  }

  // Adds the records before `next` that were not seen.
  void Skip(Lsn next) {
    if (next > last_.Next()) {
      Add("", Range::All(), fmt::format("log records {} to {} cannot be read", last_.value + 1, next.value - 1));
    }
  }

  void Visit(const Op& op) {
    switch (op.kind) {
      case OpKind::kPut:
      case OpKind::kErase:
      case OpKind::kUpsert:
        return Add(NameOf(op.tree), Range::Only(op.key), why_);
      case OpKind::kEraseRange:
        return Add(NameOf(op.tree), op.range, why_);
      case OpKind::kRenamePrefix:
        Add(NameOf(op.tree), Range::Prefix(op.key), why_);
        [[fallthrough]];
      case OpKind::kClonePrefix:
        return Add(NameOf(op.to_tree), Range::Prefix(op.value), why_);
      case OpKind::kCreateTree:
      case OpKind::kSnapshot:
        return Add(op.key, Range::All(), why_);
      case OpKind::kDropTree:
        return Add(NameOf(op.tree), Range::All(), why_);
    }
  }

  std::string NameOf(TreeId id) const {
    const Tree* tree = image_.state()->trees.Find(id);
    return tree != nullptr ? tree->name : fmt::format("number {}", id.value);
  }

  void Add(std::string tree, Range range, std::string why) {
    if (lost_.size() < kMaxLostRanges) {
      why = (tree.empty() ? "whatever they changed: " : "") + why;
      lost_.push_back({std::move(tree), std::move(range), true, std::move(why)});
    } else if (unlisted_.empty()) {
      unlisted_ = std::move(why);
    }
  }

  Inspection& image_;
  const LogArea area_;
  const uint64_t end_;
  Lsn last_;       // the last record that is replayed or was seen
  Lsn announced_;  // the last record that a header announced
  std::string why_;
  std::vector<LostRange> lost_;
  std::string unlisted_;  // the first record that is not listed
};

}  // namespace

absl::StatusOr<std::vector<LostRange>> FindLogLosses(Inspection& image, uint64_t end) {
  return Search(image, end).Run();
}

}  // namespace betr::store
