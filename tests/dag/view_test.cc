// SPDX-License-Identifier: Apache-2.0
// Views of blocks against a map that is cut and renamed in the same way.
#include "dag/view.h"

#include <catch2/catch.hpp>
#include <iterator>
#include <map>
#include <string>

#include "base/random.h"
#include "support/dag/memory_source.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using dag::BlockView;
using dag::MessageKind;
using dag::ValueBuilder;
using dag::ViewReader;
using Contents = std::map<std::string, std::string>;

std::string SomeBytes(Random& random, uint64_t longest) {
  std::string bytes;
  for (uint64_t n = random.Uniform(longest + 1); n > 0; --n) bytes.push_back("\0ab\xff"[random.Uniform(4)]);
  return bytes;
}

// A view and what it must show.
class ViewModel {
 public:
  explicit ViewModel(Random& random) : random_(random) {
    for (uint64_t n = random_.Uniform(30); n > 0; --n) contents_[SomeBytes(random_, 5)] = std::to_string(n);
    dag::BlockBuilder builder;
    for (const auto& [key, value] : contents_) builder.Add(key, {MessageKind::kPut, 0, value});
    dag::MemorySource source;
    view_ = BlockView::Whole(source.Adopt(builder.Finish()), Range::All());
  }

  // Cuts the view, or takes its keys into another space.
  void Change() {
    if (random_.OneIn(2)) {
      Cut();
    } else if (random_.OneIn(2)) {
      const std::string prefix = SomeBytes(random_, 2);
      Replace("", prefix);
    } else {
      const std::string lcp(view_.clip.Lcp());
      Replace(lcp.substr(0, random_.Uniform(lcp.size() + 1)), SomeBytes(random_, 1));
    }
  }

  bool Empty() const { return view_.clip.Empty(); }

  void Verify() {
    ViewReader reader = *ViewReader::Open(view_);
    REQUIRE(reader.Count() == contents_.size());
    auto expected = contents_.begin();
    for (reader.SeekForward(view_.clip.lo); reader.Valid(); reader.Next(), ++expected) {
      REQUIRE(reader.Key() == expected->first);
      REQUIRE(reader.GroupSize() == 1);
      REQUIRE(reader.At(0).value == expected->second);
    }
    REQUIRE(expected == contents_.end());
    VerifySeeks(reader);
  }

 private:
  void Cut() {
    Range part{{SomeBytes(random_, 4), random_.OneIn(2)}, {SomeBytes(random_, 4), random_.OneIn(2)}};
    if (part.Empty()) std::swap(part.lo, part.hi);
    view_ = view_.Cut(part);
    std::erase_if(contents_, [&](const auto& entry) { return !part.Contains(entry.first); });
  }

  void Replace(const std::string& from, const std::string& to) {
    view_ = view_.Replace(from, to);
    Contents renamed;
    for (const auto& [key, value] : contents_) renamed[to + key.substr(from.size())] = value;
    contents_ = std::move(renamed);
  }

  void VerifySeeks(ViewReader& reader) {
    const std::string key = SomeBytes(random_, 6);
    const auto next = contents_.lower_bound(key);
    reader.SeekForward(Bound::At(key));
    REQUIRE(reader.Valid() == (next != contents_.end()));
    if (reader.Valid()) REQUIRE(reader.Key() == next->first);
    reader.SeekBackward(Bound::At(key));
    REQUIRE(reader.Valid() == (next != contents_.begin()));
    if (reader.Valid()) {
      REQUIRE(reader.Key() == std::prev(next)->first);
      reader.Prev();
      REQUIRE(reader.Valid() == (std::prev(next) != contents_.begin()));
    }
    ValueBuilder value;
    REQUIRE(dag::LookUpInView(view_, key, value).ok());
    REQUIRE(value.Done() == contents_.contains(key));
  }

  Random& random_;
  BlockView view_;
  Contents contents_;
};

}  // namespace

TEST_CASE("a view shows a part of a block under other names", "[dag][view]") {
  Random random(TestSeed());
  for (int i = 0; i < 5'000; ++i) {
    ViewModel model(random);
    model.Verify();
    for (int change = 0; change < 4; ++change) {
      model.Change();
      if (model.Empty()) break;
      model.Verify();
    }
  }
}

TEST_CASE("a view reader gives all messages of a key together, from either side", "[dag][view]") {
  dag::BlockBuilder builder;
  builder.Add("a", {MessageKind::kUpsert, 1, "first"});
  builder.Add("a", {MessageKind::kUpsert, 1, "second"});
  builder.Add("b", {MessageKind::kPut, 0, "put"});
  builder.Add("b", {MessageKind::kUpsert, 1, "after"});
  dag::MemorySource source;
  const BlockView view = BlockView::Whole(source.Adopt(builder.Finish()), Range::All()).Prepend("x");
  ViewReader reader = *ViewReader::Open(view);
  reader.SeekBackward(view.clip.hi);
  REQUIRE(reader.Key() == "xb");
  REQUIRE(reader.GroupSize() == 2);
  REQUIRE(reader.At(1).value == "after");
  reader.Prev();
  REQUIRE(reader.Key() == "xa");
  REQUIRE(reader.GroupSize() == 2);
  REQUIRE(reader.At(0).value == "first");
  reader.Next();
  REQUIRE(reader.Key() == "xb");

  ValueBuilder value;
  REQUIRE(dag::LookUpInView(view, "xa", value).ok());
  REQUIRE_FALSE(value.Done());
  REQUIRE_FALSE(value.Empty());
  REQUIRE(dag::LookUpInView(view, "xb", value).ok());
  REQUIRE(value.Done());
}

}  // namespace betr::test
