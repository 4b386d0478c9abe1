// SPDX-License-Identifier: Apache-2.0
#include "support/torture/session.h"

#include <fmt/format.h>

#include <utility>

#include "base/escape.h"
#include "base/status.h"
#include "base/uuid.h"
#include "layout/superblock_copy.h"
#include "store/borrowed_device.h"
#include "store/impl.h"
#include "store/offline/tune_image.h"
#include "support/torture/verify.h"

namespace betr::test {
namespace {

constexpr size_t kMaxPins = 3;

}  // namespace

Session::Session(const Profile& profile, StoreOptions options, Bytes size, PageMap image, Model start)
    : profile_(profile),
      options_(std::move(options)),
      disk_(size, image),
      recorder_(disk_, std::move(image)),
      faults_(recorder_),
      timeline_(std::move(start)) {}

void Session::LoseFlushes() {
  faults_.Arm({.on = Fault::On::kFlush, .repeat = Fault::Repeat::kFromThenOn, .effect = Fault::Effect::kLost});
}

absl::Status Session::Tune() {
  BETR_ASSIGN_OR_RETURN(const layout::NewestSuperblock newest, layout::ReadToOpen(faults_));
  Random random(newest.superblock.generation.value);
  TuneOptions change;
  change.label = fmt::format("generation {}", newest.superblock.generation.value);
  change.reserve = BasisPoints{static_cast<uint32_t>(random.Uniform(200))};
  TuneOptions with_uuid = change;
  with_uuid.uuid = FormatUuid(UuidFromSeed(random.Next()));
  const absl::Status named = store::TuneImage(faults_, newest, with_uuid);
  if (!absl::IsFailedPrecondition(named)) {
    ++coverage_["uuids"];
    return named;
  }
  ++coverage_["labels"];
  return store::TuneImage(faults_, newest, change);
}

absl::Status Session::OpenStore() {
  if (profile_.tunes) BETR_RETURN_IF_ERROR(Annotate(Tune(), "tune"));
  absl::StatusOr<std::unique_ptr<Store>> store =
      Store::Open(std::make_unique<store::BorrowedDevice>(faults_), options_);
  if (!store.ok()) return Annotate(store.status(), "the store does not open");
  store_ = *std::move(store);
  return absl::OkStatus();
}

absl::StatusOr<size_t> Session::Identify(const Timeline& timeline, size_t events) {
  BETR_RETURN_IF_ERROR(CheckOpenStore(*store_));
  BETR_ASSIGN_OR_RETURN(const uint64_t digest, DigestOf(*store_, store_->Pin()));
  const std::optional<size_t> found = timeline.Find(digest, events);
  if (!found) {
    const size_t durable = timeline.DurableAt(events);
    return Finding(fmt::format("the store holds none of the states {} to {}; from the first: {}", durable,
                               timeline.Count() - 1, Difference(*store_, timeline.At(durable))));
  }
  return *found;
}

absl::Status Session::Open() {
  BETR_RETURN_IF_ERROR(OpenStore());
  return Identify(timeline_, 0).status();
}

absl::Status Session::Recover(const Timeline& before, size_t events) {
  BETR_RETURN_IF_ERROR(OpenStore());
  BETR_ASSIGN_OR_RETURN(const size_t found, Identify(before, events));
  timeline_ = Timeline(before.At(found));
  return absl::OkStatus();
}

absl::Status Session::Run(Random& random, int steps) {
  for (int i = 0; i < steps; ++i) {
    const absl::Status status = Next(random);
    if (!status.ok()) return Annotate(status, fmt::format("step {}", i));
  }
  return absl::OkStatus();
}

absl::Status Session::Next(Random& random) { return Do(NextStep(random, profile_, timeline_.Now())); }

void Session::CountCoverage() {
  if (store_ != nullptr) {
    store_->Stats().ForEach([&](std::string_view name, uint64_t count) {
      if (!name.starts_with("cache") && !name.ends_with("_ns")) coverage_[std::string(name)] += count;
    });
  }
}

void Session::Kill() {
  pins_.clear();
  CountCoverage();
  store_.reset();
}

absl::Status Session::CheckAll() {
  pins_.clear();
  BETR_RETURN_IF_ERROR(Scan());
  BETR_RETURN_IF_ERROR(CheckOpenStore(*store_));
  if (!options_.background) {
    BETR_RETURN_IF_ERROR(CheckSpace(*store_, disk_));
    BETR_RETURN_IF_ERROR(Durable(absl::OkStatus()));
  }
  return absl::OkStatus();
}

absl::Status Session::Do(Step step) {
  switch (step.kind) {
    case Step::Kind::kWrite:
      return Write(std::move(step.ops));
    case Step::Kind::kSync:
      BETR_RETURN_IF_ERROR(Sync());
      return Trim();
    case Step::Kind::kCheckpoint:
      BETR_RETURN_IF_ERROR(Durable(Annotate(store_->Checkpoint(), "checkpoint")));
      return Trim();
    case Step::Kind::kCompact:
      return Compact(step.tree);
    case Step::Kind::kGet:
      return Get(step.tree, step.key);
    case Step::Kind::kScan:
      return Scan();
    case Step::Kind::kPin:
      if (pins_.size() < kMaxPins) pins_.push_back({store_->Pin(), timeline_.Now().Digest()});
      return absl::OkStatus();
    case Step::Kind::kUnpin:
      return Unpin();
    case Step::Kind::kClose:
      return Close();
    case Step::Kind::kRestart:
      return Restart();
  }
  return absl::OkStatus();
}

absl::Status Session::Trim() {
  if (!profile_.trims) return absl::OkStatus();
  const absl::StatusOr<Bytes> trimmed = store_->Trim();
  BETR_RETURN_IF_ERROR(Annotate(trimmed.status(), "trim"));
  coverage_["trimmed_kib"] += trimmed->value / KiB(1).value;
  return absl::OkStatus();
}

absl::Status Session::Write(std::vector<Op> ops) {
  const absl::Status status = store_->impl().Write(ops);
  if (absl::IsResourceExhausted(status)) {
    ++coverage_["batches_without_space"];
    return absl::OkStatus();  // nothing of the batch has happened: the next comparison will tell
  }
  BETR_RETURN_IF_ERROR(status);
  Model after = timeline_.Now();
  for (Op& op : ops) {
    const TreeId given = op.to_tree;
    after.Apply(op);
    if (given != op.to_tree) {
      return Finding(fmt::format("a new tree got the id {}, expected {}", given.value, op.to_tree.value));
    }
  }
  timeline_.Add(std::move(after));
  return absl::OkStatus();
}

absl::Status Session::Sync() { return Durable(Annotate(store_->Sync(), "sync")); }

absl::Status Session::Durable(const absl::Status& status) {
  BETR_RETURN_IF_ERROR(status);
  timeline_.MarkDurable(history().EventCount());
  return absl::OkStatus();
}

absl::Status Session::Get(TreeId tree, const std::string& key) {
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> found, store_->Get(tree, key));
  const Contents& contents = *timeline_.Now().trees().at(tree).contents;
  const auto expected = contents.find(key);
  const bool same = expected == contents.end() ? !found.has_value() : found == expected->second;
  return same ? absl::OkStatus()
              : Finding(fmt::format("get of \"{}\" in tree {}: a wrong value, or none", Escape(key), tree.value));
}

absl::Status Session::Scan() {
  BETR_ASSIGN_OR_RETURN(const uint64_t digest, DigestOf(*store_, store_->Pin()));
  return digest == timeline_.Now().Digest() ? absl::OkStatus()
                                            : Finding("scan: " + Difference(*store_, timeline_.Now()));
}

absl::Status Session::Compact(TreeId tree) {
  if (timeline_.Now().trees().at(tree).snapshot) return absl::OkStatus();
  const absl::Status status = Annotate(store_->Compact(tree), "compact");
  return absl::IsResourceExhausted(status) ? absl::OkStatus() : status;
}

absl::Status Session::Unpin() {
  if (pins_.empty()) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(const uint64_t digest, DigestOf(*store_, pins_.front().view));
  const bool same = digest == pins_.front().digest;
  pins_.erase(pins_.begin());
  return same ? absl::OkStatus() : Finding("a pinned view has changed");
}

absl::Status Session::Close() {
  pins_.clear();
  const absl::Status closed = Durable(Annotate(store_->Close(), "close"));
  CountCoverage();
  store_.reset();
  BETR_RETURN_IF_ERROR(closed);
  BETR_RETURN_IF_ERROR(CheckStored(disk_));
  BETR_RETURN_IF_ERROR(OpenStore());
  const absl::Status found = Identify(timeline_, history().EventCount()).status();
  if (!found.ok()) store_.reset();
  return found;
}

// The program ends and starts again; the device goes on.
absl::Status Session::Restart() {
  Kill();
  const size_t events = history().EventCount();
  BETR_RETURN_IF_ERROR(Annotate(OpenStore(), "restart"));
  absl::StatusOr<size_t> found = Identify(timeline_, events);
  if (!found.ok()) {
    store_.reset();
    return Annotate(found.status(), "restart");
  }
  timeline_.Return(*found, events);
  return absl::OkStatus();
}

}  // namespace betr::test
