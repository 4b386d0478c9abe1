// SPDX-License-Identifier: Apache-2.0
// The image that betrdump looks at. It is either as the newest superblock has it, or as it is after the log has been
// replayed. Replaying is done in memory; nothing is written.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "betr/store.h"
#include "device/file_device.h"
#include "store/offline/inspect.h"

namespace betr::tools {

enum class LogUse { kIgnore, kReplay };

class DumpImage {
 public:
  // Opens the image. Locks it against writers, unless the options say that it may be stale. Errors: those of opening it
  // that leave nothing to show.
  static absl::StatusOr<std::unique_ptr<DumpImage>> Open(const std::string& path, const StoreOptions& options,
                                                         LogUse log);

  store::Inspection& inspection() { return *inspection_; }
  const store::State& state() const { return *state_; }
  const layout::Superblock& superblock() const { return inspection_->superblock(); }

  // Finds a tree by name. kNotFound if there is none; the message names the trees that there are.
  absl::StatusOr<store::Tree> FindTree(std::string_view name) const;
  // Returns the tree of that name, or all trees if the name is empty.
  absl::StatusOr<std::vector<store::Tree>> TreesNamed(std::string_view name) const;

 private:
  DumpImage() = default;

  std::unique_ptr<FileDevice> file_;
  std::unique_ptr<store::Inspection> inspection_;
  std::unique_ptr<Store> replayed_;  // keeps alive what state_ needs
  store::StatePtr state_;
};

}  // namespace betr::tools
