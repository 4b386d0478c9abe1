// SPDX-License-Identifier: Apache-2.0
#include "base/uuid.h"

#include <absl/strings/str_format.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/escape.h"
#include "base/random.h"

namespace betr {
namespace {

// Where the text has its dashes.
constexpr size_t kDashes[] = {8, 13, 18, 23};
constexpr size_t kTextSize = 36;

Uuid WithVersion4(std::string_view random) {
  Uuid uuid;
  std::memcpy(uuid.bytes.data(), random.data(), uuid.bytes.size());
  uuid.bytes[6] = static_cast<char>((uuid.bytes[6] & 0x0f) | 0x40);
  uuid.bytes[8] = static_cast<char>((uuid.bytes[8] & 0x3f) | 0x80);
  return uuid;
}

}  // namespace

Uuid RandomUuid() {
  char random[sizeof(Uuid::bytes)];
  ssize_t size = 0;
  do {
    size = getrandom(random, sizeof random, 0);
  } while (size < 0 && errno == EINTR);
  Check(size == sizeof random, "the kernel has random numbers");
  return WithVersion4({random, sizeof random});
}

Uuid UuidFromSeed(uint64_t seed) { return WithVersion4(Random(seed).String(sizeof(Uuid::bytes))); }

std::string FormatUuid(const Uuid& uuid) {
  std::string text = FormatHex(uuid.View());
  for (const size_t dash : kDashes) text.insert(dash, 1, '-');
  return text;
}

absl::StatusOr<Uuid> ParseUuid(std::string_view text) {
  const auto error = [text] {
    return absl::InvalidArgumentError(absl::StrFormat("'%s' is not a uuid", Legible(text)));
  };
  if (text.size() != kTextSize) return error();
  std::string digits;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool wants_dash = std::ranges::count(kDashes, i) > 0;
    if (wants_dash != (text[i] == '-')) return error();
    if (!wants_dash) digits += text[i];
  }
  const absl::StatusOr<std::string> bytes = ParseHex(digits);
  if (!bytes.ok()) return error();
  Uuid uuid;
  std::memcpy(uuid.bytes.data(), bytes->data(), uuid.bytes.size());
  return uuid;
}

}  // namespace betr
