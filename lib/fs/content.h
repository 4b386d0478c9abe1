// SPDX-License-Identifier: Apache-2.0
// The operations on attributes and content. Their contracts, errors and costs are those of the FileSystem methods of
// the same names.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fs/transaction.h"

namespace betr::fs {

absl::Status SetAttributes(Core& core, Inode& inode, const AttributeChange& change);

absl::StatusOr<std::string> GetXattr(Core& core, Inode& inode, std::string_view name);
absl::Status SetXattr(Core& core, Inode& inode, std::string_view name, std::string_view value, XattrMode mode);
// Adds the xattrs of a new file with this record, which will be kept as `object`.
absl::Status AddXattrs(Transaction* transaction, Core& core, const std::string& object, const NewFile& file,
                       InodeRecord* record);
absl::Status RemoveXattr(Core& core, Inode& inode, std::string_view name);

// What a write does to the times of the file.
enum class WriteTimes : uint8_t { kNow, kStay };
absl::StatusOr<size_t> Write(Core& core, Inode& inode, uint64_t offset, std::string_view bytes,
                             WriteTimes times = WriteTimes::kNow);
absl::StatusOr<uint64_t> Append(Core& core, Inode& inode, std::string_view bytes);
absl::Status Allocate(Core& core, Inode& inode, AllocateMode mode, uint64_t offset, uint64_t length);
absl::StatusOr<uint64_t> CopyRange(Core& core, Inode& from, uint64_t from_offset, Inode& to, uint64_t to_offset,
                                   uint64_t length);

// ContentView shows the content of a file at one instant, and is read without the lock. Thread-safe.
class ContentView {
 public:
  // Hands over gathered writes of the inode first. Those that the store does not take are shown, too.
  static absl::StatusOr<ContentView> Of(Core& core, Inode& inode);

  uint64_t size() const { return size_; }
  absl::StatusOr<size_t> Read(uint64_t offset, std::span<char> buffer) const;
  // As FileSystem's SeekData and SeekHole.
  absl::StatusOr<uint64_t> SeekData(uint64_t offset) const;
  absl::StatusOr<uint64_t> SeekHole(uint64_t offset) const;

 private:
  ContentView(Core& core, Inode& inode);
  absl::StatusOr<std::unique_ptr<Cursor>> BlocksIn(uint64_t first, uint64_t last) const;
  absl::Status ReadStored(uint64_t offset, std::span<char> buffer) const;
  bool IsPending(uint64_t block) const;

  const Store* store_;
  TreeId data_;
  std::shared_ptr<const ReadView> view_;
  std::string object_;
  uint64_t size_;
  uint64_t pending_offset_;
  std::string pending_;  // what the store has not taken
};

// EISDIR for a directory, EINVAL for anything else that is no regular file.
absl::Status CheckRegular(const Inode& inode);

}  // namespace betr::fs
