// SPDX-License-Identifier: Apache-2.0
// Constants of the stored form of nodes that encoder and decoder share (node_codec.h describes the form).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace betr::layout {

inline constexpr std::string_view kNodeMagic = "betrNODE";
inline constexpr uint16_t kNodeVersion = 2;
inline constexpr uint16_t kUncountedNodeVersion = 1;  // says nothing of entries and erases
inline bool IsNodeVersion(uint16_t version) { return version == kNodeVersion || version == kUncountedNodeVersion; }

// Flags of an edge: which of its parts follow.
inline constexpr uint8_t kEdgeTarget = 1;
inline constexpr uint8_t kEdgeTranslation = 2;
inline constexpr uint8_t kEdgeRuns = 4;
inline constexpr uint8_t kEdgeGotos = 8;

inline constexpr uint8_t kGotoTarget = 1;
inline constexpr uint8_t kGotoTranslation = 2;
inline constexpr uint8_t kGotoLo = 4;
inline constexpr uint8_t kGotoHi = 8;

inline constexpr uint8_t kViewLo = 1;
inline constexpr uint8_t kViewHi = 2;
inline constexpr uint8_t kViewAffix = 4;

// The fewest bytes that an item can take. They bound a count before anything is allocated for it.
inline constexpr uint64_t kMinBlockEntrySize = 12;
inline constexpr uint64_t kMinEdgeSize = 1;
inline constexpr uint64_t kMinViewSize = 2;
inline constexpr uint64_t kMinGotoSize = 2;

// The most memory, in bytes, for bounds that are not stored but follow from others. What an edge has may follow for
// both ends of each of its runs; an edge usually has up to 8 (dag/shape.h).
inline constexpr uint64_t kUsualRuns = 8;
inline uint64_t MaxImpliedSize(uint64_t body_size) { return MiB(256).value + body_size * 2 * kUsualRuns; }

}  // namespace betr::layout
