// SPDX-License-Identifier: Apache-2.0
#include "dump_image.h"

#include <fmt/format.h>

#include <utility>

#include "base/escape.h"
#include "base/status.h"
#include "layout/open_locked.h"
#include "store/borrowed_device.h"
#include "store/impl.h"

namespace betr::tools {
namespace {

constexpr Bytes kDefaultCache = MiB(256);

}  // namespace

absl::StatusOr<std::unique_ptr<DumpImage>> DumpImage::Open(const std::string& path, const StoreOptions& options,
                                                           LogUse log) {
  std::unique_ptr<DumpImage> image(new DumpImage());
  constexpr auto kAccess = FileDevice::Access::kReadOnly;
  BETR_ASSIGN_OR_RETURN(image->file_,
                        options.stale ? FileDevice::Open(path, kAccess) : layout::OpenLocked(path, kAccess));
  const Bytes cache = options.cache_size.value > 0 ? options.cache_size : kDefaultCache;
  BETR_ASSIGN_OR_RETURN(image->inspection_, store::Inspection::Open(*image->file_, cache));
  image->state_ = image->inspection_->state();
  if (log == LogUse::kReplay) {
    auto device = std::make_unique<store::BorrowedDevice>(*image->file_);
    BETR_ASSIGN_OR_RETURN(image->replayed_, Store::Open(std::move(device), options));
    BETR_ASSIGN_OR_RETURN(image->state_, image->replayed_->impl().structure().Drain());
  }
  return image;
}

absl::StatusOr<store::Tree> DumpImage::FindTree(std::string_view name) const {
  std::string known;
  for (const auto& [id, tree] : state_->trees) {
    if (tree.name == name) return tree;
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", Escape(tree.name));
  }
  return absl::NotFoundError(
      fmt::format("tree \"{}\": there is no such tree{}{}", Escape(name), known.empty() ? "" : ", only ", known));
}

absl::StatusOr<std::vector<store::Tree>> DumpImage::TreesNamed(std::string_view name) const {
  std::vector<store::Tree> trees;
  if (name.empty()) {
    for (const auto& [id, tree] : state_->trees) {
      trees.push_back(tree);
    }
  } else {
    BETR_ASSIGN_OR_RETURN(store::Tree tree, FindTree(name));
    trees.push_back(std::move(tree));
  }
  return trees;
}

}  // namespace betr::tools
