// SPDX-License-Identifier: Apache-2.0
#include "replay/converted/operation_codec.h"

#include <algorithm>

#include "base/check.h"
#include "base/coding.h"
#include "base/zigzag.h"
#include "fs/time_coding.h"
#include "replay/converted/operation_fields.h"

namespace betr::replay {
namespace {

constexpr uint8_t kFirstEvent = 0x80;  // the kinds from here on are events
constexpr uint64_t kEventKinds = 3;

class Writer {
 public:
  explicit Writer(std::string* out) : out_(*out) {}

  bool Has(Field field, bool is_there) {
    if (is_there) fields_ |= uint64_t{1} << field;
    return is_there;
  }
  void Number(uint64_t* value, uint64_t, Notation = Notation::kDecimal) { PutVarint64(&body_, *value); }
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
  void Number(uint64_t* value, uint64_t most, Notation = Notation::kDecimal) { *value = in_.Varint64AtMost(most); }
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
