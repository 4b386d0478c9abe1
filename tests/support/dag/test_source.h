// SPDX-License-Identifier: Apache-2.0
// A node source for tests. Keeps everything in memory, counts what is read, may pretend that nothing is in memory, and
// may fail at a chosen read.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>

#include "base/random.h"
#include "dag/source.h"

namespace betr::test {

enum class Residence {
  kMemory,     // a peek finds everything
  kDisk,       // a peek finds nothing
  kSometimes,  // a peek finds what a coin says
  kFew,        // a peek finds the nodes that were read or made last, and all blocks
};

class TestSource final : public dag::NodeSource {
 public:
  static constexpr uint64_t kNever = UINT64_MAX;

  // What was read since the last Reset. A peek that finds something is not a read.
  struct Reads {
    std::array<uint64_t, 8> nodes{};  // by height; taller ones count in the last
    uint64_t blocks = 0;
    uint64_t peeks = 0;  // at nodes, whatever they found

    uint64_t Nodes() const;
  };

  explicit TestSource(uint64_t seed = 0) : state_(std::make_shared<State>(seed)) {}

  std::shared_ptr<const dag::NodeSlot> Adopt(NodeId id, dag::Node node) override;
  std::shared_ptr<const dag::BlockSlot> Adopt(std::shared_ptr<const dag::Block> block) override;

  const Reads& reads() const { return state_->reads; }
  void ResetReads() { state_->reads = {}; }
  void SetResidence(Residence residence) { state_->residence = residence; }
  // From now on has in memory the `nodes` nodes that were read or made last, however many are needed (kFew).
  void KeepFew(size_t nodes);
  // Makes the read after the next `count` ones fail with kUnavailable, and all later ones too.
  void FailAfter(uint64_t count) { state_->reads_left = count; }
  bool Failing() const { return state_->reads_left == 0; }

 private:
  friend class TestNodeSlot;
  friend class TestBlockSlot;
  struct State {
    explicit State(uint64_t seed) : random(seed) {}
    absl::Status Read();
    bool Peek();
    bool PeekNode(const void* slot);
    void Touch(const void* slot);

    Reads reads;
    Residence residence = Residence::kMemory;
    std::deque<const void*> recent;  // node slots, the last one first, with kFew
    size_t few = 0;
    uint64_t reads_left = kNever;
    Random random;
  };

  std::shared_ptr<State> state_;
};

}  // namespace betr::test
