// SPDX-License-Identifier: Apache-2.0
#include "betr/directory_stream.h"

#include <cerrno>

#include "base/status.h"

namespace betr {
namespace {

constexpr size_t kMostRemembered = MiB(16).value;  // bytes of names, across a return to the start

}  // namespace

DirectoryStream::DirectoryStream(FileSystem* fs, InodeId directory) : fs_(*fs), directory_(directory) {
  fs_.Refer(directory_).IgnoreError();
}

DirectoryStream::~DirectoryStream() { fs_.Forget(directory_); }

std::string_view DirectoryStream::NameBefore(uint64_t position) const {
  if (position <= kDots) return {};
  const uint64_t index = position - kDots - 1;
  const uint64_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(names_).substr(begin, ends_[index] - begin);
}

uint64_t DirectoryStream::PositionBehind(std::string_view name, uint64_t position) {
  // It was seen at this place before, unless something was inserted here since.
  if (position - kDots < ends_.size() && NameBefore(position + 1) == name) return position + 1;
  names_.append(name);
  ends_.push_back(names_.size());
  return kDots + ends_.size();
}

absl::Status DirectoryStream::ReadDots(uint64_t* position, absl::FunctionRef<bool(const Item&)> visit, bool* stopped) {
  if (*position > kDots + ends_.size()) return ErrnoError(EINVAL, "position in a directory");
  if (*position == 0 && names_.size() > kMostRemembered) {
    names_.clear();
    ends_.clear();
  }
  while (*position < kDots && !*stopped) {
    const bool self = *position == 0;
    BETR_ASSIGN_OR_RETURN(const Entry entry, fs_.Lookup(directory_, self ? "." : ".."));
    *stopped = !visit({self ? "." : "..", entry.attributes, *position + 1});
    fs_.Forget(entry.inode);
    ++*position;
  }
  return absl::OkStatus();
}

absl::Status DirectoryStream::Read(uint64_t position, absl::FunctionRef<bool(const Item&)> visit) {
  bool stopped = false;
  BETR_RETURN_IF_ERROR(ReadDots(&position, visit, &stopped));
  if (stopped) return absl::OkStatus();
  const std::string after(NameBefore(position));
  return fs_.ReadDirectory(directory_, after, [&](const DirectoryEntry& entry) {
    position = PositionBehind(entry.name, position);
    return visit({entry.name, entry.attributes, position});
  });
}

absl::Status DirectoryStream::ReadReferred(uint64_t position, size_t max,
                                           absl::FunctionRef<bool(const ReferredItem&)> visit) {
  bool stopped = false;
  const auto visit_dot = [&](const Item& item) { return visit({item.name, {InodeId{}, item.attributes}, item.next}); };
  BETR_RETURN_IF_ERROR(ReadDots(&position, visit_dot, &stopped));
  if (stopped) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(const std::vector<NamedEntry> entries, fs_.LookupAfter(directory_, NameBefore(position), max));
  for (const NamedEntry& one : entries) {
    position = stopped ? position : PositionBehind(one.name, position);
    stopped = stopped || !visit({one.name, one.entry, position});
    if (stopped) fs_.Forget(one.entry.inode);
  }
  return absl::OkStatus();
}

}  // namespace betr
