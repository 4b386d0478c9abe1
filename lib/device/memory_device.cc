// SPDX-License-Identifier: Apache-2.0
#include "device/memory_device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/status.h"

namespace betr {
namespace {

constexpr uint64_t kPage = kBlockSize.value;

}  // namespace

MemoryDevice::MemoryDevice(Bytes size, PageMap pages, std::string name)
    : size_(size), name_(std::move(name)), pages_(std::move(pages)) {
  Check(size.value % kPage == 0, "a device consists of whole blocks");
}

absl::Status MemoryDevice::Read(Bytes offset, std::span<char> out) {
  BETR_RETURN_IF_ERROR(CheckRange(*this, "read", offset, Bytes{out.size()}));
  const ReaderLock lock(mutex_);
  CopyOut(offset.value, out);
  return absl::OkStatus();
}

void MemoryDevice::CopyOut(uint64_t offset, std::span<char> out) const {
  while (!out.empty()) {
    const size_t within = static_cast<size_t>(offset % kPage);
    const size_t size = std::min<size_t>(kPage - within, out.size());
    if (const PageMap::PagePointer page = pages_.Get(offset / kPage)) {
      std::memcpy(out.data(), page->data() + within, size);
    } else {
      std::memset(out.data(), 0, size);
    }
    offset += size;
    out = out.subspan(size);
  }
}

absl::Status MemoryDevice::Write(Bytes offset, std::string_view data) {
  BETR_RETURN_IF_ERROR(CheckBlockRange(*this, "write", offset, Bytes{data.size()}));
  const WriterLock lock(mutex_);
  for (size_t at = 0; at < data.size(); at += kPage) {
    pages_.Set((offset.value + at) / kPage, PageMap::MakePage(data.substr(at, kPage)));
  }
  return absl::OkStatus();
}

absl::Status MemoryDevice::Flush() { return absl::OkStatus(); }

absl::Status MemoryDevice::Discard(Bytes offset, Bytes length) {
  BETR_RETURN_IF_ERROR(CheckBlockRange(*this, "discard", offset, length));
  const WriterLock lock(mutex_);
  for (uint64_t at = 0; at < length.value; at += kPage) pages_.Set((offset.value + at) / kPage, nullptr);
  return absl::OkStatus();
}

absl::Status MemoryDevice::Readahead(Bytes offset, Bytes length) {
  return CheckRange(*this, "readahead", offset, length);
}

Bytes MemoryDevice::Size() const { return size_; }

std::string MemoryDevice::Name() const { return name_; }

PageMap MemoryDevice::Pages() const {
  const WriterLock lock(mutex_);
  return pages_;
}

absl::Status MemoryDevice::Patch(Bytes offset, std::string_view data) {
  BETR_RETURN_IF_ERROR(CheckRange(*this, "patch", offset, Bytes{data.size()}));
  if (data.empty()) return absl::OkStatus();
  const uint64_t first = offset.value / kPage * kPage;
  const uint64_t end = (offset.value + data.size() + kPage - 1) / kPage * kPage;
  const WriterLock lock(mutex_);
  std::string blocks(static_cast<size_t>(end - first), '\0');
  CopyOut(first, blocks);
  blocks.replace(static_cast<size_t>(offset.value - first), data.size(), data);
  for (uint64_t at = first; at < end; at += kPage) {
    pages_.Set(at / kPage, PageMap::MakePage(std::string_view(blocks).substr(at - first, kPage)));
  }
  return absl::OkStatus();
}

}  // namespace betr
