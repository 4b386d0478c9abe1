// SPDX-License-Identifier: Apache-2.0
// Batches as bytes, and what a batch may hold.
#include "store/batch_codec.h"

#include <catch2/catch.hpp>

#include "base/coding.h"
#include "base/escape.h"
#include "base/random.h"
#include "support/seed.h"

namespace betr::store {
namespace {

bool SameOp(const Op& a, const Op& b) {
  return a.kind == b.kind && a.tree == b.tree && a.to_tree == b.to_tree && a.function == b.function && a.key == b.key &&
         a.value == b.value && a.range == b.range;
}

bool SameOps(std::span<const Op> a, std::span<const Op> b) { return std::ranges::equal(a, b, SameOp); }

Op MakeOp(OpKind kind, uint64_t tree, std::string key = "", std::string value = "", uint64_t to_tree = 0) {
  Op op;
  op.kind = kind;
  op.tree = TreeId{tree};
  op.to_tree = TreeId{to_tree};
  op.key = std::move(key);
  op.value = std::move(value);
  return op;
}

Op MakeRange(Bound lo, Bound hi) {
  Op op = MakeOp(OpKind::kEraseRange, 1);
  op.range = {std::move(lo), std::move(hi)};
  return op;
}

Op MakeUpsert(uint16_t function, std::string key, std::string delta) {
  Op op = MakeOp(OpKind::kUpsert, 1, std::move(key), std::move(delta));
  op.function = function;
  return op;
}

Op RandomOp(Random& random) {
  const auto string = [&](unsigned bits) { return random.String(static_cast<size_t>(random.Skewed(bits))); };
  const uint64_t tree = 1 + random.Skewed(60);
  switch (1 + random.Uniform(9)) {
    case 1:
      return MakeOp(OpKind::kPut, tree, string(12), string(16));
    case 2:
      return MakeOp(OpKind::kErase, tree, string(12));
    case 3: {
      Op op = MakeUpsert(static_cast<uint16_t>(random.Between(1, 65535)), string(12), string(12));
      op.tree = TreeId{tree};
      return op;
    }
    case 4: {
      const Bound a{string(8), random.OneIn(2)};
      Bound b{string(8), random.OneIn(2)};
      if (a == b) b = Bound{a.bytes, !a.past};
      Op op = a < b ? MakeRange(a, b) : MakeRange(b, a);
      op.tree = TreeId{tree};
      return op;
    }
    case 5:
      return MakeOp(OpKind::kClonePrefix, tree, string(10), string(10), tree);
    case 6:
      return MakeOp(OpKind::kRenamePrefix, tree, "a" + string(10), "b" + string(10), tree);
    case 7:
      return MakeOp(OpKind::kCreateTree, 0, "n" + string(7), "zstd:9", tree);
    case 8:
      return MakeOp(OpKind::kSnapshot, tree, "n" + string(7), "", tree + 1);
    default:
      return MakeOp(OpKind::kDropTree, tree);
  }
}

TEST_CASE("a batch comes back as it was", "[batch]") {
  Random random(TestSeed());
  for (int round = 0; round < 500 * TestScale(); ++round) {
    std::vector<Op> ops(static_cast<size_t>(random.Skewed(6)));
    for (Op& op : ops) op = RandomOp(random);
    REQUIRE(ValidateOps(ops).ok());
    const std::string bytes = EncodeBatch(ops);
    const auto decoded = DecodeBatch(bytes);
    INFO(decoded.status());
    REQUIRE(decoded.ok());
    REQUIRE(SameOps(ops, *decoded));
    Bytes size{1 + VarintSize(ops.size())};
    for (const Op& op : ops) size += EncodedSize(op);
    REQUIRE(bytes.size() == size.value);
  }
}

TEST_CASE("a batch looks as documented", "[batch]") {
  WriteBatch batch;
  batch.Put(TreeId{1}, "k", "value");
  batch.Erase(TreeId{1}, "");
  batch.Upsert(TreeId{1}, "k", 300, "d");
  batch.EraseRange(TreeId{2}, {Bound::At("a"), Bound::Past("b")});
  batch.ClonePrefix(TreeId{1}, "s", TreeId{2}, "d");
  batch.RenamePrefix(TreeId{1}, "s", TreeId{1}, "d");
  std::vector<Op> ops = batch.ops();
  ops.push_back(MakeOp(OpKind::kCreateTree, 0, "t", "lz4", 3));
  ops.push_back(MakeOp(OpKind::kSnapshot, 3, "u", "", 4));
  ops.push_back(MakeOp(OpKind::kDropTree, 3));
  CHECK(FormatHex(EncodeBatch(ops)) ==
        "0109"
        "010001016b0576616c7565"
        "02000100"
        "030001ac02016b0164"
        "0400020001610101"
        "62"
        "0500010173020164"
        "0600010173010164"
        "0700000174"
        "03036c7a34"
        "080003017504"
        "090003");
}

TEST_CASE("the size of a batch is what it takes in the log", "[batch]") {
  Random random(TestSeed() + 1);
  WriteBatch batch;
  CHECK(batch.Size() == Bytes{0});
  for (int i = 0; i < 100; ++i) {
    batch.Put(TreeId{1}, random.String(20), random.String(static_cast<size_t>(random.Skewed(12))));
    batch.Upsert(TreeId{200}, random.String(30), 1, "x");
    batch.EraseRange(TreeId{1}, Range::Prefix(random.String(3)));
  }
  CHECK(EncodeBatch(batch.ops()).size() == batch.Size().value + 1 + VarintSize(batch.ops().size()));
  CHECK(EncodeBatch(batch.ops()).size() == batch.Sizes().bytes.value);
  CHECK(ValidateOps(batch.ops()).ok());
  for (uint64_t ranges = 100; ranges < kMaxBatch.ranges; ++ranges) batch.EraseRange(TreeId{1}, Range::Prefix("a"));
  CHECK(CheckSize(batch.Sizes(), kMaxBatch).ok());
  batch.ClonePrefix(TreeId{1}, "a", TreeId{1}, "b");
  CHECK(CheckSize(batch.Sizes(), kMaxBatch).code() == absl::StatusCode::kInvalidArgument);
  batch.Clear();
  CHECK(batch.Empty());
  CHECK(batch.Size() == Bytes{0});
}

TEST_CASE("erasing an empty range is no change", "[batch]") {
  WriteBatch batch;
  batch.EraseRange(TreeId{1}, {Bound::At("b"), Bound::At("b")});
  batch.EraseRange(TreeId{1}, {Bound::Past("b"), Bound::At("b")});
  CHECK(batch.Empty());
}

std::string WhyInvalid(Op op) {
  const Op ops[] = {MakeOp(OpKind::kPut, 1, "fine"), std::move(op)};
  const absl::Status status = ValidateOps(ops);
  if (status.ok()) return "";
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST_CASE("what a batch may hold", "[batch]") {
  const std::string key(kMaxKeySize.value, 'k');
  const std::string value(kMaxValueSize.value, 'v');
  CHECK(WhyInvalid(MakeOp(OpKind::kPut, 1, key, value)) == "");
  CHECK(WhyInvalid(MakeOp(OpKind::kPut, 1, key + "k", value)) ==
        "change 1 (put): the key has 16385 bytes, at most 16384 are allowed");
  CHECK(WhyInvalid(MakeOp(OpKind::kPut, 1, key, value + "v")) ==
        "change 1 (put): the value has 1048577 bytes, at most 1048576 are allowed");
  CHECK(WhyInvalid(MakeOp(OpKind::kPut, 0, "k")) == "change 1 (put): the tree is 0, which names none");
  CHECK(WhyInvalid(MakeOp(OpKind::kErase, 1, key + "k")) != "");
  CHECK(WhyInvalid(MakeUpsert(1, key, value)) == "");
  CHECK(WhyInvalid(MakeUpsert(0, "k", "v")) == "change 1 (upsert): the function is 0, which names none");
  CHECK(WhyInvalid(MakeUpsert(1, "k", value + "v")) != "");
  CHECK(WhyInvalid(MakeRange(Bound::At(""), Bound::Past(key))) == "");
  CHECK(WhyInvalid(MakeRange(Bound::At(""), Bound::Past(key + "kk"))) != "");
  CHECK(WhyInvalid(MakeRange(Bound::At(key + "kk"), Bound::Past("l"))) != "");
  CHECK(WhyInvalid(MakeRange(Bound::At(key), Bound::At(key + "k"))) == "");
  CHECK(WhyInvalid(MakeRange(Bound::At("b"), Bound::At("b"))) == "change 1 (erase_range): the range is empty");
  CHECK(WhyInvalid(MakeOp(OpKind::kClonePrefix, 1, "a", "ab", 1)) == "");
  CHECK(WhyInvalid(MakeOp(OpKind::kClonePrefix, 1, "a", key + "k", 1)) != "");
  CHECK(WhyInvalid(MakeOp(OpKind::kClonePrefix, 1, "a", "b")) ==
        "change 1 (clone_prefix): the destination tree is 0, which names none");
  CHECK(WhyInvalid(MakeOp(OpKind::kRenamePrefix, 1, "ab", "a", 1)) == "");
  CHECK(WhyInvalid(MakeOp(OpKind::kRenamePrefix, 1, "a", "ab", 2)) == "");
  CHECK(WhyInvalid(MakeOp(OpKind::kRenamePrefix, 1, "a", "ab", 1)) ==
        "change 1 (rename_prefix): the destination of the rename is its source or lies below it");
  CHECK(WhyInvalid(MakeOp(OpKind::kRenamePrefix, 1, "a", "a", 1)) != "");
  CHECK(WhyInvalid(MakeOp(OpKind::kCreateTree, 0, std::string(255, 'n'), std::string(32, 'c'), 1)) == "");
  CHECK(WhyInvalid(MakeOp(OpKind::kCreateTree, 1, "n", "", 1)) != "");
  CHECK(WhyInvalid(MakeOp(OpKind::kCreateTree, 0, "n", "", 0)) != "");
  CHECK(WhyInvalid(MakeOp(OpKind::kCreateTree, 0, "", "", 1)) != "");
  CHECK(WhyInvalid(MakeOp(OpKind::kCreateTree, 0, "n", std::string(33, 'c'), 1)) != "");
  CHECK(WhyInvalid(MakeOp(OpKind::kSnapshot, 1, std::string(256, 'n'), "", 2)) != "");
  CHECK(WhyInvalid(MakeOp(OpKind::kDropTree, 0)) != "");
  CHECK(WhyInvalid(MakeOp(static_cast<OpKind>(77), 1)) == "change 1 (unknown): 77 is no kind of change");
}

TEST_CASE("a batch has a limit of changes", "[batch]") {
  std::vector<Op> ops(kMaxBatchOps, MakeOp(OpKind::kDropTree, 1));
  CHECK(ValidateOps(ops).ok());
  ops.push_back(ops.back());
  CHECK(ValidateOps(ops).code() == absl::StatusCode::kInvalidArgument);
  CHECK(DecodeBatch(EncodeBatch(ops)).status().code() == absl::StatusCode::kDataLoss);
}

absl::StatusCode CodeOf(std::string_view hex) { return DecodeBatch(ParseHex(hex).value()).status().code(); }

TEST_CASE("bytes that are no batch are refused", "[batch]") {
  constexpr auto kDamage = absl::StatusCode::kDataLoss;
  CHECK(CodeOf("0100") == absl::StatusCode::kOk);
  CHECK(CodeOf("") == kDamage);
  CHECK(CodeOf("01") == kDamage);
  CHECK(CodeOf("010000") == kDamage);              // a byte too many
  CHECK(CodeOf("01ffffffff0f090001") == kDamage);  // too many changes
  CHECK(CodeOf("0102090001") == kDamage);          // more changes than there are
  CHECK(CodeOf("01014d0001") == kDamage);          // an unknown kind
  CHECK(CodeOf("0101090000") == kDamage);          // tree 0
  CHECK(CodeOf("01010200818000" /* tree in a long form */ "0161") == kDamage);
  CHECK(CodeOf("0101040001020161000162") == kDamage);  // a bound with a third side
  CHECK(CodeOf("0101040001000162000161") == kDamage);  // an empty range
  CHECK(CodeOf("0101030001"
               "808004"
               "016b0164") == kDamage);  // function 65536
  CHECK(CodeOf("010101000101"
               "6b"
               "818040") == kDamage);                                               // a value of 1 MiB and a byte
  CHECK(CodeOf("0200") == absl::StatusCode::kUnimplemented);                        // another version
  CHECK(CodeOf("0101010101016b0576616c7565") == absl::StatusCode::kUnimplemented);  // a value elsewhere
  CHECK(CodeOf("0101028001016b") == absl::StatusCode::kUnimplemented);              // an unknown flag
}

TEST_CASE("whatever the bytes, decoding ends with the batch that they are, or an error", "[batch]") {
  Random random(TestSeed() + 2);
  const int rounds = static_cast<int>(20000 * TestScale());
  int decoded_count = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Op> ops(static_cast<size_t>(1 + random.Uniform(4)));
    for (Op& op : ops) op = RandomOp(random);
    std::string bytes = EncodeBatch(ops);
    for (uint64_t changes = 1 + random.Uniform(3); changes > 0 && !bytes.empty(); --changes) {
      const auto at = static_cast<size_t>(random.Uniform(std::min<size_t>(bytes.size(), 40)));
      bytes[at] = static_cast<char>(random.Next());
      if (random.OneIn(4)) bytes.resize(static_cast<size_t>(random.Uniform(bytes.size() + 1)));
    }
    const auto decoded = DecodeBatch(bytes);
    if (!decoded.ok()) continue;
    ++decoded_count;
    REQUIRE(ValidateOps(*decoded).ok());
    REQUIRE(EncodeBatch(*decoded) == bytes);
  }
  CHECK(decoded_count > 0);
}

}  // namespace
}  // namespace betr::store
