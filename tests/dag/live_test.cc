// SPDX-License-Identifier: Apache-2.0
#include "dag/live.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "support/dag/memory_source.h"

namespace betr::test {
namespace {

// A basement of the keys from `first` to `last`, of which those inside `clip` are shown.
dag::BlockView Basement(char first, char last, Range clip) {
  dag::BlockBuilder builder;
  for (char key = first; key <= last; ++key) builder.Add(std::string(1, key), {dag::MessageKind::kPut, 0, "value"});
  return dag::BlockView::Whole(std::make_shared<dag::ResidentBlock>(builder.Finish()), std::move(clip));
}

Range Between(std::string_view lo, std::string_view hi) { return {Bound::At(lo), Bound::At(hi)}; }

}  // namespace

TEST_CASE("entries of a leaf are counted as they are shown, wherever basements were cut", "[dag][live]") {
  dag::Node leaf = dag::EmptyNode(0, Range::All(), {});
  leaf.basements = {Basement('a', 'c', Between("", "d")), Basement('d', 'h', Between("d", "g")),
                    Basement('g', 'k', Between("h", "k")), Basement('k', 'm', Between("k", "z"))};
  CHECK(dag::EntriesIn(leaf, Range::All()) == 12);
  CHECK(dag::EntriesIn(leaf, Between("b", "l")) == 9);
  CHECK(dag::EntriesIn(leaf, Between("n", "o")) == 0);
}

}  // namespace betr::test
