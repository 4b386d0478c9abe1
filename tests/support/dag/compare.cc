// SPDX-License-Identifier: Apache-2.0
#include "support/dag/compare.h"

#include <iterator>
#include <optional>

#include "base/escape.h"
#include "dag/read/lookup.h"
#include "dag/read/tree_cursor.h"

namespace betr::test {
namespace {

using Found = std::optional<std::string>;

std::string Show(const Found& value) { return value ? "\"" + Escape(*value) + "\"" : "nothing"; }

Found KeyUnder(const dag::TreeCursor& cursor) { return cursor.Valid() ? Found(std::string(cursor.Key())) : Found(); }

// What the cursor stands on against what the iterator stands on.
template <class Iterator>
std::string DifferenceHere(const dag::TreeCursor& cursor, Iterator at, Iterator end, std::string_view way) {
  const std::string place = std::string(way) + ": ";
  if (!cursor.status().ok()) return place + std::string(cursor.status().message());
  const Found key = at == end ? Found() : Found(at->first);
  if (KeyUnder(cursor) != key) return place + "cursor at " + Show(KeyUnder(cursor)) + " instead of " + Show(key);
  if (key && cursor.Value() != at->second) {
    return place + Show(key) + " is " + Show(std::string(cursor.Value())) + " instead of " + Show(at->second);
  }
  return "";
}

template <class Iterator, class Move>
std::string DifferenceOnTheWay(const dag::TreeCursor& cursor, Iterator at, Iterator end, std::string_view way,
                               Move move) {
  for (;; ++at, move()) {
    std::string difference = DifferenceHere(cursor, at, end, way);
    if (!difference.empty() || at == end) return difference;
  }
}

Found Get(const dag::Source& source, const std::string& key, const UpsertRegistry& functions, absl::Status& status) {
  dag::ValueBuilder value;
  for (const auto& layer : source.layers) {
    if (!value.Done()) layer->LookUp(key, value);
  }
  if (!value.Done()) status = dag::LookUp(source.table, source.root, key, value);
  absl::StatusOr<Found> found = value.Resolve(functions, key);
  status.Update(found.status());
  return found.ok() ? *std::move(found) : Found();
}

}  // namespace

std::string Difference(const dag::Source& source, const Contents& oracle, const UpsertRegistry& functions) {
  dag::TreeCursor cursor(source, Range::All(), functions, nullptr);
  const auto forward = [&] {
    cursor.SeekToFirst();
    return DifferenceOnTheWay(cursor, oracle.begin(), oracle.end(), "forward", [&] { cursor.Next(); });
  };
  const auto backward = [&] {
    cursor.SeekToLast();
    return DifferenceOnTheWay(cursor, oracle.rbegin(), oracle.rend(), "backward", [&] { cursor.Prev(); });
  };
  const std::string difference = forward();
  return difference.empty() ? backward() : difference;
}

std::string DifferenceOfKeys(const dag::Source& source, const Contents& oracle, const std::vector<std::string>& keys,
                             const UpsertRegistry& functions) {
  dag::TreeCursor cursor(source, Range::All(), functions, nullptr);
  for (const std::string& key : keys) {
    absl::Status status;
    const Found value = Get(source, key, functions, status);
    const auto found = oracle.find(key);
    const Found expected = found == oracle.end() ? Found() : Found(found->second);
    if (!status.ok() || value != expected) {
      return "get of " + Show(key) + ": " + Show(value) + " instead of " + Show(expected);
    }
    const auto next = oracle.lower_bound(key);
    cursor.Seek(Bound::At(key));
    std::string difference = DifferenceHere(cursor, next, oracle.end(), "seek " + Show(key));
    if (!difference.empty()) return difference;
    cursor.SeekBefore(Bound::At(key));
    difference = DifferenceHere(cursor, std::make_reverse_iterator(next), oracle.rend(), "seek before " + Show(key));
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace betr::test
