// SPDX-License-Identifier: Apache-2.0
#include "base/decoder.h"

#include <absl/strings/str_format.h>

#include <algorithm>

#include "base/check.h"

namespace betr {

uint64_t Decoder::LongVarint64() {
  uint64_t value = 0;
  const size_t limit = std::min(remaining(), kMaxVarintSize);
  for (size_t i = 0; i < limit; ++i) {
    const uint64_t byte = static_cast<uint8_t>(at_[i]);
    value |= (byte & 0x7f) << (7 * i);
    if (byte >= 0x80) continue;
    if (i + 1 != VarintSize(value) || (i + 1 == kMaxVarintSize && byte > 1)) {
      Fail("a varint is too large or not in its shortest form");
      return 0;
    }
    at_ += i + 1;
    return value;
  }
  Fail(limit == kMaxVarintSize ? "a varint has more than 10 bytes" : "a varint is cut off by the end");
  return 0;
}

uint64_t Decoder::Varint64AtMost(uint64_t max) {
  const char* const start = at_;
  const uint64_t value = Varint64();
  if (value <= max) return value;
  at_ = start;
  Fail(absl::StrFormat("%u is larger than the limit %u", value, max));
  return 0;
}

size_t Decoder::Count(uint64_t max, uint64_t min_item_size) {
  Check(min_item_size > 0, "an item has at least one byte");
  const char* const start = at_;
  const uint64_t count = Varint64AtMost(max);
  if (count <= remaining() / min_item_size) return static_cast<size_t>(count);
  const size_t left = remaining();
  at_ = start;
  Fail(absl::StrFormat("%u items of at least %u bytes cannot be in %u bytes", count, min_item_size, left));
  return 0;
}

void Decoder::Zeros(uint64_t size) {
  const std::string_view bytes = Raw(size);
  // The bytes are all zero if the first one is and they equal themselves shifted by one. memcmp is much faster than a
  // search.
  if (!bytes.empty() && bytes.front() == 0 && bytes.substr(1) == bytes.substr(0, bytes.size() - 1)) return;
  const size_t bad = bytes.find_first_not_of('\0');
  if (bad == std::string_view::npos) return;
  at_ = bytes.data() + bad;
  Fail("a reserved byte is not zero");
}

void Decoder::Fail(std::string_view why) {
  if (!ok()) return;
  error_ = absl::StrFormat("byte %u: %s", position(), why);
  end_ = at_;
}

void Decoder::FailShort(uint64_t wanted) { Fail(absl::StrFormat("%u bytes expected, %u left", wanted, remaining())); }

absl::Status Decoder::status(std::string_view what) const {
  return ok() ? absl::OkStatus() : absl::DataLossError(absl::StrFormat("%s: %s", what, error_));
}

absl::Status Decoder::Finish(std::string_view what) const {
  if (!ok() || remaining() == 0) return status(what);
  return absl::DataLossError(absl::StrFormat("%s: byte %u: %u bytes too many", what, position(), remaining()));
}

}  // namespace betr
