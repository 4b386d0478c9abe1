// SPDX-License-Identifier: Apache-2.0
// A full store of which single keys that clones share are erased in any order, until there is no space left to remember
// which are gone: what leaves nothing behind can be erased all the same, and makes room.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/torture/full_store.h"

namespace betr::test {
namespace {

constexpr int kClones = 12;

struct SharedShape {
  FullShape store;
  int keys;  // of the original
};

const SharedShape kShapes[] = {
    {{MiB(3), Bytes{512}, 20}, 1000},
    {{MiB(4), KiB(4), 100, "lz4"}, 1500},
    {{MiB(8), KiB(16), 100}, 6000},
};

std::string Describe(const SharedShape& shape, bool background) {
  return fmt::format("device {}, node {}, {} keys{}", shape.store.device.value, shape.store.node.value, shape.keys,
                     background ? " beside threads" : "");
}

std::string CloneName(int number) { return fmt::format("c{:02}/", number); }

absl::Status EraseKey(FullStore& full, const std::string& key) {
  WriteBatch batch;
  batch.Erase(full.tree(), key);
  return full.Write(batch);
}

// Clones of some keys, and keys that nobody shares below "f": as many as there is room for.
class Shared {
 public:
  Shared(const SharedShape& shape, bool background) : full_(shape.store, background) {
    for (int i = 0; i < shape.keys; ++i) {
      WriteBatch put;
      put.Put(full_.tree(), fmt::format("s/{:06}", i), std::string(shape.store.value, static_cast<char>('a' + i % 26)));
      RequireOk(full_.Write(put), "put");
    }
    for (int i = 0; i < kClones; ++i) {
      WriteBatch clone;
      clone.ClonePrefix(full_.tree(), "s/", full_.tree(), CloneName(i));
      RequireOk(full_.Write(clone), "clone");
    }
    RequireOk(full_.store().Checkpoint(), "checkpoint");
    REQUIRE(full_.Fill(FillKind::kPut, "f") > 20);
  }

  FullStore& full() { return full_; }

 private:
  FullStore full_;
};

// Of which single keys of the clones are erased, in any order, until that is refused.
class Exhausted : public Shared {
 public:
  Exhausted(const SharedShape& shape, bool background) : Shared(shape, background) {
    EraseUntilRefused(background);
    full().RequireLife();
  }

 private:
  void EraseUntilRefused(bool background) {
    for (const std::string& key : full().ShuffledKeys("c")) {
      const absl::Status erased = EraseKey(full(), key);
      if (!erased.ok()) {
        INFO(erased);
        REQUIRE(absl::IsResourceExhausted(erased));
        return;
      }
    }
    // Threads may have thinned so much that leaves were copied; without them each run is the same.
    if (!background) FAIL("there was space to remember all that is gone: a test of nothing");
  }
};

}  // namespace

TEST_CASE("what nobody shares can be erased, whatever was erased of what clones share", "[torture][full]") {
  for (const SharedShape& shape : kShapes) {
    for (const bool background : {false, true}) {
      INFO(Describe(shape, background));
      Exhausted exhausted(shape, background);
      exhausted.full().EraseKeys("f");
      exhausted.full().RequireLife();
    }
  }
}

TEST_CASE("so can clones as a whole", "[torture][full]") {
  for (const SharedShape& shape : kShapes) {
    for (const bool background : {false, true}) {
      INFO(Describe(shape, background));
      Exhausted exhausted(shape, background);
      for (int i = kClones; i > 0; --i) exhausted.full().EraseAll(CloneName(i * 7 % kClones));
      exhausted.full().RequireLife();
      exhausted.full().EraseAll("f");
      exhausted.full().RequireLife();
    }
  }
}

// Whoever goes on all the same takes what is kept for those that make room only as far as that goes.
TEST_CASE("so can clones of which one key after the other was tried", "[torture][full]") {
  constexpr int kTried = 3;
  for (const bool background : {false, true}) {
    const SharedShape& shape = kShapes[1];
    INFO(Describe(shape, background));
    Exhausted exhausted(shape, background);
    FullStore& full = exhausted.full();
    for (int number = 0; number < shape.keys * kTried; ++number) {
      const std::string key = fmt::format("{}{:06}", CloneName(number / shape.keys), number % shape.keys);
      if (const absl::Status erased = EraseKey(full, key); !erased.ok()) {
        INFO(key << ": " << erased);
        REQUIRE(absl::IsResourceExhausted(erased));
      }
    }
    full.RequireLife();
    for (int i = 0; i < kClones; ++i) full.EraseAll(CloneName(i));
    full.EraseAll("f");
    full.RequireLife();
  }
}

// What it takes to remember which keys are gone can be kept.
TEST_CASE("with a reserve for all of them every key of clones can be erased by itself", "[torture][full]") {
  const SharedShape shapes[] = {
      {{MiB(8), KiB(4), 100, "lz4", BasisPoints{5000}}, 1500},
      {{MiB(16), KiB(16), 100, "none", BasisPoints{2000}}, 2000},
  };
  for (const SharedShape& shape : shapes) {
    for (const bool background : {false, true}) {
      INFO(Describe(shape, background));
      Shared shared(shape, background);
      FullStore& full = shared.full();
      for (const std::string& key : full.ShuffledKeys("c")) {
        INFO(key);
        RequireOk(EraseKey(full, key), "erase");
      }
      full.RequireLife();
      full.EraseKeys("f");
      full.EraseKeys("s/");
      full.RequireLife();
    }
  }
}

}  // namespace betr::test
