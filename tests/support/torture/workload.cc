// SPDX-License-Identifier: Apache-2.0
#include "support/torture/workload.h"

#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <utility>

#include "base/check.h"
#include "layout/extent.h"
#include "support/dag/upserts.h"

namespace betr::test {
namespace {

constexpr size_t kOpOverhead = 64;  // of a change in a log record, besides its strings; more than it is

constexpr size_t kMaxTrees = 6;

std::string RandomUuid(Random& random) {
  return fmt::format("{:08x}-0000-4000-8000-{:012x}", random.Next() >> 32, random.Next() >> 16);
}

std::string Prefix(Random& random, const Profile& profile) {
  return RandomKey(random, profile).substr(0, random.OneIn(12) ? 0 : 1 + random.Uniform(3));
}

Op MakeOp(OpKind kind, TreeId tree, std::string key = {}, std::string value = {}) {
  Op op;
  op.kind = kind;
  op.tree = tree;
  op.key = std::move(key);
  op.value = std::move(value);
  return op;
}

Op EraseOf(TreeId tree, Range range) {
  Op op = MakeOp(OpKind::kEraseRange, tree);
  op.range = std::move(range);
  return op;
}

// Draws the changes of one batch, each against the model as the changes before left it.
class BatchMaker {
 public:
  BatchMaker(Random& random, const Profile& profile, Model model)
      : random_(random), profile_(profile), model_(std::move(model)) {}

  std::vector<Op> Make() {
    if (WritableCount() < 2) {
      Add(MakeOp(OpKind::kCreateTree, {}, NewName(), "none"));
    } else if (random_.OneIn(14)) {
      AddTreeChange();
    }
    for (uint64_t n = (ops_.empty() ? 1 : 0) + random_.Skewed(profile_.batch_bits); n > 0 && bytes_ < BytesLimit();
         --n) {
      AddChange();
    }
    return std::move(ops_);
  }

 private:
  void Add(Op op) {
    Op expected = op;
    model_.Apply(expected);
    bytes_ += op.key.size() + op.value.size() + kOpOverhead;
    ops_.push_back(std::move(op));
  }

  // A batch has at most a quarter of the log.
  size_t BytesLimit() const { return profile_.format.log_size.value / 4 - profile_.large_bytes - 4 * kOpOverhead; }

  std::string NewName() { return fmt::format("tree {}", model_.next_tree().value); }

  size_t WritableCount() const {
    size_t count = 0;
    for (const auto& [id, tree] : model_.trees()) count += tree.snapshot ? 0 : 1;
    return count;
  }

  TreeId AnyTree() { return std::next(model_.trees().begin(), static_cast<ptrdiff_t>(Index(model_.trees())))->first; }
  template <class Items>
  uint64_t Index(const Items& items) {
    return random_.Uniform(items.size());
  }

  TreeId WritableTree() {
    for (;;) {
      const TreeId tree = AnyTree();
      if (!model_.trees().at(tree).snapshot) return tree;
    }
  }

  void AddTreeChange() {
    const uint64_t dice = random_.Uniform(10);
    if (dice < 5 && model_.trees().size() < kMaxTrees) {
      Add(MakeOp(OpKind::kSnapshot, WritableTree(), NewName()));
    } else if (dice < 7 && model_.trees().size() < kMaxTrees) {
      Add(MakeOp(OpKind::kCreateTree, {}, NewName(), random_.OneIn(2) ? "lz4" : "none"));
    } else if (const TreeId tree = AnyTree(); model_.trees().at(tree).snapshot || WritableCount() > 2) {
      Add(MakeOp(OpKind::kDropTree, tree));
    }
  }

  size_t Entries() const {
    size_t entries = 0;
    for (const auto& [id, tree] : model_.trees()) entries += tree.contents->size();
    return entries;
  }

  void AddChange() {
    const TreeId tree = WritableTree();
    const uint64_t dice = random_.Uniform(100);
    if (Entries() > profile_.entries) return Add(EraseOf(tree, Range::Prefix(Prefix(random_, profile_))));
    if (dice < profile_.structural_percent) return AddStructural(tree);
    std::string key = RandomKey(random_, profile_);
    if (dice < 72) {
      Add(MakeOp(OpKind::kPut, tree, std::move(key), Value()));
    } else if (dice < 82) {
      Add(MakeOp(OpKind::kErase, tree, std::move(key)));
    } else if (dice < 92) {
      Op op = MakeOp(OpKind::kUpsert, tree, std::move(key), std::string(1 + random_.Uniform(8), '+'));
      op.function = AppendFunction::kNumber;
      Add(std::move(op));
    } else {
      AddEraseRange(tree);
    }
  }

  void AddEraseRange(TreeId tree) {
    Range range = Range::Prefix(Prefix(random_, profile_));
    if (random_.OneIn(3)) range.hi = Bound::At(RandomKey(random_, profile_));
    if (!range.Empty()) Add(EraseOf(tree, std::move(range)));
  }

  void AddStructural(TreeId to_tree) {
    const bool rename = random_.OneIn(2);
    const TreeId from_tree = rename ? WritableTree() : AnyTree();
    std::string from = Prefix(random_, profile_);
    std::string to = Prefix(random_, profile_);
    if (rename && from_tree == to_tree && to.starts_with(from)) return;
    Op op = MakeOp(rename ? OpKind::kRenamePrefix : OpKind::kClonePrefix, from_tree, std::move(from), std::move(to));
    op.to_tree = to_tree;
    Add(std::move(op));
  }

  std::string Value() {
    const bool large = random_.OneIn(profile_.large_one_in);
    std::string value(random_.Uniform(large ? profile_.large_bytes : profile_.value_bytes), '\0');
    const uint64_t period = 1 + random_.Uniform(64);  // compresses, more or less
    const uint64_t start = random_.Next();
    for (size_t i = 0; i < value.size(); ++i) value[i] = static_cast<char>(start + (i % period) * 37);
    return value;
  }

  Random& random_;
  const Profile& profile_;
  Model model_;
  std::vector<Op> ops_;
  size_t bytes_ = 0;
};

}  // namespace

Profile RandomProfile(Random& random, bool tight) {
  Profile profile;
  FormatOptions& format = profile.format;
  format.node_size = Bytes{512U << random.Skewed(2)};
  format.basement_size = Bytes{64U << random.Uniform(3)};
  format.fanout = static_cast<uint32_t>(4 + random.Skewed(3));
  format.log_size = KiB(64 + 32 * random.Uniform(3));
  const Bytes space = tight ? KiB(384 + 32 * random.Uniform(4)) : KiB(2048 + 512 * random.Uniform(5));
  profile.device_size = layout::kUnit * layout::UnitsFor(format.log_size + space);
  format.compression = random.OneIn(3) ? "lz4" : random.OneIn(3) ? "zstd" : "none";
  format.uuid = RandomUuid(random);
  profile.entries = 100U << random.Uniform(4);
  profile.batch_bits = static_cast<unsigned>(3 + random.Uniform(4));
  profile.alphabet = 2 + random.Uniform(4);
  profile.key_letters = 3 + random.Uniform(6);
  profile.value_bytes = 8 << random.Uniform(5);
  profile.large_one_in = 4 + random.Uniform(30);
  profile.large_bytes = 512 << random.Uniform(4);
  profile.sync_percent = random.OneIn(4) ? 40 : 4 + random.Uniform(12);
  profile.structural_percent = random.OneIn(4) ? 2 : 10 + random.Uniform(20);
  return profile;
}

StoreOptions RandomOptions(Random& random, bool background) {
  StoreOptions options;
  options.cache_size = KiB(16 << random.Uniform(6));  // the smaller, the more is written between checkpoints
  options.background = background;
  options.checkpoint_period = std::chrono::seconds(0);
  options.logging = random.OneIn(6) ? Logging::kBulk : Logging::kFull;
  options.settle_time = std::chrono::milliseconds(random.OneIn(4) && !background ? 3'600'000 : 0);
  Check(options.functions.Add(std::make_shared<AppendFunction>()).ok(), "the registry is empty");
  Random copy = random;  // so that old seeds go on to mean what they did
  if (copy.OneIn(2)) options.bulk_change = Bytes{1};
  return options;
}

std::string RandomKey(Random& random, const Profile& profile) {
  std::string key;
  for (uint64_t n = random.Uniform(profile.key_letters + 1); n > 0; --n) {
    key.push_back("a\xff\0bc"[random.Uniform(profile.alphabet)]);
  }
  return key;
}

Step NextStep(Random& random, const Profile& profile, const Model& model) {
  Step step;
  const uint64_t dice = random.Uniform(100);
  if (dice < profile.sync_percent) {
    step.kind = Step::Kind::kSync;
  } else if (dice < profile.sync_percent + 14 && !model.trees().empty()) {
    constexpr std::pair<uint64_t, Step::Kind> kRare[] = {
        {3, Step::Kind::kCheckpoint}, {4, Step::Kind::kCompact}, {7, Step::Kind::kGet},   {8, Step::Kind::kScan},
        {10, Step::Kind::kPin},       {12, Step::Kind::kUnpin},  {13, Step::Kind::kClose}};
    const uint64_t rare = dice - profile.sync_percent;
    step.kind = Step::Kind::kRestart;
    for (const auto& [limit, kind] : kRare) {
      if (rare < limit) {
        step.kind = kind;
        break;
      }
    }
    const auto index = static_cast<ptrdiff_t>(random.Uniform(model.trees().size()));
    step.tree = std::next(model.trees().begin(), index)->first;
    step.key = RandomKey(random, profile);
  } else {
    step.ops = BatchMaker(random, profile, model).Make();
  }
  return step;
}

}  // namespace betr::test
