// SPDX-License-Identifier: Apache-2.0
#include "dag/change/message_buffer.h"

#include <absl/functional/function_ref.h>

#include <utility>

#include "dag/run_builder.h"

namespace betr::dag {
namespace {

constexpr uint64_t kPointOverhead = sizeof(BufferedPoint) + 32;

Bytes SizeOf(const BufferedPoint& point) {
  return Bytes{kPointOverhead + point.key.size() + point.first.value.size()} + point.more.Memory();
}

// Calls visit(key, message) for each message, in the order of a block.
void ForEachMessage(const Chunked<BufferedPoint>& points,
                    absl::FunctionRef<void(std::string_view, const Message&)> visit) {
  for (auto at = points.Begin(); at != points.End(); at = points.Next(at)) {
    const BufferedPoint& point = points[at];
    visit(point.key, point.first.View());
    for (size_t i = 0; i < point.more.Size(); ++i) visit(point.key, point.more[i].View());
  }
}

// The size of a block of all the points.
Bytes PayloadBytes(const Chunked<BufferedPoint>& points) {
  Bytes size = BlockBuilder().Size();
  ForEachMessage(points,
                 [&](std::string_view key, const Message& message) { size += BlockBuilder::EntrySize(key, message); });
  return size;
}

Bytes SizeOf(const Range& range) { return {sizeof(Range) + range.lo.bytes.size() + range.hi.bytes.size() + 32}; }

Chunked<BufferedPoint>::Position PointAt(const Chunked<BufferedPoint>& points, std::string_view key) {
  return points.FirstNot([&](const BufferedPoint& point) { return point.key < key; });
}

Chunked<BufferedPoint>::Position PointAt(const Chunked<BufferedPoint>& points, const Bound& bound) {
  return points.FirstNot([&](const BufferedPoint& point) { return !bound.Before(point.key); });
}

void LookUpPoint(const Chunked<BufferedPoint>& points, std::string_view key, ValueBuilder& value) {
  const auto at = PointAt(points, key);
  if (at == points.End() || points[at].key != key) return;
  const BufferedPoint& point = points[at];
  for (size_t i = point.more.Size(); i > 0; --i) value.Add(point.more[i - 1].View());
  value.Add(point.first.View());
}

bool Erases(const Chunked<Range>& erased, std::string_view key) {
  const auto at = erased.FirstNot([&](const Range& range) { return range.hi.Before(key); });
  return at != erased.End() && erased[at].lo.Before(key);
}

// Adds what a buffer says of a key: its points, then the erased ranges, which are older.
void LookUpIn(const Chunked<BufferedPoint>& points, const Chunked<Range>& erased, std::string_view key,
              ValueBuilder& value) {
  LookUpPoint(points, key, value);
  if (!value.Done() && Erases(erased, key)) value.EndHere();
}

// Sets the point to what the function makes of a value.
void SetTo(const UpsertFunction& function, std::optional<std::string_view> old, std::string_view delta,
           BufferedPoint& point) {
  std::optional<std::string> result = Apply(function, old, delta);
  point.first = {result ? MessageKind::kPut : MessageKind::kErase, 0, std::move(result).value_or("")};
}

// Folds an upsert into the point's last message. False, and nothing is done, if that is not possible.
bool Fold(const UpsertFunction& function, std::string_view delta, BufferedPoint& point) {
  const OwnedMessage& last = point.more.Empty() ? point.first : point.more.Newest();
  if (last.View().Terminal()) {
    const bool has_value = last.kind == MessageKind::kPut;
    SetTo(function, has_value ? std::optional<std::string_view>(last.value) : std::nullopt, delta, point);
    return true;
  }
  std::optional<std::string> both =
      last.function == function.Number() ? Compose(function, last.value, delta) : std::nullopt;
  if (!both) return false;
  if (point.more.Empty()) {
    point.first.value = *std::move(both);
  } else {
    point.more.ReplaceNewest(*std::move(both));
  }
  return true;
}

}  // namespace

BufferedPoint& MessageBuffer::PointFor(std::string_view key, bool& fresh) {
  const Points::Position at = PointAt(points_, key);
  fresh = at == points_.End() || points_[at].key != key;
  if (!fresh) {
    size_ -= SizeOf(points_[at]);
    return points_.Mutable(at);
  }
  return points_.Insert(at, BufferedPoint{std::string(key), {}, {}});
}

void MessageBuffer::PutTerminal(std::string_view key, MessageKind kind, std::string_view value) {
  bool fresh = false;
  BufferedPoint& point = PointFor(key, fresh);
  point.first = {kind, 0, std::string(value)};
  point.more.Clear();
  size_ += SizeOf(point);
}

void MessageBuffer::Put(std::string_view key, std::string_view value) { PutTerminal(key, MessageKind::kPut, value); }

void MessageBuffer::Erase(std::string_view key) { PutTerminal(key, MessageKind::kErase, ""); }

void MessageBuffer::Upsert(std::string_view key, uint16_t function, std::string_view delta) {
  const bool erased = Erases(erased_, key);
  bool fresh = false;
  BufferedPoint& point = PointFor(key, fresh);
  const UpsertFunction* known = functions_->Find(function);
  if (known != nullptr && fresh && erased) {
    SetTo(*known, std::nullopt, delta, point);
  } else if (fresh) {
    point.first = {MessageKind::kUpsert, function, std::string(delta)};
  } else if (known == nullptr || !Fold(*known, delta, point)) {
    point.more.Push({MessageKind::kUpsert, function, std::string(delta)});
  }
  size_ += SizeOf(point);
}

void MessageBuffer::EraseRange(const Range& range) {
  if (range.Empty()) return;
  const Points::Position first = PointAt(points_, range.lo);
  const Points::Position last = PointAt(points_, range.hi);
  for (Points::Position at = first; at != last; at = points_.Next(at)) size_ -= SizeOf(points_[at]);
  points_.Erase(first, last);
  Range joined = range;
  const auto from = erased_.FirstNot([&](const Range& old) { return old.hi < range.lo; });
  auto to = from;
  for (; to != erased_.End() && erased_[to].lo <= range.hi; to = erased_.Next(to)) {
    joined = {std::min(joined.lo, erased_[to].lo), std::max(joined.hi, erased_[to].hi)};
    size_ -= SizeOf(erased_[to]);
  }
  erased_.Erase(from, to);
  size_ += SizeOf(joined);
  const auto at = erased_.FirstNot([&](const Range& old) { return old.hi < joined.lo; });
  erased_.Insert(at, std::move(joined));
}

bool MessageBuffer::Touches(const Range& range) const {
  const auto erased = erased_.FirstNot([&](const Range& old) { return old.hi <= range.lo; });
  return PointAt(points_, range.lo) != PointAt(points_, range.hi) ||
         (erased != erased_.End() && erased_[erased].lo < range.hi);
}

void MessageBuffer::LookUp(std::string_view key, ValueBuilder& value) const { LookUpIn(points_, erased_, key, value); }

// Reads the points of an image.
class BufferReader final : public PointReader {
 public:
  explicit BufferReader(MessageBuffer::Points points) : points_(std::move(points)), at_(points_.End()) {}

  void SeekForward(const Bound& bound) override {
    at_ = PointAt(points_, bound);
    valid_ = at_ != points_.End();
  }
  void SeekBackward(const Bound& bound) override {
    at_ = PointAt(points_, bound);
    Prev();
  }
  bool Valid() const override { return valid_; }
  void Next() override {
    at_ = points_.Next(at_);
    valid_ = at_ != points_.End();
  }
  void Prev() override {
    valid_ = !points_.Empty() && at_ != points_.Begin();
    if (valid_) at_ = points_.Prev(at_);
  }
  std::string_view Key() const override { return points_[at_].key; }
  size_t GroupSize() const override { return 1 + points_[at_].more.Size(); }
  Message At(size_t index) const override {
    const BufferedPoint& point = points_[at_];
    return index == 0 ? point.first.View() : point.more[index - 1].View();
  }

 private:
  MessageBuffer::Points points_;
  MessageBuffer::Points::Position at_;
  bool valid_ = false;
};

class BufferImage final : public Layer {
 public:
  BufferImage(MessageBuffer::Points points, MessageBuffer::Ranges erased)
      : points_(std::move(points)), erased_(std::move(erased)) {}

  Stretch Around(const Bound& at, Direction direction) const override {
    const bool forward = direction == Direction::kForward;
    const auto next = erased_.FirstNot([&](const Range& range) { return forward ? range.hi <= at : range.hi < at; });
    const bool inside = next != erased_.End() && (forward ? erased_[next].lo <= at : erased_[next].lo < at);
    if (inside) return {erased_[next], true};
    Range gap = Range::All();
    if (next != erased_.End()) gap.hi = erased_[next].lo;
    if (next != erased_.Begin()) gap.lo = erased_[erased_.Prev(next)].hi;
    return {gap, false};
  }

  std::unique_ptr<PointReader> Points() const override { return std::make_unique<BufferReader>(points_); }

  void LookUp(std::string_view key, ValueBuilder& value) const override { LookUpIn(points_, erased_, key, value); }

 private:
  MessageBuffer::Points points_;
  MessageBuffer::Ranges erased_;
};

std::shared_ptr<const Layer> MessageBuffer::Image() {
  return std::make_shared<BufferImage>(points_.Share(), erased_.Share());
}

Partition MessageBuffer::Seal(NodeSource& source) const {
  RunBuilder builder(source, Range::All());
  builder.Reserve(PayloadBytes(points_));
  ForEachMessage(points_, [&](std::string_view key, const Message& message) { builder.Add(key, message); });
  Partition partition{std::move(builder).Finish(), {}};
  for (auto at = erased_.Begin(); at != erased_.End(); at = erased_.Next(at)) {
    partition.gotos.push_back({Link{erased_[at], kNoNode, {}}, 0, 0});
  }
  return partition;
}

}  // namespace betr::dag
