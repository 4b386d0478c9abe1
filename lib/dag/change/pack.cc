// SPDX-License-Identifier: Apache-2.0
#include "dag/change/pack.h"

#include <utility>

#include "dag/change/basement_writer.h"

namespace betr::dag {
namespace {

// A basement whose block is in memory.
struct Loaded {
  explicit Loaded(const BlockView& basement, std::shared_ptr<const Block> block)
      : view(&basement), reader(std::move(block), basement) {}

  // Whether less than half of the block is shown.
  bool MostlyHidden() const { return 2 * reader.Size().value < view->Size().value; }
  // Whether it is worth joining with its neighbours.
  bool Small(const Shape& shape) const { return 2 * reader.Size().value < shape.basement_size.value; }

  const BlockView* view;
  ViewReader reader;
};

// Neighbouring basements that are to be copied into new ones.
class Batch {
 public:
  // Takes a basement to be copied. False if it is to stay as it is.
  bool Take(const BlockView& basement, const Shape& shape) {
    std::shared_ptr<const Block> block = basement.slot->Peek();
    if (block == nullptr) return false;
    Loaded loaded(basement, std::move(block));
    if (!loaded.MostlyHidden() && !loaded.Small(shape)) return false;
    hidden_ = hidden_ || loaded.MostlyHidden();
    basements_.push_back(std::move(loaded));
    return true;
  }

  void Flush(Edit& edit, std::vector<BlockView>& out) {
    if (basements_.size() == 1 && !hidden_) {
      out.push_back(*basements_[0].view);
    } else if (!basements_.empty()) {
      Copy(edit, out);
    }
    basements_.clear();
    hidden_ = false;
  }

 private:
  void Copy(Edit& edit, std::vector<BlockView>& out) {
    BasementWriter writer(edit, out);
    writer.Start(basements_.front().view->clip.lo);
    for (Loaded& basement : basements_) {
      ViewReader& reader = basement.reader;
      for (reader.SeekForward(basement.view->clip.lo); reader.Valid(); reader.Next()) {
        writer.Add(reader.Key(), reader.At(0).value);
      }
    }
    writer.Cut(basements_.back().view->clip.hi);
  }

  std::vector<Loaded> basements_;
  bool hidden_ = false;
};

}  // namespace

void Pack(Edit& edit, Node& leaf) {
  std::vector<BlockView> packed;
  Batch batch;
  for (const BlockView& basement : leaf.basements) {
    if (!batch.Take(basement, edit.shape())) {
      batch.Flush(edit, packed);
      packed.push_back(basement);
    }
  }
  batch.Flush(edit, packed);
  leaf.basements = std::move(packed);
}

}  // namespace betr::dag
