// SPDX-License-Identifier: Apache-2.0
// Constants of the stored form of nodes that encoder and decoder share (node_codec.h tells the form).
#pragma once

#include <cstdint>
#include <string_view>

namespace betr::layout {

inline constexpr std::string_view kNodeMagic = "betrNODE";
inline constexpr uint16_t kNodeVersion = 1;

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

// The least bytes that an item can take: bounds a count before anything is allocated for it.
inline constexpr uint64_t kMinBlockEntrySize = 12;
inline constexpr uint64_t kMinEdgeSize = 1;
inline constexpr uint64_t kMinViewSize = 2;
inline constexpr uint64_t kMinGotoSize = 2;

}  // namespace betr::layout
