// SPDX-License-Identifier: Apache-2.0
// A store that many threads use at once. Each batch appends its number to the value of one key. So what a view shows of
// that key are the batches that it has, in the order in which they took effect, and what else it shows must be what
// these batches make.
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"
#include "betr/store.h"
#include "support/dag/upserts.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

using Entries = std::map<std::string, std::string>;

constexpr size_t kWriters = 4;
constexpr size_t kReaders = 2;
constexpr char kOrderKey[] = "order";

struct Shape {
  MemoryStore::Sizes sizes;
  Bytes cache;
};
const Shape kShapes[] = {
    {{.device = MiB(64), .node = Bytes{512}, .basement = Bytes{128}, .log = KiB(128), .fanout = 6}, KiB(64)},
    {{.device = MiB(256), .node = KiB(64), .basement = KiB(4), .log = MiB(4)}, MiB(16)},
};

StoreOptions OptionsFor(const Shape& shape) {
  StoreOptions options;
  options.cache_size = shape.cache;
  Must(options.functions.Add(std::make_shared<AppendFunction>(true)));
  return options;
}

void ApplyTo(Entries& entries, const Op& op) {
  const auto erase = [&](const Range& range) {
    std::erase_if(entries, [&](const auto& entry) { return range.Contains(entry.first); });
  };
  switch (op.kind) {
    case OpKind::kPut:
      entries[op.key] = op.value;
      return;
    case OpKind::kErase:
      entries.erase(op.key);
      return;
    case OpKind::kEraseRange:
      return erase(op.range);
    case OpKind::kClonePrefix:
    case OpKind::kRenamePrefix: {
      Entries copied;
      for (const auto& [key, value] : entries) {
        if (key.starts_with(op.key)) copied[op.value + key.substr(op.key.size())] = value;
      }
      if (op.kind == OpKind::kRenamePrefix) erase(Range::Prefix(op.key));
      erase(Range::Prefix(op.value));
      return entries.merge(copied);
    }
    default:
      return;  // the order is not among the entries
  }
}

// What one thread writes.
struct Writer {
  std::vector<WriteBatch> batches;
  std::atomic<size_t> returned = 0;  // ok
  absl::Status end;
  std::atomic<bool> is_done = false;
};

// What a view has shown.
struct Seen {
  std::array<size_t, kWriters> before{};  // batches that had returned
  std::string order;
  Entries entries;
  absl::Status status;
};

class Crowd {
 public:
  explicit Crowd(const Shape& shape) : shape_(shape), fixture_(shape.sizes), random_(TestSeed()) {
    fixture_.Open(OptionsFor(shape_));
    tree_ = Must(store().CreateTree("entries"));
    order_tree_ = Must(store().CreateTree("order"));
    for (size_t i = 0; i < kWriters; ++i) {
      for (int number = 0; number < 200 * TestScale(); ++number) writers_[i].batches.push_back(NextBatch(i));
    }
  }

  Store& store() { return *fixture_.store; }

  // Writes everything, with readers and others beside the writers. The first error ends a writer. Then looks at
  // everything that was seen.
  void Run(bool close) {
    std::vector<std::thread> writing;
    std::vector<std::thread> others;
    for (Writer& writer : writers_) {
      writing.emplace_back([&] { Write(writer); });
    }
    for (std::vector<Seen>& seen : seen_) {
      others.emplace_back([&] { Read(seen); });
    }
    others.emplace_back([&] { SyncAgainAndAgain(); });
    others.emplace_back([&] { DoTheRest(); });
    if (close) {
      while (!writers_[0].is_done && writers_[0].returned < writers_[0].batches.size() / 3) std::this_thread::yield();
      closing_ = true;
      Must(store().Close());
    }
    for (std::thread& thread : writing) thread.join();
    done_ = true;
    for (std::thread& thread : others) thread.join();
    for (const Writer& writer : writers_) {
      INFO(writer.end);
      CHECK((close ? writer.end.ok() || absl::IsFailedPrecondition(writer.end) : writer.end.ok()));
    }
    INFO(rest_);
    CHECK(rest_.ok());
    const Seen now = Look();
    Replay(now.order);
    RequireIsAState(now);
    CHECK(Count(now.order) == Returned());
    for (const std::vector<Seen>& seen : seen_) {
      for (const Seen& one : seen) RequireIsAState(one);
    }
  }

  // Opens the store anew, without an end. It must have a state that it had, no older than what the last sync found.
  void RequireSynced() {
    fixture_.Open(OptionsFor(shape_));
    Seen found = Look();
    found.before = synced_;
    RequireIsAState(found);
    fixture_.CheckSound();
  }

  // Closes the store. What is in the image is all that was accepted.
  void RequireAll() {
    fixture_.CheckSound();
    fixture_.Open(OptionsFor(shape_));
    const Seen found = Look();
    RequireIsAState(found);
    CHECK(Count(found.order) == Returned());
  }

 private:
  // Four characters for each batch: whose it is, and which.
  static std::string NameOf(size_t writer, size_t number) {
    return fmt::format("{}{:03}", static_cast<char>('A' + writer + 16 * (number / 1000)), number % 1000);
  }

  static std::array<size_t, kWriters> Count(const std::string& order) {
    std::array<size_t, kWriters> counts{};
    for (size_t at = 0; at < order.size(); at += 4) ++counts.at(static_cast<size_t>(order[at] - 'A') % 16);
    return counts;
  }

  std::array<size_t, kWriters> Returned() const {
    std::array<size_t, kWriters> counts{};
    for (size_t i = 0; i < kWriters; ++i) counts[i] = writers_[i].returned;
    return counts;
  }

  WriteBatch NextBatch(size_t writer) {
    const auto prefix = [&] { return fmt::format("d{}/", random_.Uniform(6)); };
    const auto key = [&] { return prefix() + std::to_string(random_.Uniform(40)); };
    WriteBatch batch;
    for (uint64_t changes = random_.Between(1, 6); changes > 0; --changes) {
      switch (random_.Uniform(12)) {
        case 0:
          batch.ClonePrefix(tree_, prefix(), tree_, prefix() + (random_.OneIn(3) ? prefix() : ""));
          break;
        case 1:
          batch.RenamePrefix(tree_, fmt::format("d{}/", random_.Uniform(3)), tree_,
                             fmt::format("d{}/", 3 + random_.Uniform(3)));
          break;
        case 2:
          batch.EraseRange(tree_, Range::Prefix(prefix() + std::to_string(random_.Uniform(10))));
          break;
        case 3:
          batch.Erase(tree_, key());
          break;
        default:
          batch.Put(tree_, key(), random_.String(random_.Uniform(100)));
      }
    }
    batch.Upsert(order_tree_, kOrderKey, AppendFunction::kNumber, NameOf(writer, writers_[writer].batches.size()));
    return batch;
  }

  void Write(Writer& writer) {
    for (const WriteBatch& batch : writer.batches) {
      writer.end = store().Write(batch);
      if (!writer.end.ok()) break;
      ++writer.returned;
    }
    writer.is_done = true;
  }

  Seen Look() {
    Seen seen;
    seen.before = Returned();
    const std::shared_ptr<const ReadView> view = store().Pin();
    std::this_thread::yield();  // so that others go on before it is read
    const auto order = store().Get(*view, order_tree_, kOrderKey);
    const auto cursor = store().NewCursor(view, tree_);
    if (!order.ok() || !cursor.ok()) {
      seen.status = order.ok() ? cursor.status() : order.status();
      return seen;
    }
    seen.order = order->value_or("");
    for ((*cursor)->SeekToFirst(); (*cursor)->Valid(); (*cursor)->Next()) {
      seen.entries.emplace((*cursor)->Key(), (*cursor)->Value());
    }
    seen.status = (*cursor)->status();
    return seen;
  }

  void Read(std::vector<Seen>& seen) {
    while (!done_) {
      Seen now = Look();
      if (seen.empty() || now.order != seen.back().order || now.entries != seen.back().entries) {
        seen.push_back(std::move(now));
      }
    }
  }

  void SyncAgainAndAgain() {
    while (!done_) {
      const std::array<size_t, kWriters> before = Returned();
      if (store().Sync().ok()) synced_ = before;
    }
  }

  void DoTheRest() {
    while (!done_ && rest_.ok()) {
      for (const absl::Status& status : {store().Checkpoint(), store().Compact(tree_), store().Trim().status()}) {
        if (!status.ok() && !(closing_ && absl::IsFailedPrecondition(status))) rest_ = status;
      }
      static_cast<void>(store().Stats());
      static_cast<void>(store().Space());
    }
  }

  // Finds the states that there were.
  void Replay(const std::string& order) {
    REQUIRE(order.size() % 4 == 0);
    order_ = order;
    std::array<size_t, kWriters> next{};
    Entries entries;
    states_ = {entries};
    for (size_t at = 0; at < order.size(); at += 4) {
      const size_t writer = static_cast<size_t>(order[at] - 'A') % 16;
      REQUIRE(order.substr(at, 4) == NameOf(writer, next.at(writer)));
      for (const Op& op : writers_.at(writer).batches[next[writer]++].ops()) ApplyTo(entries, op);
      states_.push_back(entries);
    }
  }

  void RequireIsAState(const Seen& seen) const {
    INFO(seen.status);
    REQUIRE(seen.status.ok());
    REQUIRE(order_.starts_with(seen.order));
    REQUIRE(seen.order.size() % 4 == 0);
    const bool is_state = seen.entries == states_[seen.order.size() / 4];
    REQUIRE(is_state);
    const std::array<size_t, kWriters> has = Count(seen.order);
    for (size_t i = 0; i < kWriters; ++i) REQUIRE(has[i] >= seen.before[i]);
  }

  const Shape& shape_;
  MemoryStore fixture_;
  Random random_;
  TreeId tree_;
  TreeId order_tree_;
  std::array<Writer, kWriters> writers_;
  std::array<std::vector<Seen>, kReaders> seen_;
  std::array<size_t, kWriters> synced_{};
  absl::Status rest_;
  std::atomic<bool> closing_ = false;
  std::atomic<bool> done_ = false;
  std::string order_;
  std::vector<Entries> states_;
};

}  // namespace

TEST_CASE("each view has a state between two batches, whoever writes", "[store][thread]") {
  for (const Shape& shape : kShapes) {
    INFO("nodes of " << shape.sizes.node.value << " bytes, seed " << TestSeed());
    Crowd crowd(shape);
    crowd.Run(false);
    crowd.RequireSynced();
  }
}

TEST_CASE("a store that is closed while others use it has all that it accepted", "[store][thread]") {
  for (const Shape& shape : kShapes) {
    INFO("nodes of " << shape.sizes.node.value << " bytes, seed " << TestSeed());
    Crowd crowd(shape);
    crowd.Run(true);
    crowd.RequireAll();
  }
}

}  // namespace betr::test
