// SPDX-License-Identifier: Apache-2.0
#include "store/fronts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/status.h"

namespace betr::store {

StatePtr Fronts::state() const {
  const ReaderLock lock(mutex_);
  return state_;
}

std::shared_ptr<const View> Fronts::Pin() {
  auto view = std::make_shared<View>();
  const WriterLock lock(mutex_);  // taking an image shares the buffer's chunks, which changes the buffer
  view->state = state_;
  for (auto& [tree, front] : fronts_) {
    auto& layers = view->layers[tree];
    if (!front.active.Empty()) {
      layers.push_back(front.active.Image());
    }
    for (auto sealed = front.sealed.rbegin(); sealed != front.sealed.rend(); ++sealed) {
      layers.push_back((*sealed)->image);
    }
  }
  return view;
}

bool Fronts::IsOlderHeld(const StatePtr& but) const {
  const ReaderLock lock(mutex_);
  const std::weak_ptr<const char> spared = but->presence.Watch();
  return std::ranges::any_of(replaced_, [&](const std::weak_ptr<const char>& one) {
    return !one.expired() && (one.owner_before(spared) || spared.owner_before(one));
  });
}

absl::StatusOr<StatePtr> Fronts::LookUp(TreeId tree, std::string_view key, dag::ValueBuilder& value) const {
  const ReaderLock lock(mutex_);
  if (!state_->trees.Contains(tree)) {
    return absl::NotFoundError(fmt::format("tree {}: there is no such tree", tree.value));
  }
  if (const auto found = fronts_.find(tree); found != fronts_.end()) {
    found->second.active.LookUp(key, value);
    const auto& sealed = found->second.sealed;
    for (auto layer = sealed.rbegin(); layer != sealed.rend() && !value.Done(); ++layer) {
      (*layer)->image->LookUp(key, value);
    }
  }
  return state_;
}

Fronts::Front& Fronts::FrontOf(TreeId tree) { return fronts_.try_emplace(tree, functions_).first->second; }

void Fronts::ApplyOne(const Op& op) {
  dag::MessageBuffer& buffer = FrontOf(op.tree).active;
  switch (op.kind) {
    case OpKind::kPut:
      return buffer.Put(op.key, op.value);
    case OpKind::kErase:
      return buffer.Erase(op.key);
    case OpKind::kUpsert:
      return buffer.Upsert(op.key, op.function, op.value);
    case OpKind::kEraseRange:
      return buffer.EraseRange(op.range);
    default:
      Check(false, "structural changes do not go through a buffer");
  }
}

void Fronts::Apply(std::span<const Op> ops) {
  const WriterLock lock(mutex_);
  for (const Op& op : ops) {
    ApplyOne(op);
  }
}

void Fronts::Seal(Front& front) {
  auto image = front.active.Image();
  front.sealed.push_back(std::make_shared<const SealedBuffer>(
      SealedBuffer{std::exchange(front.active, dag::MessageBuffer(functions_)), std::move(image)}));
}

bool Fronts::SealLarge(Bytes limit) {
  const WriterLock lock(mutex_);
  bool any = false;
  for (;;) {
    Bytes together{0};
    Front* largest = nullptr;
    for (auto& [tree, front] : fronts_) {
      together += front.active.Size();
      if (largest == nullptr || front.active.Size() > largest->active.Size()) {
        largest = &front;
      }
    }
    if (together < limit) {
      return any;
    }
    Seal(*largest);
    any = true;
  }
}

std::vector<SealedPtr> Fronts::SealAll(TreeId tree) {
  const WriterLock lock(mutex_);
  const auto found = fronts_.find(tree);
  if (found == fronts_.end()) {
    return {};
  }
  Front& front = found->second;
  if (!front.active.Empty()) {
    Seal(front);
  }
  return {front.sealed.begin(), front.sealed.end()};
}

std::optional<std::pair<TreeId, SealedPtr>> Fronts::OldestSealed() const {
  const ReaderLock lock(mutex_);
  for (const auto& [tree, front] : fronts_) {
    if (!front.sealed.empty()) {
      return std::pair(tree, front.sealed.front());
    }
  }
  return std::nullopt;
}

void Fronts::Publish(Change change) {
  StatePtr old;  // dies after the lock
  std::vector<SealedPtr> absorbed;
  const WriterLock lock(mutex_);
  old = std::exchange(state_, std::move(change.state));
  std::erase_if(replaced_, [](const std::weak_ptr<const char>& one) { return one.expired(); });
  replaced_.push_back(old->presence.Watch());
  for (const auto& [tree, count] : change.absorbed) {
    std::deque<SealedPtr>& sealed = FrontOf(tree).sealed;
    for (size_t i = 0; i < count; ++i) {
      absorbed.push_back(std::move(sealed.front()));
      sealed.pop_front();
    }
    if (sealed.empty() && FrontOf(tree).active.Empty()) {
      fronts_.erase(tree);  // it would count as one that a checkpoint needs space for
    }
  }
  for (const TreeId tree : change.emptied) {
    if (const auto found = fronts_.find(tree); found != fronts_.end()) {
      absorbed.insert(absorbed.end(), found->second.sealed.begin(), found->second.sealed.end());
      fronts_.erase(found);
    }
  }
  for (auto& [tree, buffer] : change.replace) {
    if (state_->trees.Contains(tree) && !buffer.Empty()) {
      FrontOf(tree).active = std::move(buffer);
    }
  }
  for (const Op* op : change.apply) {
    ApplyOne(*op);
  }
}

std::map<TreeId, Bytes> Fronts::Sizes() const {
  const ReaderLock lock(mutex_);
  std::map<TreeId, Bytes> sizes;
  for (const auto& [tree, front] : fronts_) {
    Bytes& size = sizes[tree];
    size = front.active.Size();
    for (const SealedPtr& sealed : front.sealed) {
      size += sealed->messages.Size();
    }
  }
  return sizes;
}

Bytes Fronts::Size() const {
  Bytes size{0};
  for (const auto& [tree, bytes] : Sizes()) {
    size += bytes;
  }
  return size;
}

size_t Fronts::SealedCount() const {
  const ReaderLock lock(mutex_);
  size_t count = 0;
  for (const auto& [tree, front] : fronts_) {
    count += front.sealed.size();
  }
  return count;
}

bool Fronts::IsBusy(TreeId tree) const {
  const ReaderLock lock(mutex_);
  const auto found = fronts_.find(tree);
  return found != fronts_.end() && (!found->second.active.Empty() || !found->second.sealed.empty());
}

std::vector<TreeId> Fronts::Busy() const {
  const ReaderLock lock(mutex_);
  std::vector<TreeId> busy;
  for (const auto& [tree, front] : fronts_) {
    if (!front.active.Empty() || !front.sealed.empty()) {
      busy.push_back(tree);
    }
  }
  return busy;
}

}  // namespace betr::store
