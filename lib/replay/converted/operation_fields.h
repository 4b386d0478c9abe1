// SPDX-License-Identifier: Apache-2.0
// The fields of an operation, once for all forms and both directions. A Coder is what writes or reads one record in one
// form (operation_codec.cc, operation_text.cc):
//
//   Has(field, is_there)    whether the record has the field: as told when writing, as found when reading
//   Number, Delta, Text, Time   the parts of a field that is there, in their order
//   Require(is_needed)      false: the field could have been left out
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "replay/converted/operation_codec.h"
#include "replay/interpret/operation.h"

namespace betr::replay {

// The bits of the set of fields, in the order of the fields.
enum Field : uint8_t {
  kThread,
  kTime,
  kLine,
  kVariant,
  kNode,
  kParent,
  kName,
  kRest,
  kToNode,
  kToParent,
  kToName,
  kToRest,
  kFile,
  kToFile,
  kFlags,
  kMode,
  kType,
  kDevice,
  kUid,
  kGid,
  kOffset,
  kToOffset,
  kLength,
  kAccessed,
  kModified,
  kText,
  kValue,
  kError,
  kCount,
  kAttributes,
  kIsProbe,
  kIsAtPosition,
  kIsGrowing,
  kFields,
};

// How a number reads as text.
enum class Notation : uint8_t {
  kDecimal,
  kOctal,
  kHex,
  kErrno,
  kVariant,
  kType,
  kTimeChange,
};

// Codes a number of another type than uint64_t. A field with the value `usual` is left out.
template <class Coder, class Value>
void CodeNumber(Coder& coder, Field field, Value* value, uint64_t most, Notation notation = Notation::kDecimal,
                Value usual = {}) {
  if (!coder.Has(field, *value != usual)) {
    *value = usual;
    return;
  }
  auto number = static_cast<uint64_t>(*value);
  coder.Number(&number, most, notation);
  *value = static_cast<Value>(number);
  coder.Require(*value != usual);
}

template <class Coder, class Value>
void CodeOptional(Coder& coder, Field field, std::optional<Value>* value, uint64_t most) {
  if (!coder.Has(field, value->has_value())) return;
  uint64_t number = value->value_or(0);
  coder.Number(&number, most);
  *value = static_cast<Value>(number);
}

template <class Coder, class Tag>
void CodeOrdinal(Coder& coder, Field field, Ordinal<Tag>* value, Ordinal<Tag>* before) {
  if (!coder.Has(field, value->value != 0)) return;
  coder.Delta(&value->value, before->value);
  coder.Require(value->value != 0);
  *before = *value;
}

template <class Coder>
void CodeText(Coder& coder, Field field, std::string* value, uint64_t most) {
  if (!coder.Has(field, !value->empty())) return;
  coder.Text(value, most);
  coder.Require(!value->empty());
}

template <class Coder>
void CodeFlag(Coder& coder, Field field, bool* value) {
  *value = coder.Has(field, *value);
}

template <class Coder>
void CodeTime(Coder& coder, Field field, TimeChange* change) {
  if (!coder.Has(field, change->kind != TimeChange::Kind::kOmit)) return;
  auto kind = static_cast<uint64_t>(change->kind);
  coder.Number(&kind, static_cast<uint64_t>(TimeChange::Kind::kGiven), Notation::kTimeChange);
  change->kind = static_cast<TimeChange::Kind>(kind);
  coder.Require(change->kind != TimeChange::Kind::kOmit);
  if (change->kind == TimeChange::Kind::kGiven) coder.Time(&change->time);
}

template <class Coder>
void CodeAttributes(Coder& coder, std::optional<FileAttributes>* value) {
  if (!coder.Has(kAttributes, value->has_value())) return;
  FileAttributes attributes = value->value_or(FileAttributes{});
  auto type = static_cast<uint64_t>(attributes.type);
  uint64_t permissions = attributes.permissions;
  coder.Number(&type, static_cast<uint64_t>(FileType::kBlockDevice), Notation::kType);
  coder.Number(&permissions, 07777, Notation::kOctal);
  coder.Number(&attributes.size, UINT64_MAX);
  attributes.type = static_cast<FileType>(type);
  attributes.permissions = static_cast<uint32_t>(permissions);
  *value = attributes;
}

// Codes a number by its difference from `before`, if there is one.
template <class Coder>
void CodeChange(Coder& coder, Field field, uint64_t* value, uint64_t before) {
  if (!coder.Has(field, *value != before)) {
    *value = before;
    return;
  }
  coder.Delta(value, before);
  coder.Require(*value != before);
}

template <class Coder>
void CodeWhere(Coder& coder, RecordContext* before, Operation* operation) {
  CodeNumber(coder, kThread, &operation->thread, UINT32_MAX, Notation::kDecimal, before->thread);
  auto time = static_cast<uint64_t>(operation->time.count());
  CodeChange(coder, kTime, &time, static_cast<uint64_t>(before->time.count()));
  operation->time = std::chrono::nanoseconds(static_cast<int64_t>(time));
  CodeChange(coder, kLine, &operation->line, before->line);
  before->thread = operation->thread;
  before->time = operation->time;
  before->line = operation->line;
}

template <class Coder>
void CodeSubject(Coder& coder, RecordContext* before, Operation* operation) {
  CodeOrdinal(coder, kNode, &operation->place.node, &before->node);
  CodeOrdinal(coder, kParent, &operation->place.parent, &before->parent);
  CodeText(coder, kName, &operation->place.name, kMostText);
  CodeText(coder, kRest, &operation->place.rest, kMostText);
  CodeOrdinal(coder, kToNode, &operation->to.node, &before->node);
  CodeOrdinal(coder, kToParent, &operation->to.parent, &before->parent);
  CodeText(coder, kToName, &operation->to.name, kMostText);
  CodeText(coder, kToRest, &operation->to.rest, kMostText);
  CodeOrdinal(coder, kFile, &operation->file, &before->file);
  CodeOrdinal(coder, kToFile, &operation->to_file, &before->file);
}

template <class Coder>
void CodeOperation(Coder& coder, RecordContext* before, Operation* operation) {
  CodeWhere(coder, before, operation);
  CodeNumber(coder, kVariant, &operation->variant, static_cast<uint64_t>(Variant::kAcl), Notation::kVariant);
  CodeSubject(coder, before, operation);
  CodeNumber(coder, kFlags, &operation->flags, UINT32_MAX, Notation::kHex);
  CodeNumber(coder, kMode, &operation->mode, UINT32_MAX, Notation::kOctal);
  CodeNumber(coder, kType, &operation->type, static_cast<uint64_t>(FileType::kBlockDevice), Notation::kType,
             FileType::kRegular);
  CodeNumber(coder, kDevice, &operation->device, UINT64_MAX, Notation::kHex);
  CodeOptional(coder, kUid, &operation->uid, UINT32_MAX);
  CodeOptional(coder, kGid, &operation->gid, UINT32_MAX);
  CodeNumber(coder, kOffset, &operation->offset, UINT64_MAX);
  CodeNumber(coder, kToOffset, &operation->to_offset, UINT64_MAX);
  CodeNumber(coder, kLength, &operation->length, UINT64_MAX);
  CodeTime(coder, kAccessed, &operation->accessed);
  CodeTime(coder, kModified, &operation->modified);
  CodeText(coder, kText, &operation->text, kMostText);
  CodeText(coder, kValue, &operation->value, kMostValue);
  CodeNumber(coder, kError, &operation->expected_error, INT32_MAX, Notation::kErrno);
  CodeOptional(coder, kCount, &operation->expected_count, UINT64_MAX);
  CodeAttributes(coder, &operation->expected_attributes);
  CodeFlag(coder, kIsProbe, &operation->is_probe);
  CodeFlag(coder, kIsAtPosition, &operation->is_at_position);
  CodeFlag(coder, kIsGrowing, &operation->is_growing);
}

}  // namespace betr::replay
