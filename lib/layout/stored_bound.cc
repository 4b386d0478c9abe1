// SPDX-License-Identifier: Apache-2.0
#include "layout/stored_bound.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "layout/extent.h"
#include "layout/node_format.h"
#include "layout/seal.h"

namespace betr::layout {
namespace {

// More bytes than the numbers and sizes of one part take, its strings excluded (node_codec.h).
constexpr uint64_t kPartOverhead = 48;

uint64_t SizeOf(const Range& range) { return range.lo.bytes.size() + range.hi.bytes.size() + kPartOverhead; }

class Measure {
 public:
  explicit Measure(const dag::Node& node) : header_(kFixedSize + SizeOf(node.bounds)) {
    for (const dag::Edge& edge : node.edges) Add(edge);
    for (const dag::BlockView& basement : node.basements) Add(basement);
  }

  uint64_t Units() const { return UnitsFor({header_}) + UnitsFor({blocks_}); }

 private:
  void Add(const dag::Edge& edge) {
    header_ += SizeOf(edge.link.range) + edge.link.translation.size() + kPartOverhead;
    for (const dag::BlockView& run : edge.partition.runs) Add(run);
    for (const dag::Goto& message : edge.partition.gotos) {
      header_ += SizeOf(message.link.range) + message.link.translation.size() + kPartOverhead;
    }
  }

  void Add(const dag::BlockView& view) {
    header_ += SizeOf(view.clip) + view.affix.strip.size() + view.affix.prepend.size();
    if (slots_.insert(view.slot.get()).second) {
      header_ += kPartOverhead;
      blocks_ += view.Size().value;
    }
  }

  uint64_t header_;
  uint64_t blocks_ = 0;
  absl::flat_hash_set<const dag::BlockSlot*> slots_;
};

}  // namespace

uint32_t StoredUnitsBound(const dag::Node& node) {
  return static_cast<uint32_t>(std::min<uint64_t>(Measure(node).Units(), kMaxExtentUnits));
}

}  // namespace betr::layout
