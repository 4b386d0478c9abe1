// SPDX-License-Identifier: Apache-2.0
// Reads the points of a whole partition in key order, each key's messages composed into the shortest equal list,
// without what its gotos supersede: what arrives in the child when the partition is flushed.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "betr/upsert.h"
#include "dag/partition.h"
#include "dag/view.h"

namespace betr::dag {

class PartitionReader {
 public:
  // Loads every run. `partition` and `functions` must outlive the reader.
  static absl::StatusOr<PartitionReader> Open(const Partition& partition, const UpsertRegistry& functions);

  bool Valid() const { return !messages_.empty(); }
  void Next();
  // Requires: Valid(). Valid until Next.
  std::string_view Key() const { return readers_[here_.front()].Key(); }
  // Oldest first; only the first may be terminal.
  const std::vector<Message>& Messages() const { return messages_; }

 private:
  PartitionReader(const Partition& partition, const UpsertRegistry& functions)
      : partition_(&partition), functions_(&functions) {}
  bool FindSmallestKey();
  uint32_t Superseded();
  void Collect();
  void Fold();
  void ComposeUpserts();

  const Partition* partition_;
  const UpsertRegistry* functions_;
  std::vector<ViewReader> readers_;  // parallel to the partition's runs
  std::vector<size_t> here_;         // those that stand on the current key, oldest first
  size_t next_goto_ = 0;             // the first goto that ends after the current key
  std::vector<Message> messages_;
  std::vector<std::string> folded_;  // owns the values that folding made
};

}  // namespace betr::dag
