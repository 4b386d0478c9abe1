// SPDX-License-Identifier: Apache-2.0
// Inode numbers. A record stores a number that was never handed out before; what users see is
//
//     visible = stored                    where the context of the place is 0
//     visible = Mix(stored) ^ context     elsewhere
//
// The context of a directory's content is the exclusive or of the salts of all directories on its path, itself
// included. A clone gives its top directory a fresh salt, so every number below changes without being touched. Clones
// inside clones need nothing more. When an object moves into another context, what is stored changes so that what is
// visible stays the same: a file stores another number, and a directory gets a salt that cancels the difference.
//
// Both forms are one-to-one within a context. Salts are 64 well mixed bits, so pairs (stored, context) are unique
// except by chance: two visible numbers of different contexts are equal with probability 2^-64.
#pragma once

#include <cstdint>

namespace betr::fs {

using NumberContext = uint64_t;

// A permutation of the 64-bit numbers that mixes well (the finalizer of MurmurHash3), and its inverse.
uint64_t MixNumber(uint64_t number);
uint64_t UnmixNumber(uint64_t mixed);

uint64_t VisibleNumber(uint64_t stored, NumberContext context);
// The number to store in `context` so that `visible` is seen.
uint64_t StoredNumber(uint64_t visible, NumberContext context);

// The salt of a clone made with a fresh number; never 0.
uint64_t SaltOfClone(uint64_t fresh_number);

}  // namespace betr::fs
