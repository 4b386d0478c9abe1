// SPDX-License-Identifier: Apache-2.0
#include "dag/read/segment.h"

#include "base/check.h"
#include "base/status.h"

namespace betr::dag {

absl::StatusOr<Segment> FindSegment(const Source& source, const Bound& at, Direction direction) {
  Descent descent(source, Range::All(), at, direction);
  while (!descent.AtEnd()) BETR_RETURN_IF_ERROR(descent.Step());
  Segment segment{descent.Shown(), descent.TakeReaders()};
  Check(!segment.range.Empty(), "a segment makes progress");
  return segment;
}

}  // namespace betr::dag
