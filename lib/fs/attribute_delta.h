// SPDX-License-Identifier: Apache-2.0
// The upsert that changes attributes of an inode record without reading it: any subset of the fields below.
//
// A delta is a varint mask with a bit for each field in the order of the struct, then the fields that are set: numbers
// as varints, times as in records, `links` as a varint of its two's complement. Fields of one delta are applied in the
// order of the struct. A record that is absent, or that cannot be decoded, is left as it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "betr/upsert.h"
#include "fs/record.h"

namespace betr::fs {

inline constexpr uint16_t kAttributeUpsert = 16;

struct AttributeDelta {
  std::optional<uint32_t> permissions{};
  std::optional<uint32_t> uid{};
  std::optional<uint32_t> gid{};
  std::optional<uint64_t> size{};           // exactly
  std::optional<uint64_t> size_at_least{};  // after a write
  std::optional<int64_t> links{};           // added
  std::optional<uint64_t> reach_at_least{};
  std::optional<FileTime> accessed{};
  std::optional<FileTime> modified{};
  std::optional<FileTime> changed{};
  std::optional<FileTime> born{};

  friend bool operator==(const AttributeDelta&, const AttributeDelta&) = default;

  void ApplyTo(InodeRecord* record) const;
  // Turns this delta into one that applies this, then the newer one.
  void Then(const AttributeDelta& newer);
};

std::string EncodeDelta(const AttributeDelta& delta);
std::optional<AttributeDelta> DecodeDelta(std::string_view bytes);

class AttributeUpsert final : public UpsertFunction {
 public:
  uint16_t Number() const override { return kAttributeUpsert; }
  std::string_view Name() const override { return "betr.fs.attributes"; }
  std::optional<std::string> Apply(std::optional<std::string_view> old, std::string_view delta) const override;
  std::optional<std::string> Compose(std::string_view older, std::string_view newer) const override;
};

}  // namespace betr::fs
