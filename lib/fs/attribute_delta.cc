// SPDX-License-Identifier: Apache-2.0
#include "fs/attribute_delta.h"

#include <algorithm>

#include "base/coding.h"
#include "base/decoder.h"
#include "betr/filesystem.h"
#include "fs/time_coding.h"

namespace betr::fs {
namespace {

constexpr uint64_t kAllFields = (1u << 11) - 1;

// Calls `visit` with a pointer to each field, in the order of the mask's bits. Delta may be const.
template <class Delta, class Visit>
void ForEachField(Delta& delta, Visit visit) {
  visit(delta.permissions);
  visit(delta.uid);
  visit(delta.gid);
  visit(delta.size);
  visit(delta.size_at_least);
  visit(delta.links);
  visit(delta.reach_at_least);
  visit(delta.accessed);
  visit(delta.modified);
  visit(delta.changed);
  visit(delta.born);
}

void Put(std::string* out, uint32_t value) { PutVarint64(out, value); }
void Put(std::string* out, uint64_t value) { PutVarint64(out, value); }
void Put(std::string* out, int64_t value) { PutVarint64(out, static_cast<uint64_t>(value)); }
void Put(std::string* out, FileTime value) { PutFileTime(out, value); }

void Get(Decoder* in, uint32_t* value) { *value = static_cast<uint32_t>(in->Varint64AtMost(UINT32_MAX)); }
void Get(Decoder* in, uint64_t* value) { *value = in->Varint64(); }
void Get(Decoder* in, int64_t* value) { *value = static_cast<int64_t>(in->Varint64()); }
void Get(Decoder* in, FileTime* value) { *value = GetFileTime(in); }

template <class T>
void Replace(std::optional<T>* older, const std::optional<T>& newer) {
  if (newer) *older = newer;
}

template <class T>
void Set(T* field, const std::optional<T>& value) {
  if (value) *field = *value;
}

// Modulo 2^32, so that two steps are always the same as their sum.
uint32_t AddLinks(uint32_t links, int64_t added) { return static_cast<uint32_t>(links + static_cast<uint64_t>(added)); }

}  // namespace

void AttributeDelta::ApplyTo(InodeRecord* record) const {
  Set(&record->permissions, permissions);
  Set(&record->uid, uid);
  Set(&record->gid, gid);
  Set(&record->size, size);
  if (size_at_least) record->size = std::max(record->size, *size_at_least);
  if (links) record->links = AddLinks(record->links, *links);
  if (reach_at_least) record->reach = std::max(record->reach, *reach_at_least);
  Set(&record->accessed, accessed);
  Set(&record->modified, modified);
  Set(&record->changed, changed);
  Set(&record->born, born);
}

void AttributeDelta::Then(const AttributeDelta& newer) {
  Replace(&permissions, newer.permissions);
  Replace(&uid, newer.uid);
  Replace(&gid, newer.gid);
  if (newer.size) {
    size = newer.size;
    size_at_least.reset();
  }
  if (newer.size_at_least) size_at_least = std::max(size_at_least.value_or(0), *newer.size_at_least);
  if (newer.links) links = static_cast<int64_t>(static_cast<uint64_t>(links.value_or(0)) + *newer.links);
  if (newer.reach_at_least) reach_at_least = std::max(reach_at_least.value_or(0), *newer.reach_at_least);
  Replace(&accessed, newer.accessed);
  Replace(&modified, newer.modified);
  Replace(&changed, newer.changed);
  Replace(&born, newer.born);
}

std::string EncodeDelta(const AttributeDelta& delta) {
  uint64_t mask = 0;
  uint64_t bit = 1;
  std::string fields;
  ForEachField(delta, [&](const auto& field) {
    if (field) {
      mask |= bit;
      Put(&fields, *field);
    }
    bit <<= 1;
  });
  std::string out;
  PutVarint64(&out, mask);
  return out + fields;
}

std::optional<AttributeDelta> DecodeDelta(std::string_view bytes) {
  Decoder in(bytes);
  const uint64_t mask = in.Varint64AtMost(kAllFields);
  AttributeDelta delta;
  uint64_t bit = 1;
  ForEachField(delta, [&](auto& field) {
    if ((mask & bit) != 0) Get(&in, &field.emplace());
    bit <<= 1;
  });
  // What a record could not hold must not get into one.
  const bool sane = in.Finish("delta").ok() && delta.permissions.value_or(0) <= 07777 &&
                    delta.size.value_or(0) <= kMaxFileSize.value &&
                    delta.size_at_least.value_or(0) <= kMaxFileSize.value &&
                    delta.reach_at_least.value_or(0) <= kMaxReach;
  return sane ? std::optional(delta) : std::nullopt;
}

std::optional<std::string> AttributeUpsert::Apply(std::optional<std::string_view> old, std::string_view delta) const {
  if (!old) return std::nullopt;
  const std::optional<AttributeDelta> change = DecodeDelta(delta);
  absl::StatusOr<InodeRecord> record = DecodeInode(*old, "inode record");
  if (!change || !record.ok()) return std::string(*old);
  change->ApplyTo(&*record);
  return EncodeInode(*record);
}

std::optional<std::string> AttributeUpsert::Compose(std::string_view older, std::string_view newer) const {
  std::optional<AttributeDelta> first = DecodeDelta(older);
  const std::optional<AttributeDelta> second = DecodeDelta(newer);
  if (!first || !second) return std::nullopt;
  first->Then(*second);
  return EncodeDelta(*first);
}

}  // namespace betr::fs
