// SPDX-License-Identifier: Apache-2.0
// What the cache counts, and what it makes whom drop.
#include "store/cache.h"

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

namespace betr::store {
namespace {

// Holds something if it was registered and not dropped since.
class Holder final : public Cached {
 public:
  std::shared_ptr<const void> Drop() override {
    CHECK(is_held);
    is_held = false;
    return nullptr;
  }
  void Use() const { Touch(); }
  void Register(Cache& cache, Bytes charge) {
    is_held = true;
    cache.Register(this, charge);
  }

  bool is_held = false;
};

TEST_CASE("the cache counts what is held, and nothing else", "[store][cache]") {
  Cache cache(KiB(10));
  Holder a;
  Holder b;
  a.Register(cache, KiB(2));
  b.Register(cache, KiB(3));
  CHECK(cache.Clean() == KiB(5));
  a.Register(cache, KiB(4));  // it holds something else now
  CHECK(cache.Clean() == KiB(7));
  cache.Unregister(&a);
  CHECK(cache.Clean() == KiB(3));
  cache.Unregister(&a);  // which it was not any more
  cache.SetOthers(KiB(10));
  CHECK_FALSE(b.is_held);
  CHECK(cache.Clean() == Bytes{0});
  cache.Unregister(&b);
  CHECK(cache.Clean() == Bytes{0});
}

TEST_CASE("whatever is above the budget drives out what is clean", "[store][cache]") {
  Cache cache(KiB(10));
  std::vector<Holder> holders(5);
  for (Holder& holder : holders) holder.Register(cache, KiB(2));
  const auto held = [&] {
    size_t count = 0;
    for (const Holder& holder : holders) count += holder.is_held ? 1 : 0;
    return count;
  };
  CHECK(held() == 5);
  SECTION("what is dirty") {
    cache.AddDirty(KiB(3));
    CHECK(held() == 3);
    CHECK(cache.Clean() == KiB(6));
    cache.RemoveDirty(KiB(3));
    CHECK(cache.Dirty() == Bytes{0});
  }
  SECTION("what others have") {
    cache.SetOthers(KiB(1));
    CHECK(held() == 4);
  }
  SECTION("what comes, and what does not fit by itself") {
    Holder more;
    more.Register(cache, KiB(2));
    CHECK(held() == 4);
    CHECK(more.is_held);
    Holder huge;
    huge.Register(cache, KiB(11));
    CHECK_FALSE(huge.is_held);
    CHECK(held() == 0);
    CHECK_FALSE(more.is_held);
    CHECK(cache.Clean() == Bytes{0});
  }
  for (Holder& holder : holders) cache.Unregister(&holder);
}

TEST_CASE("what is used is dropped last", "[store][cache]") {
  Cache cache(KiB(10));
  std::vector<Holder> holders(5);
  for (Holder& holder : holders) holder.Register(cache, KiB(2));
  cache.SetOthers(KiB(1));  // all were hot: the first one goes, the others have lost their second chance
  REQUIRE_FALSE(holders[0].is_held);
  holders[1].Use();
  cache.SetOthers(KiB(3));
  CHECK(holders[1].is_held);
  CHECK_FALSE(holders[2].is_held);
  for (Holder& holder : holders) cache.Unregister(&holder);
}

}  // namespace
}  // namespace betr::store
