// SPDX-License-Identifier: Apache-2.0
#include "base/size_text.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_format.h>

#include <bit>
#include <optional>

namespace betr {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr std::string_view kUnits = "BKMGTPE";

// Further digits of a fraction are dropped. A number of 18 digits, shifted by the largest unit, still fits into 128
// bits.
constexpr size_t kMaxFractionDigits = 18;

constexpr Uint128 kTooLarge = static_cast<Uint128>(1) << 64;

// Takes the digits off the front of `*text`, and returns them.
std::string_view TakeDigits(std::string_view* text) {
  size_t size = 0;
  while (size < text->size() && absl::ascii_isdigit(static_cast<unsigned char>((*text)[size]))) ++size;
  const std::string_view digits = text->substr(0, size);
  text->remove_prefix(size);
  return digits;
}

// The exponent of the power of two that a unit stands for.
std::optional<unsigned> ParseUnit(std::string_view unit) {
  if (unit.empty()) return 0;
  const size_t index = kUnits.find(absl::ascii_toupper(static_cast<unsigned char>(unit[0])));
  if (index == std::string_view::npos) return std::nullopt;
  const bool is_long = unit.size() == 3 && (unit[1] == 'i' || unit[1] == 'I') && (unit[2] == 'B' || unit[2] == 'b');
  if (unit.size() != 1 && !(is_long && index > 0)) return std::nullopt;
  return static_cast<unsigned>(index) * 10;
}

// The number 0.digits times 2^shift, rounded down.
uint64_t FractionOf(std::string_view digits, unsigned shift) {
  Uint128 numerator = 0;
  Uint128 denominator = 1;
  for (const char digit : digits.substr(0, kMaxFractionDigits)) {
    numerator = numerator * 10 + static_cast<unsigned>(digit - '0');
    denominator *= 10;
  }
  return static_cast<uint64_t>((numerator << shift) / denominator);
}

// Whether the size, rounded to two decimals, would show as 1024 of the unit.
bool RoundsToNextUnit(Bytes size, unsigned unit) {
  const uint64_t next = uint64_t{1} << (unit * 10) << 10;  // 0 for the largest unit, of which no size has 1024
  return next - size.value < (next >> 10) / 200;
}

}  // namespace

absl::StatusOr<Bytes> ParseSize(std::string_view text) {
  const auto error = [text](const char* why) {
    return absl::InvalidArgumentError(absl::StrFormat("size '%s': %s", text, why));
  };
  std::string_view rest = text;
  const std::string_view whole = TakeDigits(&rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = TakeDigits(&rest);
    if (fraction.empty()) return error("digits expected after the point");
  }
  if (whole.empty()) return error("a number such as 4096, 64K or 1.5G expected");
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  const std::optional<unsigned> shift = ParseUnit(rest);
  if (!shift) return error("the unit is not one of B, K, M, G, T, P, E, KiB, MiB, ...");
  Uint128 value = 0;
  for (const char digit : whole) {
    value = value * 10 + static_cast<unsigned>(digit - '0');
    if (value >= kTooLarge >> *shift) return error("too large");
  }
  return Bytes{(static_cast<uint64_t>(value) << *shift) + FractionOf(fraction, *shift)};
}

std::string FormatSize(Bytes size) {
  const unsigned unit = size.value == 0 ? 0 : (static_cast<unsigned>(std::bit_width(size.value)) - 1) / 10;
  if (unit == 0) return absl::StrFormat("%u B", size.value);
  if (RoundsToNextUnit(size, unit)) return absl::StrFormat("1 %ciB", kUnits[unit + 1]);
  const double scaled = static_cast<double>(size.value) / static_cast<double>(uint64_t{1} << (unit * 10));
  std::string number = absl::StrFormat("%.2f", scaled);
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return absl::StrFormat("%s %ciB", number, kUnits[unit]);
}

}  // namespace betr
