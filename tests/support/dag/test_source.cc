// SPDX-License-Identifier: Apache-2.0
#include "support/dag/test_source.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/status.h"

namespace betr::test {

uint64_t TestSource::Reads::Nodes() const { return std::accumulate(nodes.begin(), nodes.end(), uint64_t{0}); }

absl::Status TestSource::State::Read() {
  if (reads_left == 0) return absl::UnavailableError("a read that the test lets fail");
  reads_left -= reads_left == kNever ? 0 : 1;
  return absl::OkStatus();
}

bool TestSource::State::Peek() {
  switch (residence) {
    case Residence::kMemory:
    case Residence::kFew:
      return true;
    case Residence::kDisk:
      return false;
    case Residence::kSometimes:
      return random.OneIn(2);
  }
  return false;
}

bool TestSource::State::PeekNode(const void* slot) {
  ++reads.peeks;
  return residence == Residence::kFew ? std::ranges::find(recent, slot) != recent.end() : Peek();
}

void TestSource::State::Touch(const void* slot) {
  if (residence == Residence::kFew) {
    std::erase(recent, slot);
    recent.push_front(slot);
    recent.resize(std::min(recent.size(), few));
  }
}

void TestSource::KeepFew(size_t nodes) {
  state_->residence = Residence::kFew;
  state_->few = nodes;
}

class TestNodeSlot final : public dag::NodeSlot {
 public:
  TestNodeSlot(std::shared_ptr<TestSource::State> state, dag::Node node)
      : state_(std::move(state)), node_(std::make_shared<const dag::Node>(std::move(node))) {
    state_->Touch(this);
  }
  ~TestNodeSlot() override { std::erase(state_->recent, this); }
  TestNodeSlot(const TestNodeSlot&) = delete;
  TestNodeSlot& operator=(const TestNodeSlot&) = delete;

  absl::StatusOr<dag::NodePtr> Get() const override {
    BETR_RETURN_IF_ERROR(state_->Read());
    state_->Touch(this);
    auto& nodes = state_->reads.nodes;
    ++nodes[std::min<size_t>(node_->height, nodes.size() - 1)];
    return node_;
  }
  dag::NodePtr Peek() const override { return state_->PeekNode(this) ? node_ : nullptr; }

 private:
  std::shared_ptr<TestSource::State> state_;
  dag::NodePtr node_;
};

class TestBlockSlot final : public dag::BlockSlot {
 public:
  TestBlockSlot(std::shared_ptr<TestSource::State> state, std::shared_ptr<const dag::Block> block)
      : state_(std::move(state)), block_(std::move(block)) {}

  absl::StatusOr<std::shared_ptr<const dag::Block>> Get() const override {
    BETR_RETURN_IF_ERROR(state_->Read());
    ++state_->reads.blocks;
    return block_;
  }
  std::shared_ptr<const dag::Block> Peek() const override { return state_->Peek() ? block_ : nullptr; }
  std::optional<uint64_t> Erases() const override { return block_->Erases(); }
  size_t Count() const override { return block_->Count(); }
  Bytes Size() const override { return {block_->Payload().size()}; }

 private:
  std::shared_ptr<TestSource::State> state_;
  std::shared_ptr<const dag::Block> block_;
};

std::shared_ptr<const dag::NodeSlot> TestSource::Adopt(NodeId, dag::Node node) {
  return std::make_shared<TestNodeSlot>(state_, std::move(node));
}

std::shared_ptr<const dag::BlockSlot> TestSource::Adopt(std::shared_ptr<const dag::Block> block) {
  return std::make_shared<TestBlockSlot>(state_, std::move(block));
}

}  // namespace betr::test
