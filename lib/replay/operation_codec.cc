// SPDX-License-Identifier: Apache-2.0
#include "replay/operation_codec.h"

#include <algorithm>

#include "base/check.h"
#include "base/coding.h"
#include "base/zigzag.h"
#include "fs/time_coding.h"

namespace betr::replay {
namespace {

constexpr uint8_t kFirstEvent = 0x80;  // the kinds from here on are events
constexpr uint64_t kEventKinds = 3;
constexpr uint64_t kVariants = static_cast<uint64_t>(Variant::kAcl) + 1;

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

// Both directions of one record are written down once: a Coder is a Writer or a Reader.
class Writer {
 public:
  explicit Writer(std::string* out) : out_(*out) {}

  bool Has(Field field, bool is_there) {
    if (is_there) fields_ |= uint64_t{1} << field;
    return is_there;
  }
  void Number(uint64_t* value, uint64_t) { PutVarint64(&body_, *value); }
  void Delta(uint64_t* value, uint64_t before) { PutVarint64(&body_, ZigZag(static_cast<int64_t>(*value - before))); }
  void Text(std::string* value, uint64_t most) {
    Check(value->size() <= most, "a text of a record is within its limit");
    PutLengthPrefixed(&body_, *value);
  }
  void Time(FileTime* time) { fs::PutFileTime(&body_, *time); }
  void Require(bool is_needed) { Check(is_needed, "a field that is written is needed"); }

  void Finish(uint8_t kind) {
    PutFixed8(&out_, kind);
    PutVarint64(&out_, fields_);
    out_ += body_;
  }

 private:
  std::string& out_;
  std::string body_;
  uint64_t fields_ = 0;
};

class Reader {
 public:
  explicit Reader(Decoder* in) : in_(*in), fields_(in_.Varint64AtMost((uint64_t{1} << kFields) - 1)) {}

  bool Has(Field field, bool) { return (fields_ >> field & 1) != 0; }
  void Number(uint64_t* value, uint64_t most) { *value = in_.Varint64AtMost(most); }
  void Delta(uint64_t* value, uint64_t before) { *value = before + static_cast<uint64_t>(UnZigZag(in_.Varint64())); }
  void Text(std::string* value, uint64_t most) { *value = in_.LengthPrefixed(most); }
  void Time(FileTime* time) { *time = fs::GetFileTime(&in_); }
  // A field with its usual value: the encoder would have left it out.
  void Require(bool is_needed) {
    if (!is_needed) in_.Fail("a field that is not needed");
  }

 private:
  Decoder& in_;
  const uint64_t fields_;
};

// A number of another type than uint64_t; `usual` is left out.
template <class Coder, class Value>
void CodeNumber(Coder& coder, Field field, Value* value, uint64_t most, Value usual = {}) {
  if (!coder.Has(field, *value != usual)) {
    *value = usual;
    return;
  }
  auto number = static_cast<uint64_t>(*value);
  coder.Number(&number, most);
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
  coder.Number(&kind, static_cast<uint64_t>(TimeChange::Kind::kGiven));
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
  coder.Number(&type, static_cast<uint64_t>(FileType::kBlockDevice));
  coder.Number(&permissions, 07777);
  coder.Number(&attributes.size, UINT64_MAX);
  attributes.type = static_cast<FileType>(type);
  attributes.permissions = static_cast<uint32_t>(permissions);
  *value = attributes;
}

// A number that is told by its difference from `before`, if there is one.
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
  CodeNumber(coder, kThread, &operation->thread, UINT32_MAX, before->thread);
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
  CodeNumber(coder, kVariant, &operation->variant, kVariants - 1);
  CodeSubject(coder, before, operation);
  CodeNumber(coder, kFlags, &operation->flags, UINT32_MAX);
  CodeNumber(coder, kMode, &operation->mode, UINT32_MAX);
  CodeNumber(coder, kType, &operation->type, static_cast<uint64_t>(FileType::kBlockDevice), FileType::kRegular);
  CodeNumber(coder, kDevice, &operation->device, UINT64_MAX);
  CodeOptional(coder, kUid, &operation->uid, UINT32_MAX);
  CodeOptional(coder, kGid, &operation->gid, UINT32_MAX);
  CodeNumber(coder, kOffset, &operation->offset, UINT64_MAX);
  CodeNumber(coder, kToOffset, &operation->to_offset, UINT64_MAX);
  CodeNumber(coder, kLength, &operation->length, UINT64_MAX);
  CodeTime(coder, kAccessed, &operation->accessed);
  CodeTime(coder, kModified, &operation->modified);
  CodeText(coder, kText, &operation->text, kMostText);
  CodeText(coder, kValue, &operation->value, kMostValue);
  CodeNumber(coder, kError, &operation->expected_error, INT32_MAX);
  CodeOptional(coder, kCount, &operation->expected_count, UINT64_MAX);
  CodeAttributes(coder, &operation->expected_attributes);
  CodeFlag(coder, kIsProbe, &operation->is_probe);
  CodeFlag(coder, kIsAtPosition, &operation->is_at_position);
  CodeFlag(coder, kIsGrowing, &operation->is_growing);
}

// What the ranges of numbers do not say.
void CheckTypes(const Operation& operation, Decoder* in) {
  const bool has_types =
      operation.type >= FileType::kRegular &&
      (!operation.expected_attributes.has_value() || operation.expected_attributes->type >= FileType::kRegular);
  if (!has_types) in->Fail("no such type of file");
}

}  // namespace

bool Fits(const Operation& operation) {
  const auto fits = [](const Place& place) { return place.name.size() <= kMostText && place.rest.size() <= kMostText; };
  return fits(operation.place) && fits(operation.to) && operation.text.size() <= kMostText &&
         operation.value.size() <= kMostValue;
}

void OperationEncoder::Add(const Operation& operation, std::string* out) {
  Writer writer(out);
  Operation copy = operation;
  CodeOperation(writer, &before_, &copy);
  writer.Finish(static_cast<uint8_t>(operation.kind));
}

void OperationEncoder::Add(const ProcessEvent& event, std::string* out) {
  PutFixed8(out, kFirstEvent + static_cast<uint8_t>(event.kind));
  PutVarint64(out, event.thread);
  PutVarint64(out, event.other);
  PutVarint64(out, ZigZag(static_cast<int64_t>(event.line - before_.line)));
  before_.line = event.line;
}

Operation OperationDecoder::GetOperation(uint8_t kind, Decoder* in) {
  Reader reader(in);
  Operation operation;
  operation.kind = static_cast<OperationKind>(kind);
  CodeOperation(reader, &before_, &operation);
  CheckTypes(operation, in);
  return operation;
}

ProcessEvent OperationDecoder::GetEvent(uint8_t kind, Decoder* in) {
  ProcessEvent event;
  event.kind = static_cast<ProcessEvent::Kind>(kind - kFirstEvent);
  event.thread = static_cast<ThreadNumber>(in->Varint64AtMost(UINT32_MAX));
  event.other = static_cast<ThreadNumber>(in->Varint64AtMost(UINT32_MAX));
  event.line = before_.line + static_cast<uint64_t>(UnZigZag(in->Varint64()));
  before_.line = event.line;
  return event;
}

TraceRecord OperationDecoder::Next(Decoder* in) {
  const uint8_t kind = in->Fixed8();
  if (kind < kOperationKinds) return GetOperation(kind, in);
  if (kind < kFirstEvent || kind >= kFirstEvent + kEventKinds) in->Fail("no such kind of record");
  return GetEvent(std::max(kind, kFirstEvent), in);
}

}  // namespace betr::replay
