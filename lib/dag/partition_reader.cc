// SPDX-License-Identifier: Apache-2.0
#include "dag/partition_reader.h"

#include "base/status.h"

namespace betr::dag {

absl::StatusOr<PartitionReader> PartitionReader::Open(const Partition& partition, const UpsertRegistry& functions) {
  PartitionReader reader(partition, functions);
  reader.readers_.reserve(partition.runs.size());
  for (const BlockView& run : partition.runs) {
    BETR_ASSIGN_OR_RETURN(ViewReader view, ViewReader::Open(run));
    view.SeekForward(run.clip.lo);
    reader.readers_.push_back(std::move(view));
  }
  reader.Next();
  return reader;
}

void PartitionReader::Next() {
  messages_.clear();
  folded_.clear();
  while (messages_.empty() && FindSmallestKey()) Collect();
  if (messages_.size() > 1) Fold();
}

// Leaves the current key, and finds the runs that stand on the next one.
bool PartitionReader::FindSmallestKey() {
  for (const size_t run : here_) readers_[run].Next();
  here_.clear();
  for (size_t run = 0; run < readers_.size(); ++run) {
    if (!readers_[run].Valid()) continue;
    const int order = here_.empty() ? -1 : readers_[run].Key().compare(Key());
    if (order < 0) here_.clear();
    if (order <= 0) here_.push_back(run);
  }
  return !here_.empty();
}

// How many of the oldest runs a goto supersedes at the current key.
uint32_t PartitionReader::Superseded() {
  const std::vector<Goto>& gotos = partition_->gotos;
  while (next_goto_ < gotos.size() && gotos[next_goto_].link.range.hi.Before(Key())) ++next_goto_;
  const bool covered = next_goto_ < gotos.size() && gotos[next_goto_].link.range.lo.Before(Key());
  return covered ? gotos[next_goto_].over : 0;
}

// Collects what the runs say about the current key.
void PartitionReader::Collect() {
  const uint32_t superseded = Superseded();
  for (const size_t run : here_) {
    const ViewReader& reader = readers_[run];
    for (size_t i = 0; run >= superseded && i < reader.GroupSize(); ++i) {
      const Message message = reader.At(i);
      if (message.Terminal()) messages_.clear();
      messages_.push_back(message);
    }
  }
}

// Makes the messages of the current key fewer. Upserts on a put or an erase are applied, unless the function of one is
// not known. Other upserts are composed where that is possible.
void PartitionReader::Fold() {
  if (!messages_.front().Terminal()) {
    ComposeUpserts();
    return;
  }
  ValueBuilder value;
  for (size_t i = messages_.size(); i > 0; --i) value.Add(messages_[i - 1]);
  const absl::StatusOr<std::optional<std::string>> result = value.Resolve(*functions_, Key());
  if (!result.ok()) return;
  messages_.clear();
  folded_.push_back(result->value_or(""));
  messages_.push_back({*result ? MessageKind::kPut : MessageKind::kErase, 0, folded_.back()});
}

void PartitionReader::ComposeUpserts() {
  folded_.reserve(messages_.size());
  size_t kept = 0;
  for (size_t i = 1; i < messages_.size(); ++i) {
    const UpsertFunction* function = functions_->Find(messages_[i].function);
    std::optional<std::string> both;
    if (function != nullptr && messages_[kept].function == messages_[i].function) {
      both = Compose(*function, messages_[kept].value, messages_[i].value);
    }
    if (both) {
      folded_.push_back(*std::move(both));
      messages_[kept].value = folded_.back();
    } else {
      messages_[++kept] = messages_[i];
    }
  }
  messages_.resize(kept + 1);
}

}  // namespace betr::dag
