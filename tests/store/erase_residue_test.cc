// SPDX-License-Identifier: Apache-2.0
// Deletes in a form that leaves nothing behind.
#include "store/erase_residue.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>

#include "betr/size_limits.h"
#include "betr/store.h"
#include "store/impl.h"
#include "support/must.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

constexpr int kKeys = 20'000;  // more than a root's children hold, so that interior nodes are shared

std::string Key(const std::string& prefix, int number) { return fmt::format("{}{:05}", prefix, number); }

// A tree with keys below "a/", and a clone of them below "b/". What is erased there waits in front of shared nodes.
class Cloned : public MemoryStore {
 public:
  // The last key has this many bytes. A clone makes it, since it may be longer than callers may write.
  explicit Cloned(Bytes last) : MemoryStore({.device = MiB(64), .node = KiB(64), .basement = KiB(4), .log = MiB(4)}) {
    StoreOptions options;
    options.background = false;
    Open(options);
    tree = Must(store->CreateTree("tree"));
    for (int i = 0; i < kKeys; ++i) Must(store->Put(tree, Key("a/", i), std::string(100, 'x')));
    const std::string end(100, 'z');
    Must(store->Put(tree, "x" + end, "value"));
    Must(store->ClonePrefix(tree, "x", tree, "a/" + std::string(last.value - 2 - end.size(), 'z')));
    Must(store->Compact(tree));
    Must(store->ClonePrefix(tree, "a/", tree, "b/"));
    Must(store->Compact(tree));
  }

  // Of a batch that erases one key.
  std::optional<store::PlainDelete> FormOf(std::string erased) {
    Op erase;
    erase.kind = OpKind::kErase;
    erase.tree = tree;
    erase.key = std::move(erased);
    return Must(store::WithoutResidue(*store->impl().Pin(), {&erase, 1}, store->Options().functions));
  }

  TreeId tree;
};

TEST_CASE("an erase takes the place of one beside it, up to a key that may be a bound", "[store]") {
  for (const auto& [last, has_form] : {std::pair(kMaxRangeBoundSize, true), {kMaxRangeBoundSize + Bytes{1}, false}}) {
    Cloned cloned(last);
    CHECK_FALSE(cloned.FormOf(Key("b/", kKeys - 1)));
    Must(cloned.store->Erase(cloned.tree, Key("b/", kKeys - 2)));
    Must(cloned.store->Checkpoint());
    const auto form = cloned.FormOf(Key("b/", kKeys - 1));
    INFO("the last key has " << last.value << " bytes");
    REQUIRE(form.has_value() == has_form);
    CHECK((!form || form->replaces));
    cloned.CheckSound();
  }
}

}  // namespace
}  // namespace betr::test
