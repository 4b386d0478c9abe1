// SPDX-License-Identifier: Apache-2.0
#include "dag/upsert_stack.h"

#include <utility>

namespace betr::dag {

void UpsertStack::Push(OwnedMessage message) {
  if (content_ == nullptr) content_ = std::make_unique<Content>();
  Chunk& newest = content_->newest;
  if (newest.size() == kChunkSize) content_->full.push_back(std::make_shared<const Chunk>(std::exchange(newest, {})));
  content_->memory += Bytes{sizeof(OwnedMessage) + message.value.size()};
  newest.push_back(std::move(message));
}

void UpsertStack::ReplaceNewest(std::string value) {
  std::string& newest = content_->newest.back().value;
  content_->memory += Bytes{value.size()};
  content_->memory -= Bytes{newest.size()};
  newest = std::move(value);
}

}  // namespace betr::dag
