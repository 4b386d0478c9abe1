// SPDX-License-Identifier: Apache-2.0
// A layer of messages in front of a tree's root, in root space: what readers see of a message buffer.
#pragma once

#include <memory>
#include <string_view>

#include "dag/bound.h"
#include "dag/message.h"
#include "dag/point_reader.h"

namespace betr::dag {

enum class Direction { kForward, kBackward };

// A range around a position within which a layer treats all older content alike.
struct Stretch {
  Range range;
  bool erased = false;  // nothing older shows through
};

// Immutable, so any number of threads may use it.
class Layer {
 public:
  virtual ~Layer() = default;
  // The stretch that begins before or at `at` and goes on after it (forward), or ends at or after it (backward).
  virtual Stretch Around(const Bound& at, Direction direction) const = 0;
  virtual std::unique_ptr<PointReader> Points() const = 0;
  // Adds what the layer says about a key to `value`.
  virtual void LookUp(std::string_view key, ValueBuilder& value) const = 0;
};

}  // namespace betr::dag
