// SPDX-License-Identifier: Apache-2.0
#include "store/fronts.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/check.h"

namespace betr::store {

const Layers& View::LayersOf(TreeId tree) const {
  static const Layers kNone;
  const Layers* found = layers.Find(tree);
  return found == nullptr ? kNone : *found;
}

bool IsStructural(const Op& op) {
  switch (op.kind) {
    case OpKind::kPut:
    case OpKind::kErase:
    case OpKind::kUpsert:
    case OpKind::kEraseRange:
      return false;
    default:
      return true;
  }
}

bool IsClone(const Op& op) { return op.kind == OpKind::kClonePrefix; }

void BufferOp(const Op& op, dag::MessageBuffer& buffer) {
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

StatePtr Fronts::state() const {
  const ReaderLock lock(mutex_);
  return state_;
}

std::shared_ptr<const View> Fronts::Pin() {
  auto view = std::make_shared<View>();
  const WriterLock lock(mutex_);  // taking an image shares the buffer's chunks, which changes the buffer
  for (const TreeId tree : std::exchange(changed_, {})) layers_.Set(tree, LayersOf(fronts_.at(tree)));
  view->state = state_;
  view->layers = layers_;
  return view;
}

Layers Fronts::LayersOf(Front& front) {
  Layers layers;
  if (!front.active.Empty()) layers.push_back(front.active.Image());
  for (auto sealed = front.sealed.rbegin(); sealed != front.sealed.rend(); ++sealed) layers.push_back((*sealed)->image);
  return layers;
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
  if (!state_->trees.Contains(tree)) return NoSuchTree(tree);
  if (const auto found = fronts_.find(tree); found != fronts_.end()) {
    found->second.active.LookUp(key, value);
    const auto& sealed = found->second.sealed;
    for (auto layer = sealed.rbegin(); layer != sealed.rend() && !value.Done(); ++layer) {
      (*layer)->image->LookUp(key, value);
    }
  }
  return state_;
}

Fronts::Front& Fronts::Changing(TreeId tree) {
  const auto [found, fresh] = fronts_.try_emplace(tree, functions_);
  if (fresh) all_.come += RootUnitsBound(*state_, tree);
  if (changed_.insert(tree).second) {
    layers_.Remove(tree);  // before the change, while an unused image shares all with the buffer, and so goes at once
  }
  return found->second;
}

void Fronts::Remove(TreeId tree) {
  fronts_.erase(tree);
  changed_.erase(tree);
  layers_.Remove(tree);
}

void Fronts::ApplyOne(const Op& op) {
  dag::MessageBuffer& buffer = Changing(op.tree).active;
  const Bytes before = buffer.Size();
  BufferOp(op, buffer);
  all_.size += buffer.Size() - before;  // the difference may wrap around, as the buffer may have become smaller
  all_.active += buffer.Size() - before;
}

void Fronts::Apply(std::span<const Op> ops) {
  const WriterLock lock(mutex_);
  for (const Op& op : ops) ApplyOne(op);
}

void Fronts::Seal(TreeId tree) {
  Front& front = Changing(tree);
  all_.active -= front.active.Size();
  ++all_.sealed;
  auto image = front.active.Image();
  front.sealed.push_back(std::make_shared<const SealedBuffer>(
      SealedBuffer{std::exchange(front.active, dag::MessageBuffer(functions_)), std::move(image), ++seals_}));
  sealed_.emplace(seals_, tree);
}

SealedPtr Fronts::TakeSealed(Front& front) {
  SealedPtr sealed = std::move(front.sealed.front());
  front.sealed.pop_front();
  sealed_.erase(sealed->order);
  --all_.sealed;
  all_.size -= sealed->messages.Size();
  return sealed;
}

bool Fronts::SealLarge(Bytes limit) {
  const WriterLock lock(mutex_);
  if (all_.active < limit) return false;
  std::vector<std::pair<Bytes, TreeId>> buffers;
  buffers.reserve(fronts_.size());
  for (const auto& [tree, front] : fronts_) buffers.emplace_back(front.active.Size(), tree);
  std::ranges::sort(buffers, std::greater<>());
  for (auto largest = buffers.begin(); all_.active >= limit; ++largest) Seal(largest->second);
  return true;
}

std::vector<SealedPtr> Fronts::SealAll(TreeId tree) {
  const WriterLock lock(mutex_);
  const auto found = fronts_.find(tree);
  if (found == fronts_.end()) return {};
  Front& front = found->second;
  if (!front.active.Empty()) Seal(tree);
  return {front.sealed.begin(), front.sealed.end()};
}

std::optional<std::pair<TreeId, SealedPtr>> Fronts::OldestSealed() const {
  const ReaderLock lock(mutex_);
  if (sealed_.empty()) return std::nullopt;
  const TreeId tree = sealed_.begin()->second;
  return std::pair(tree, fronts_.at(tree).sealed.front());
}

void Fronts::Publish(Change change) {
  StatePtr old;  // destroyed after the lock is released
  std::vector<SealedPtr> absorbed;
  const WriterLock lock(mutex_);
  old = std::exchange(state_, std::move(change.state));
  std::erase_if(replaced_, [](const std::weak_ptr<const char>& one) { return one.expired(); });
  replaced_.push_back(old->presence.Watch());
  for (const auto& [tree, count] : change.absorbed) {
    Front& front = Changing(tree);
    for (size_t i = 0; i < count; ++i) absorbed.push_back(TakeSealed(front));
    if (front.sealed.empty() && front.active.Empty()) {
      Remove(tree);  // an empty front would count as one that a checkpoint needs space for
    }
  }
  for (const TreeId tree : change.emptied) {
    if (const auto found = fronts_.find(tree); found != fronts_.end()) {
      while (!found->second.sealed.empty()) absorbed.push_back(TakeSealed(found->second));
      all_.size -= found->second.active.Size();
      all_.active -= found->second.active.Size();
      Remove(tree);
    }
  }
  for (auto& [tree, buffer] : change.replace) {
    if (state_->trees.Contains(tree) && !buffer.Empty()) {
      all_.size += buffer.Size();
      all_.active += buffer.Size();
      Changing(tree).active = std::move(buffer);
    }
  }
  for (const Op* op : change.apply) ApplyOne(*op);
}

std::map<TreeId, Bytes> Fronts::Sizes() const {
  const ReaderLock lock(mutex_);
  std::map<TreeId, Bytes> sizes;
  for (const auto& [tree, front] : fronts_) {
    Bytes& size = sizes[tree];
    size = front.active.Size();
    for (const SealedPtr& sealed : front.sealed) size += sealed->messages.Size();
  }
  return sizes;
}

Fronts::Together Fronts::All() const {
  const ReaderLock lock(mutex_);
  Together all = all_;
  all.trees = fronts_.size();
  return all;
}

void Fronts::Remember(const Counted& counted) const {
  const WriterLock lock(mutex_);
  all_.counted = counted;
}

bool Fronts::IsBusy(TreeId tree) const {
  const ReaderLock lock(mutex_);
  return fronts_.contains(tree);
}

std::vector<TreeId> Fronts::Busy() const {
  const ReaderLock lock(mutex_);
  std::vector<TreeId> busy;
  busy.reserve(fronts_.size());
  for (const auto& [tree, front] : fronts_) busy.push_back(tree);
  return busy;
}

}  // namespace betr::store
