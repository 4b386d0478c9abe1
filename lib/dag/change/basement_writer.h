// SPDX-License-Identifier: Apache-2.0
// Collects entries into basements of the wanted size whose clips are cut at short separators.
#pragma once

#include <string_view>
#include <vector>

#include "dag/change/edit.h"
#include "dag/view.h"

namespace betr::dag {

class BasementWriter {
 public:
  // Appends what it makes to `out`. Both must outlive the writer.
  BasementWriter(Edit& edit, std::vector<BlockView>& out) : edit_(edit), out_(out) {}

  // Entries from here on belong to a region that begins at `from`.
  void Start(const Bound& from);
  // Requires: keys ascend.
  void Add(std::string_view key, std::string_view value);
  // Ends the last basement at `end`; the next begins there.
  void Cut(Bound end);

 private:
  Edit& edit_;
  std::vector<BlockView>& out_;
  BlockBuilder builder_;
  Bound from_;
};

}  // namespace betr::dag
