// SPDX-License-Identifier: Apache-2.0
// Records, and makes images. The plans are made in crash_plan.cc.
#include "device/write_history.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace betr {
namespace {

constexpr uint64_t kPage = kBlockSize.value;

// Returns `page` with some of its bytes replaced by those of `source`. Null pages are zeros.
PageMap::PagePointer Merge(const PageMap::PagePointer& page, const PageMap::PagePointer& source, size_t from,
                           size_t size) {
  PageMap::Page merged{};
  if (page != nullptr) merged = *page;
  if (source != nullptr) {
    std::memcpy(merged.data() + from, source->data() + from, size);
  } else {
    std::memset(merged.data() + from, 0, size);
  }
  return PageMap::MakePage({merged.data(), merged.size()});
}

}  // namespace

WriteHistory::WriteHistory(Bytes size, PageMap base) : size_(size), current_(std::move(base)) {
  snapshots_.push_back({0, current_});
}

void WriteHistory::AppendWrite(Bytes offset, std::string_view data) {
  if (data.empty()) return;
  Record record{{Kind::kWrite, offset, Bytes{data.size()}}, {}};
  for (size_t at = 0; at < data.size(); at += kPage) record.pages.push_back(PageMap::MakePage(data.substr(at, kPage)));
  const MutexLock lock(mutex_);
  for (size_t i = 0; i < record.pages.size(); ++i) current_.Set(offset.value / kPage + i, record.pages[i]);
  records_.push_back(std::move(record));
}

void WriteHistory::AppendDiscard(Bytes offset, Bytes length) {
  if (length == Bytes{0}) return;
  const MutexLock lock(mutex_);
  for (uint64_t at = 0; at < length.value; at += kPage) current_.Set((offset.value + at) / kPage, nullptr);
  records_.push_back({{Kind::kDiscard, offset, length}, {}});
}

void WriteHistory::AppendFlush() {
  const MutexLock lock(mutex_);
  records_.push_back({{Kind::kFlush, Bytes{0}, Bytes{0}}, {}});
  snapshots_.push_back({records_.size(), current_});
}

size_t WriteHistory::EventCount() const {
  const MutexLock lock(mutex_);
  return records_.size();
}

WriteHistory::Event WriteHistory::GetEvent(size_t number) const {
  const MutexLock lock(mutex_);
  Check(number < records_.size(), "the event was recorded");
  return records_[number].event;
}

const WriteHistory::Snapshot& WriteHistory::LastFlush(size_t events) const {
  Check(events <= records_.size(), "the events were recorded");
  return *std::prev(std::ranges::upper_bound(snapshots_, events, {}, &Snapshot::events));
}

std::vector<size_t> WriteHistory::Unflushed(size_t events) const {
  const MutexLock lock(mutex_);
  std::vector<size_t> numbers;
  for (size_t number = LastFlush(events).events; number < events; ++number) numbers.push_back(number);
  return numbers;
}

std::unique_ptr<MemoryDevice> WriteHistory::CrashImage(const CrashPlan& plan) const {
  const MutexLock lock(mutex_);
  const Snapshot& durable = LastFlush(plan.events);
  PageMap pages = durable.pages;
  for (const CrashPlan::Fragment& fragment : plan.fragments) {
    Check(fragment.event >= durable.events && fragment.event < plan.events, "only unflushed events are in doubt");
    Apply(fragment, &pages);
  }
  return std::make_unique<MemoryDevice>(size_, std::move(pages), "crash image");
}

void WriteHistory::Apply(const CrashPlan::Fragment& fragment, PageMap* pages) const {
  const Record& record = records_[fragment.event];
  const Bytes end = fragment.from + fragment.length;
  Check(end <= record.event.length, "a fragment lies within its event");
  Check(fragment.from.value % kSectorSize.value == 0 && end.value % kSectorSize.value == 0, "sectors are whole");
  for (uint64_t at = fragment.from.value; at < end.value;) {
    const uint64_t within = at % kPage;
    const uint64_t size = std::min(kPage - within, end.value - at);
    const uint64_t number = (record.event.offset.value + at) / kPage;
    const PageMap::PagePointer source = record.pages.empty() ? nullptr : record.pages[at / kPage];
    pages->Set(number, size == kPage ? source : Merge(pages->Get(number), source, within, size));
    at += size;
  }
}

}  // namespace betr
