// SPDX-License-Identifier: Apache-2.0
// A node source that keeps everything in memory.
#pragma once

#include <memory>
#include <utility>

#include "dag/source.h"

namespace betr::dag {

class ResidentNode final : public NodeSlot {
 public:
  explicit ResidentNode(Node node) : node_(std::make_shared<const Node>(std::move(node))) {}
  absl::StatusOr<NodePtr> Get() const override { return node_; }
  NodePtr Peek() const override { return node_; }

 private:
  NodePtr node_;
};

class ResidentBlock final : public BlockSlot {
 public:
  explicit ResidentBlock(std::shared_ptr<const Block> block) : block_(std::move(block)) {}
  absl::StatusOr<std::shared_ptr<const Block>> Get() const override { return block_; }
  std::shared_ptr<const Block> Peek() const override { return block_; }
  size_t Count() const override { return block_->Count(); }
  Bytes Size() const override { return {block_->Payload().size()}; }

 private:
  std::shared_ptr<const Block> block_;
};

class MemorySource final : public NodeSource {
 public:
  std::shared_ptr<const NodeSlot> Adopt(NodeId, Node node) override {
    return std::make_shared<ResidentNode>(std::move(node));
  }
  std::shared_ptr<const BlockSlot> Adopt(std::shared_ptr<const Block> block) override {
    return std::make_shared<ResidentBlock>(std::move(block));
  }
};

}  // namespace betr::dag
