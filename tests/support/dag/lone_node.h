// SPDX-License-Identifier: Apache-2.0
// An interior node by itself, with an edit and what that needs. For tests of what is done to one node.
#pragma once

#include "betr/upsert.h"
#include "dag/change/edit.h"
#include "dag/counters.h"
#include "dag/node.h"
#include "dag/shape.h"
#include "support/dag/dag_harness.h"
#include "support/dag/test_source.h"

namespace betr::test {

class LoneNode {
 protected:
  explicit LoneNode(const dag::Shape& shape = SmallShape()) : shape_(shape) {}

  TestSource source_;
  UpsertRegistry functions_;
  dag::Shape shape_;
  dag::Counters counters_;
  dag::Edit edit_{{}, NodeId{2}, {source_, functions_, shape_, counters_}};
  dag::Node node_ = dag::EmptyNode(1, Range::All(), {});
};

}  // namespace betr::test
