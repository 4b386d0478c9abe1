// SPDX-License-Identifier: Apache-2.0
#include "path_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "dag/read/explain.h"
#include "fs/key.h"

namespace betr::tools {

std::optional<fs::EntryRecord> PathKeys::Read(const std::string& key) {
  if (!root_) return std::nullopt;
  const dag::Route route = dag::Explain(table_, *root_, key, functions_);
  status_.Update(route.status);
  const absl::StatusOr<fs::EntryRecord> record = fs::DecodeEntry(route.value.value_or(""), "entry");
  return record.ok() ? std::optional(*record) : std::nullopt;
}

std::string PathKeys::Entry(std::string_view path) {
  homes_.assign(1, "");  // the root always is one
  std::string content;
  std::string object(fs::key::kRootObject);
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    if (name.empty() || name == ".") continue;
    object = fs::key::Entry(content, name);
    if (path.empty()) break;
    const std::optional<fs::EntryRecord> record = Read(object);
    const auto* const inode = record ? std::get_if<fs::InodeRecord>(&*record) : nullptr;
    content = inode != nullptr && inode->zone != 0 ? fs::key::Zone(inode->zone) : fs::key::Content(content, name);
    if (inode != nullptr && inode->link_home) homes_.push_back(content);
  }
  return object;
}

std::string PathKeys::Block(std::string_view path, uint64_t block) {
  std::string object = Entry(path);
  const std::optional<fs::EntryRecord> record = Read(object);
  if (const auto* const reference = record ? std::get_if<fs::Reference>(&*record) : nullptr) {
    const std::string group = GroupOf(*reference);
    if (!group.empty()) object = group;
  }
  return fs::key::Block(object, block);
}

// Returns the key of the reference's group. Empty if no home has the group. After an interrupted operation a home may
// be left with names of groups above it (fs/link_groups.h). So the nearest home need not have the group.
std::string PathKeys::GroupOf(const fs::Reference& reference) {
  for (auto home = homes_.rbegin(); home != homes_.rend(); ++home) {
    std::string group = fs::key::Group(*home, reference.id);
    if (Read(group)) return group;
  }
  status_.Update(absl::DataLossError(fmt::format("group {} is in no link home above", reference.id)));
  return {};
}

}  // namespace betr::tools
