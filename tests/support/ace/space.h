// SPDX-License-Identifier: Apache-2.0
// The bounded space of workloads: every sequence of one or two operations, with every choice of what makes them
// persistent, in a fixed order. Also seeded draws from sequences of any length.
//
// Each operation is followed by nothing, by sync, or by fsync of one of the names that the sequence uses, their
// siblings or their parents. The last operation must be persistent. A write through a mapping is always followed by its
// msync. So all choices after it are the same workload, which is listed once.
#pragma once

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "support/ace/workload.h"

namespace betr::ace {

enum class Set : uint8_t {
  kAce,     // sequences of ACE's 76 operations
  kBeyond,  // sequences in which at least one operation is not ACE's
};

// The operations of a sequence.
using Sequence = std::vector<const Operation*>;

struct Totals {
  uint64_t sequences = 0;   // of operations
  uint64_t documented = 0;  // with choices, as ACE's generator counts
  uint64_t distinct = 0;    // workloads
  uint64_t points = 0;      // persistence points in them
};

// Returns all sequences, in order. Requires: length is 1 or 2.
std::vector<Sequence> Sequences(Set set, size_t length);

// Visits every workload of these operations, in order, until `visit` returns false. Returns false then.
bool ForEachWorkload(const Sequence& sequence, absl::FunctionRef<bool(const Workload&)> visit);

Totals CountSpace(Set set, size_t length);

// Draws a workload at random: first the operations, then what makes them persistent. With three or more operations,
// each shares a name with the one before it, and only used names are synced, as in ACE.
Workload DrawWorkload(Set set, size_t length, Random& random);

}  // namespace betr::ace
