// SPDX-License-Identifier: Apache-2.0
// ImportedAttributes are what a copy takes over from its original on the host, as CopyOptions want it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "betr/filesystem.h"
#include "fs/transfer/tree_copy.h"

namespace betr::fs {

class ImportedAttributes {
 public:
  explicit ImportedAttributes(const CopyOptions& options) : options_(options) {}

  // What to make the copy with. `target` is that of a symbolic link.
  NewFile ToMake(const struct stat& original, const std::string& target) const;

  // What to set when nothing else will be changed.
  AttributeChange ToSet(const struct stat& original) const;

 private:
  uint32_t Permissions(const struct stat& original) const;
  uint32_t Owner(uint32_t on_host, uint32_t otherwise) const;

  const CopyOptions& options_;
};

}  // namespace betr::fs
