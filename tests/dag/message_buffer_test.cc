// SPDX-License-Identifier: Apache-2.0
// The buffer in front of a root, and images of it, against a map from keys to what is known about them.
#include "dag/change/message_buffer.h"

#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "dag/partition_reader.h"
#include "support/dag/memory_source.h"
#include "support/dag/upserts.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using dag::Direction;
using dag::Layer;
using dag::MessageBuffer;
using dag::MessageKind;
using dag::PointReader;
using dag::Stretch;
using dag::ValueBuilder;

// What a buffer says about a key, given that everything below holds "old" for every key.
class BufferModel {
 public:
  void Put(const std::string& key, const std::string& value) { said_[key] = value; }
  void Erase(const std::string& key) { said_[key] = std::nullopt; }
  void Append(const std::string& key, const std::string& delta) { said_[key] = Value(key).value_or("") + delta; }
  void EraseRange(const Range& range) {
    std::erase_if(said_, [&](const auto& entry) { return range.Contains(entry.first); });
    erased_.push_back(range);
  }

  std::optional<std::string> Value(const std::string& key) const {
    if (const auto found = said_.find(key); found != said_.end()) return found->second;
    return Erased(key) ? std::nullopt : std::optional<std::string>("old");
  }

  bool Erased(const std::string& key) const {
    for (const Range& range : erased_) {
      if (range.Contains(key)) return true;
    }
    return false;
  }

  const std::map<std::string, std::optional<std::string>>& said() const { return said_; }

 private:
  std::map<std::string, std::optional<std::string>> said_;
  std::vector<Range> erased_;
};

// A buffer and its model, as they were when an image was taken.
struct Taken {
  std::shared_ptr<const Layer> image;
  BufferModel model;
};

class BufferRun {
 public:
  BufferRun(uint64_t seed, bool composing) : random_(seed), buffer_(Functions(composing)) {}

  void Step(int number) {
    const std::string key = Key();
    const std::string value = "+" + std::to_string(number);
    switch (random_.Uniform(8)) {
      case 0:
      case 1:
      case 2:
        buffer_.Put(key, value);
        model_.Put(key, value);
        break;
      case 3:
        buffer_.Erase(key);
        model_.Erase(key);
        break;
      case 4:
      case 5:
        buffer_.Upsert(key, AppendFunction::kNumber, value);
        model_.Append(key, value);
        break;
      case 6: {
        const Range range = random_.OneIn(2) ? Range::Prefix(Key()) : SomeRange();
        buffer_.EraseRange(range);
        model_.EraseRange(range);
        break;
      }
      default:
        taken_.push_back({buffer_.Image(), model_});
    }
    if (taken_.size() > 4) taken_.erase(taken_.begin() + static_cast<ptrdiff_t>(random_.Uniform(taken_.size())));
  }

  void Verify() {
    VerifyLookUps([&](const std::string& key, ValueBuilder& value) { buffer_.LookUp(key, value); }, model_);
    for (const Taken& taken : taken_) {
      VerifyLookUps([&](const std::string& key, ValueBuilder& value) { taken.image->LookUp(key, value); }, taken.model);
      VerifyReaders(*taken.image, taken.model);
      VerifyStretches(*taken.image, taken.model);
    }
  }

  // What the sealed buffer says, and that sealing an empty one gives nothing.
  void VerifySealed() {
    dag::MemorySource source;
    const dag::Partition sealed = buffer_.Seal(source);
    REQUIRE(sealed.Empty() == buffer_.Empty());
    auto reader = dag::PartitionReader::Open(sealed, *functions_);
    REQUIRE(reader.ok());
    auto expected = model_.said().begin();
    for (; reader->Valid(); reader->Next(), ++expected) REQUIRE(reader->Key() == expected->first);
    REQUIRE(expected == model_.said().end());
    for (int i = 0; i < 10; ++i) {
      const std::string key = Key();
      REQUIRE((sealed.Covering(key) != nullptr) == model_.Erased(key));
    }
  }

  Bytes Size() const { return buffer_.Size(); }
  void EraseAll() {
    buffer_.EraseRange(Range::All());
    model_.EraseRange(Range::All());
  }

 private:
  const UpsertRegistry& Functions(bool composing) {
    functions_ = std::make_unique<UpsertRegistry>();
    REQUIRE(functions_->Add(std::make_shared<AppendFunction>(composing)).ok());
    return *functions_;
  }

  std::string Key() {
    std::string key;
    for (uint64_t n = random_.Uniform(6); n > 0; --n) key.push_back("\0ab\xff"[random_.Uniform(4)]);
    return key;
  }

  Range SomeRange() { return {{Key(), random_.OneIn(2)}, {Key(), random_.OneIn(2)}}; }

  template <class LookUp>
  void VerifyLookUps(LookUp look_up, const BufferModel& model) {
    for (int i = 0; i < 5; ++i) {
      const std::string key = Key();
      ValueBuilder value;
      look_up(key, value);
      if (!value.Done()) value.Add({MessageKind::kPut, 0, "old"});
      REQUIRE(*value.Resolve(*functions_, key) == model.Value(key));
    }
  }

  void VerifyReaders(const Layer& image, const BufferModel& model) {
    const std::unique_ptr<PointReader> points = image.Points();
    const Bound from{Key(), random_.OneIn(2)};
    const auto& said = model.said();
    auto next = said.begin();
    while (next != said.end() && !from.Before(next->first)) ++next;
    auto before = next;
    for (points->SeekForward(from); points->Valid(); points->Next(), ++next) {
      REQUIRE(next != said.end());
      REQUIRE(points->Key() == next->first);
      REQUIRE(points->GroupSize() > 0);
    }
    REQUIRE(next == said.end());
    for (points->SeekBackward(from); points->Valid(); points->Prev()) {
      REQUIRE(before != said.begin());
      REQUIRE(points->Key() == (--before)->first);
    }
    REQUIRE(before == said.begin());
  }

  // A stretch holds the position and treats all of its keys alike.
  void VerifyStretches(const Layer& image, const BufferModel& model) {
    const Bound at{Key(), random_.OneIn(2)};
    for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
      const bool forward = direction == Direction::kForward;
      if (at == (forward ? Range::All().hi : Range::All().lo)) continue;
      const Stretch stretch = image.Around(at, direction);
      REQUIRE((forward ? stretch.range.lo <= at : stretch.range.lo < at));
      REQUIRE((forward ? at < stretch.range.hi : at <= stretch.range.hi));
      for (int i = 0; i < 5; ++i) {
        const std::string key = Key();
        if (stretch.range.Contains(key)) REQUIRE(model.Erased(key) == stretch.erased);
      }
    }
  }

  std::unique_ptr<UpsertRegistry> functions_;
  Random random_;
  MessageBuffer buffer_;
  BufferModel model_;
  std::vector<Taken> taken_;
};

}  // namespace

TEST_CASE("a message buffer and its images agree with a map", "[dag][buffer][random]") {
  const auto seeds = static_cast<uint64_t>(40 * TestScale());
  for (uint64_t i = 0; i < seeds; ++i) {
    INFO("seed " << TestSeed() + i);
    BufferRun run(TestSeed() + i, i % 2 == 0);
    for (int step = 0; step < 600; ++step) {
      run.Step(step);
      run.Verify();
    }
    run.VerifySealed();
  }
}

TEST_CASE("a message buffer knows its size", "[dag][buffer]") {
  BufferRun run(TestSeed(), false);
  REQUIRE(run.Size() == Bytes{0});
  run.EraseAll();
  const Bytes of_one_range = run.Size();
  for (int step = 0; step < 1'000; ++step) run.Step(step);
  REQUIRE(run.Size() > of_one_range);
  run.EraseAll();
  REQUIRE(run.Size() == of_one_range);
}

TEST_CASE("a message buffer takes upserts of functions that it does not know as they are", "[dag][buffer]") {
  const UpsertRegistry none;
  MessageBuffer buffer(none);
  buffer.Put("a", "value");
  buffer.Upsert("a", 3, "delta");
  buffer.Upsert("b", 3, "delta");
  buffer.EraseRange(Range::Prefix("c"));
  buffer.Upsert("c", 3, "delta");
  const std::unique_ptr<PointReader> points = buffer.Image()->Points();
  points->SeekForward(Bound::At(""));
  REQUIRE(points->GroupSize() == 2);
  REQUIRE(points->At(1).function == 3);
  points->Next();
  REQUIRE(points->At(0).kind == MessageKind::kUpsert);
  points->Next();
  REQUIRE(points->Key() == "c");
  REQUIRE(points->At(0).kind == MessageKind::kUpsert);
}

}  // namespace betr::test
