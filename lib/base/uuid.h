// SPDX-License-Identifier: Apache-2.0
// What names an image among all images: 16 bytes of RFC 4122.
#pragma once

#include <absl/status/statusor.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace betr {

struct Uuid {
  std::array<char, 16> bytes{};

  friend auto operator<=>(const Uuid&, const Uuid&) = default;
  bool IsZero() const { return *this == Uuid{}; }
  std::string_view View() const { return {bytes.data(), bytes.size()}; }
};

// A new version 4 uuid from the kernel's random numbers. May wait for them right after boot. Any thread.
Uuid RandomUuid();

// The version 4 uuid that a seed always gives, for images that must come out the same.
Uuid UuidFromSeed(uint64_t seed);

// "8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10", lower case.
std::string FormatUuid(const Uuid& uuid);

// The inverse; either case. kInvalidArgument for anything else.
absl::StatusOr<Uuid> ParseUuid(std::string_view text);

}  // namespace betr
