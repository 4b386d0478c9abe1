// SPDX-License-Identifier: Apache-2.0
#include "dag/change/basement_writer.h"

#include <utility>

namespace betr::dag {

void BasementWriter::Start(const Bound& from) {
  if (builder_.Empty()) from_ = from;
}

void BasementWriter::Add(std::string_view key, std::string_view value) {
  const Message put{MessageKind::kPut, 0, value};
  const bool full = builder_.Size() + BlockBuilder::EntrySize(key, put) > edit_.shape().basement_size;
  if (!builder_.Empty() && full) Cut(Separator(builder_.LastKey(), key));
  if (builder_.Empty()) builder_.Reserve(edit_.shape().basement_size);
  builder_.Add(key, put);
}

void BasementWriter::Cut(Bound end) {
  if (!builder_.Empty()) out_.push_back(edit_.Adopt(builder_, {std::move(from_), end}));
  from_ = std::move(end);
}

}  // namespace betr::dag
