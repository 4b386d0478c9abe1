// SPDX-License-Identifier: Apache-2.0
#include "fs/check/check.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/checksum.h"
#include "base/escape.h"
#include "base/status.h"
#include "betr/filesystem.h"
#include "fs/check/check_context.h"
#include "fs/check/check_mend.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

constexpr std::array<std::string_view, 16> kNames = {"key",        "root",  "parent", "zone",    "links", "reference",
                                                     "group-name", "group", "home",   "number",  "reach", "content",
                                                     "size",       "xattr", "orphan", "leftover"};
constexpr Bytes kRepairBatch = KiB(16);
constexpr uint64_t kStepsPerQuestion = 1024;

absl::Status CheckRoot(CheckContext* context) {
  for (const std::string_view key : {key::kVersionKey, key::kRootObject, key::kNumberBoundKey}) {
    BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value, context->GetMeta(key));
    absl::Status version = key == key::kVersionKey && value ? DecodeVersion(*value).status() : absl::OkStatus();
    if (!version.ok() && !absl::IsDataLoss(version)) return version;
    if (value && version.ok()) continue;
    context->Guessable(CheckCode::kRoot, key, value ? std::string(version.message()) : "the record is missing",
                       [&](WriteBatch* batch) { batch->Put(context->meta(), key, NewRootRecord(key)); });
  }
  return absl::OkStatus();
}

absl::Status CheckAll(CheckContext* context) {
  BETR_RETURN_IF_ERROR(context->ReadGarbage());
  BETR_RETURN_IF_ERROR(CheckRoot(context));
  BETR_RETURN_IF_ERROR(CheckMeta(context));
  BETR_RETURN_IF_ERROR(CheckData(context));
  return context->WriteRepairs();
}

}  // namespace

std::string_view CheckCodeName(CheckCode code) { return kNames.at(static_cast<size_t>(code)); }

CheckContext::CheckContext(Store* store, TreeId meta, TreeId data, const CheckOptions& options,
                           absl::FunctionRef<void(const CheckFinding&)> report)
    : store_(*store),
      view_(store->Pin()),
      meta_(meta),
      data_(data),
      options_(options),
      report_(report),
      lost_and_found_(*store, meta, data) {}

void CheckContext::Report(CheckCode code, std::string_view key, std::string what, bool harmless, bool repairable,
                          std::string lost_name, std::string lost_attribute) {
  const bool repaired = repairable && options_.repair;
  ++summary_.findings;
  if (!harmless && !repaired) ++summary_.errors_left;
  CheckFinding finding{.code = code,
                       .path = key::EscapedPathOfObject(zones_.WithoutZones(key)),
                       .what = std::move(what),
                       .harmless = harmless,
                       .repairable = repairable,
                       .repaired = repaired,
                       .lost_name = std::move(lost_name),
                       .lost_attribute = std::move(lost_attribute)};
  if (!repaired) return report_(finding);
  waiting_.push_back(std::move(finding));
}

void CheckContext::TellWaiting() {
  for (const CheckFinding& finding : std::exchange(waiting_, {})) report_(finding);
}

void CheckContext::GiveUpRepairs() {
  for (CheckFinding& finding : waiting_) {
    finding.repaired = false;
    finding.lost_name.clear();
    finding.lost_attribute.clear();
  }
  TellWaiting();
}

std::string CheckContext::PathOf(std::string_view content) const {
  return Escape(key::PathOfContent(zones_.WithoutZones(content)));
}

void CheckContext::Broken(CheckCode code, std::string_view key, std::string what) {
  Report(code, key, std::move(what), false, false);
}

void CheckContext::Harmless(CheckCode code, std::string_view key, std::string what) {
  if (options_.repair) {
    for (const TreeId tree : {meta_, data_}) repairs_.EraseRange(tree, Range::Prefix(key));
  }
  Report(code, key, std::move(what), true, true);
}

void CheckContext::LoseName(CheckCode code, std::string_view key, std::string what) {
  std::string lost_name;
  if (salvage()) {
    repairs_.Erase(meta_, key);
    lost_name = "/" + key::PathOfObject(zones_.WithoutZones(key));
  }
  Report(code, key, std::move(what), false, options_.salvage, std::move(lost_name));
}

void CheckContext::MendRecord(WriteBatch* batch, std::string_view object, const AttributeDelta& delta) const {
  batch->Upsert(meta_, object, kAttributeUpsert, EncodeDelta(delta));
}

void CheckContext::BadRecord(std::string_view key, const absl::Status& status) {
  if (!bad_records_.emplace(key).second) return;
  if (!absl::IsDataLoss(status)) return Broken(CheckCode::kKey, key, std::string(status.message()));
  const std::optional<key::MetaKey> parsed = key::ParseMeta(key);
  if (parsed && parsed->kind == key::MetaKey::Kind::kEntry) {
    return LoseName(CheckCode::kKey, key, std::string(status.message()));
  }
  Guessable(CheckCode::kKey, key, std::string(status.message()), [&](WriteBatch* batch) {
    if (key == key::kRootObject) {
      batch->Put(meta_, key, NewRootRecord(key));
    } else {
      batch->Erase(meta_, key);
    }
  });
}

absl::StatusOr<std::string> CheckContext::NameOf(std::string_view object) {
  const std::optional<key::MetaKey> parsed = key::ParseMeta(object);
  if (!parsed || parsed->kind != key::MetaKey::Kind::kGroup) {
    return object == key::kRootObject ? "/" : "/" + key::PathOfObject(zones_.WithoutZones(object));
  }
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> names,
                        store_.NewCursor(meta_, Range::Prefix(key::GroupNames(parsed->content))));
  for (names->SeekToFirst(); names->Valid(); names->Next()) {
    const std::optional<key::MetaKey> name = key::ParseMeta(names->Key());
    if (!name || names->Value() != EncodeGroupName(parsed->id)) continue;
    return NameOf(key::Absolute(parsed->content, name->relative));
  }
  BETR_RETURN_IF_ERROR(names->status());
  return "/" + key::EscapedPathOfObject(object);
}

uint64_t CheckContext::FreshNumber(WriteBatch* batch) {
  batch->Put(meta_, key::kNumberBoundKey, EncodeNumberBound(number_bound_ + 1));
  return number_bound_++;
}

absl::StatusOr<std::optional<std::string>> CheckContext::GetMeta(std::string_view key) {
  return store_.Get(meta_, key);
}

absl::StatusOr<std::optional<std::string>> CheckContext::GetData(std::string_view key) {
  return store_.Get(data_, key);
}

absl::StatusOr<std::optional<InodeRecord>> CheckContext::GetInode(std::string_view object) {
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> value, GetMeta(object));
  if (!value) return std::nullopt;
  absl::StatusOr<EntryRecord> entry = DecodeEntry(*value, "record");
  if (!entry.ok()) {
    BadRecord(object, entry.status());
    return std::nullopt;
  }
  InodeRecord* const record = std::get_if<InodeRecord>(&*entry);
  return record != nullptr ? std::optional(std::move(*record)) : std::nullopt;
}

absl::StatusOr<std::optional<SubtreeDigest>> CheckContext::Digest(std::string_view content) {
  BETR_ASSIGN_OR_RETURN(const std::optional<ContentId> meta, store_.IdOfContent(*view_, meta_, content));
  if (!meta || !meta->shared) return std::nullopt;
  BETR_ASSIGN_OR_RETURN(const std::optional<ContentId> data, store_.IdOfContent(*view_, data_, content));
  if (!data || !data->shared) return std::nullopt;
  SubtreeDigest digest{};
  for (uint64_t i = 0; i < digest.size(); ++i) digest[i] = SeededChecksum(SeededChecksum(i, meta->id), data->id);
  return digest;
}

absl::Status CheckContext::ReadGarbage() {
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> record, GetMeta(key::kErasesKey));
  absl::StatusOr<std::vector<TreeRange>> garbage = DecodeErases(meta_, data_, record.value_or(""));
  if (garbage.ok()) garbage_ = *std::move(garbage);  // else the scan reports it
  return absl::OkStatus();
}

std::optional<Bound> CheckContext::EndOfGarbage(TreeId tree, std::string_view key) const {
  for (const TreeRange& garbage : garbage_) {
    if (garbage.tree == tree && garbage.range.Contains(key)) return garbage.range.hi;
  }
  return std::nullopt;
}

void CheckContext::EraseGarbage() {
  if (!options_.repair) return;
  for (const TreeRange& garbage : garbage_) repairs_.EraseRange(garbage.tree, garbage.range);
}

void CheckContext::Move(WriteBatch* batch, std::string_view content, std::string_view place) {
  for (const TreeId tree : {meta_, data_}) batch->RenamePrefix(tree, content, tree, place);
  moved_.insert(std::string(content));
  has_moved_names_ = true;
}

void CheckContext::MoveAttachments(WriteBatch* batch, std::string_view object, std::string_view target) {
  batch->RenamePrefix(data_, key::Attachments(object), data_, key::Attachments(target));
  moved_.insert(key::Attachments(object));
}

void CheckContext::EraseAttachments(WriteBatch* batch, std::string_view object) {
  batch->EraseRange(data_, Range::Prefix(key::Attachments(object)));
  moved_.insert(key::Attachments(object));
}

absl::Status CheckContext::Step() {
  if (repairs_.Size() >= std::min(kRepairBatch, store_.MaxBatch().bytes / 4)) BETR_RETURN_IF_ERROR(WriteRepairs());
  if (++steps_ % kStepsPerQuestion == 0 && options_.cancelled && options_.cancelled()) {
    return absl::CancelledError("check of the file system: cancelled");
  }
  return absl::OkStatus();
}

absl::Status CheckContext::WriteRepairs() {
  if (!repairs_.Empty()) BETR_RETURN_IF_ERROR(store_.Write(repairs_));
  repairs_.Clear();
  lost_and_found_.Written();
  TellWaiting();
  return absl::OkStatus();
}

bool CheckContext::HasRoomToMove() const {
  constexpr uint64_t kShare = 4;
  const SpaceStats space = store_.Space();
  return space.available.value >= space.total.value / kShare;
}

absl::StatusOr<CheckSummary> CheckFileSystem(Store* store, const CheckOptions& options,
                                             absl::FunctionRef<void(const CheckFinding&)> report) {
  BETR_ASSIGN_OR_RETURN(const TreeId meta, store->FindTree(kMetaTree));
  BETR_ASSIGN_OR_RETURN(const TreeId data, store->FindTree(kDataTree));
  CheckContext context(store, meta, data, options, report);
  const absl::Status checked = CheckAll(&context);
  if (!checked.ok()) context.GiveUpRepairs();
  BETR_RETURN_IF_ERROR(checked);
  if (options.repair) BETR_RETURN_IF_ERROR(store->Sync());
  return context.summary();
}

absl::Status RaiseNumberBound(Store* store, const std::function<bool()>& cancelled,
                              absl::FunctionRef<void(const CheckFinding&)> report) {
  BETR_ASSIGN_OR_RETURN(const TreeId meta, store->FindTree(kMetaTree));
  BETR_ASSIGN_OR_RETURN(const TreeId data, store->FindTree(kDataTree));
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, store->Get(meta, key::kNumberBoundKey));
  const absl::StatusOr<uint64_t> stored = DecodeNumberBound(bytes.value_or(""), "bound of inode numbers");
  if (!stored.ok() && !absl::IsDataLoss(stored.status())) return absl::OkStatus();
  const CheckOptions options{.cancelled = cancelled};
  CheckContext context(store, meta, data, options, [](const CheckFinding&) {});
  context.OnlyRaiseBound();
  BETR_RETURN_IF_ERROR(context.ReadGarbage());
  BETR_RETURN_IF_ERROR(CheckMeta(&context));
  const uint64_t bound = context.number_bound();
  if (stored.ok() && *stored == bound) return absl::OkStatus();
  BETR_RETURN_IF_ERROR(store->Put(meta, key::kNumberBoundKey, EncodeNumberBound(bound)));
  report({.code = CheckCode::kNumber,
          .path = key::EscapedPathOfObject(key::kNumberBoundKey),
          .what = absl::StrFormat("the bound of inode numbers is now %u, %s", bound,
                                  stored.ok() ? absl::StrFormat("not %u", *stored) : "it was lost"),
          .repairable = true,
          .repaired = true});
  return absl::OkStatus();
}

absl::StatusOr<CheckSummary> RepairFileSystem(Store* store, const std::function<bool()>& cancelled,
                                              absl::FunctionRef<void(const CheckFinding&)> report) {
  // Numbers are given before a check has seen all that are there.
  BETR_RETURN_IF_ERROR(RaiseNumberBound(store, cancelled, report));
  constexpr int kMaxPasses = 64;  // what damages make takes a few
  const CheckOptions options{.repair = true, .salvage = true, .cancelled = cancelled};
  for (int pass = 1;; ++pass) {
    BETR_ASSIGN_OR_RETURN(CheckSummary summary, CheckFileSystem(store, options, report));
    if (summary.findings == summary.errors_left) return summary;
    if (pass < kMaxPasses) continue;
    summary.errors_left = summary.findings;  // nobody has seen yet that they are mended
    return summary;
  }
}

absl::Status Rewrite(Store* store) {
  BETR_ASSIGN_OR_RETURN(const TreeId meta, store->FindTree(kMetaTree));
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> bound, store->Get(meta, key::kNumberBoundKey));
  return bound ? store->Put(meta, key::kNumberBoundKey, *bound) : absl::OkStatus();
}

}  // namespace betr::fs
