// SPDX-License-Identifier: Apache-2.0
// A write batch as the payload of one log record. It holds prefixes and keys, never node ids. So replaying may build
// another tree than the first time, with the same contents.
//
// On disk (varint and bytes = varint length + bytes as in base/coding.h):
//   1       format version, 1
//   varint  number of changes, at most kMaxBatchOps
//   each change:
//     1       kind (OpKind)
//     1       flags, 0. 1 is reserved: the value of a put is then not here, but where an extent says
//     varint  tree
//     put                         bytes key, bytes value
//     erase                       bytes key
//     upsert                      varint function, bytes key, bytes delta
//     erase_range                 bound, bound: { 1 side: 0 at, 1 past; bytes }
//     clone_prefix, rename_prefix bytes source prefix, varint destination tree, bytes destination prefix
//     create_tree                 bytes name, varint new tree, bytes compression. The tree before it is 0
//     snapshot                    bytes name, varint new tree
//     drop_tree                   nothing
//
// A batch has exactly one form. Everything here is pure; any thread.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "betr/write_batch.h"

namespace betr::store {

inline constexpr uint64_t kMaxBatchOps = uint64_t{1} << 20;
// The most that a caller may put into one batch, if the log takes as much (Store::MaxBatch). A batch goes into a root
// as a whole, and a root must be storable. Logs may have larger batches. The last figure counts bounds: what of ranges
// is in a root's header (layout/node_codec.h). The bounds of a prefix are twice the prefix, and a rename erases its
// source.
inline constexpr BatchSize kMaxBatch{MiB(64), kMaxBatchOps, uint64_t{1} << 16, MiB(8)};
inline constexpr Bytes kMaxCompressionNameSize{32};

// "put", "erase", ...; "unknown" for a value outside the enum.
std::string_view OpKindName(OpKind kind);

// Checks the changes of a batch: kinds, sizes and numbers are within the limits, ranges are not empty, and nothing is
// renamed into itself or below itself. Errors: kInvalidArgument naming the change and its place in the batch.
absl::Status ValidateOps(std::span<const Op> ops);
// Checks that `size` is not beyond `most`. Errors: kInvalidArgument saying what there is too much of.
absl::Status CheckSize(const BatchSize& size, const BatchSize& most);

// The bytes that one change takes in an encoded batch.
Bytes EncodedSize(const Op& op);
BatchSize SizeOf(std::span<const Op> ops);

// Requires: ValidateOps(ops) is ok.
std::string EncodeBatch(std::span<const Op> ops);

// The inverse. The result passes ValidateOps. Errors: kDataLoss for bytes that are no batch; kUnimplemented for a
// version or a flag that this build does not know.
absl::StatusOr<std::vector<Op>> DecodeBatch(std::string_view bytes);

}  // namespace betr::store
