// SPDX-License-Identifier: Apache-2.0
// The checksum of everything that betr stores: XXH3 with 64 bits. It detects accidents, not attackers. Each format says
// where a checksum sits and what it covers.
#pragma once

#include <cstdint>
#include <string_view>

namespace betr {

// XXH3_64bits of the bytes. Pure; several GB/s.
uint64_t Checksum(std::string_view bytes);

// The same with a seed: another seed gives another checksum. Seeding with the place or the id of a structure also
// detects bytes that are intact but belong somewhere else. Seed 0 gives Checksum(bytes).
uint64_t SeededChecksum(uint64_t seed, std::string_view bytes);

}  // namespace betr
