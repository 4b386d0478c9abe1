// SPDX-License-Identifier: Apache-2.0
// A small image file with everything that tools have to show: many tiny nodes, clones, shared nodes, gotos that are
// still buffered, a snapshot. Also ways to damage it.
#pragma once

#include <functional>
#include <string>

#include "store/offline/inspect.h"
#include "support/device/temp_dir.h"

namespace betr::tools {

class SampleImage {
 public:
  // Closed cleanly: nothing to replay. Trees: "main", "other" and the snapshot "before".
  SampleImage();

  const std::string& path() const { return path_; }

  // Adds three batches that are synced but in no checkpoint.
  void AddLogRecords() const;

  // Changes one byte.
  void Flip(Bytes offset) const;
  // Changes one byte in the middle of the `index`th extent of that kind.
  void FlipExtent(store::UsedExtent::Holder holder, size_t index) const;

  // Calls `look` with what the image holds.
  void Inspect(const std::function<void(store::Inspection&)>& look) const;
  // Writes a checkpoint with what `change` does to the state, even if that is wrong.
  void Forge(const std::function<void(store::Inspection&, store::State&)>& change) const;

  // The whole file.
  std::string Content() const;

 private:
  TempDir dir_;
  std::string path_;
};

}  // namespace betr::tools
