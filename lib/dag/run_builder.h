// SPDX-License-Identifier: Apache-2.0
// Makes a run of messages that come in order, or several if one would get too long (storable.h).
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "dag/block.h"
#include "dag/source.h"
#include "dag/storable.h"
#include "dag/view.h"

namespace betr::dag {

class RunBuilder {
 public:
  // Makes runs inside `range`.
  RunBuilder(NodeSource& source, Range range) : source_(source), range_(std::move(range)) {}

  // Makes room for messages of that size, as blocks count.
  void Reserve(Bytes size) { builder_.Reserve(std::min(size, kMaxRunSize)); }

  // Requires: keys do not descend; what is said of one key comes oldest first. All of it gets into the same run.
  void Add(std::string_view key, const Message& message) {
    if (builder_.Size() >= kMaxRunSize && builder_.LastKey() != key) End();
    if (builder_.Empty()) first_ = key;
    builder_.Add(key, message);
  }

  // The runs. The builder must not be used again.
  std::vector<BlockView> Finish() && {
    if (!builder_.Empty()) End();
    return std::move(runs_);
  }

 private:
  void End() {
    const Range clip = PrefixRange(first_, builder_.LastKey()).Intersect(range_);
    runs_.push_back(BlockView::Whole(source_.Adopt(builder_.Finish()), clip));
  }

  NodeSource& source_;
  const Range range_;
  BlockBuilder builder_;
  std::string first_;  // of its keys
  std::vector<BlockView> runs_;
};

}  // namespace betr::dag
